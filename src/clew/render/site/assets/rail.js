// The rail beside a session: its outline, or the sessions around it. It is remembered; an early script sets it.

const root = document.documentElement;
const body = document.body;
const rail = document.getElementById("rail");
const list = rail.querySelector("[data-around]");
const hasOutline = Boolean(rail.querySelector(".outline")) && !("run" in body.dataset);
const part = list.dataset.part ? `/${list.dataset.part}` : "";
const narrow = matchMedia("(max-width: 760px)");
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const long = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });
const steps = {};
let isAsked = false;

function view() {
  if (hasOutline) return root.dataset.rail === "sessions" ? "sessions" : "outline";
  return "sessions";
}

function isOpen() {
  if (narrow.matches) return "drawer" in body.dataset;
  return hasOutline ? root.dataset.rail !== "off" : root.dataset.rail === "sessions";
}

function tell() {
  for (const [name, button] of [["outline", "rail-outline"], ["sessions", "rail-sessions"]]) {
    rail.querySelector(`[data-do=${button}]`)?.setAttribute("aria-pressed", String(view() === name));
  }
  for (const button of document.querySelectorAll(".site-head [data-do=rail], .site-head [data-do=drawer]")) button.setAttribute("aria-expanded", String(isOpen()));
  if (isOpen() && view() === "sessions") fill();
}

function choose(name) {
  root.dataset.rail = name;
  try { localStorage.setItem("clew-rail", name); } catch { /* It holds for this page alone. */ }
  tell();
}

// What is shown again is what was shown last.
let last = root.dataset.rail === "sessions" || !hasOutline ? "sessions" : "outline";

function toggle() {
  if (narrow.matches) { body.toggleAttribute("data-drawer"); tell(); return; }
  if (isOpen()) { last = view(); choose("off"); } else choose(last);
}

function element(tag, values = {}, ...children) {
  const made = Object.assign(document.createElement(tag), values);
  made.append(...children);
  return made;
}

function dayOf(at) {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? "Without a date" : long.format(moment);
}

function row(session) {
  const moment = new Date(session.at);
  const time = element("time", { dateTime: session.at, textContent: Number.isNaN(moment.getTime()) ? "" : clock.format(moment) });
  const what = element("span", { className: "what" }, element("bdi", { textContent: session.title }));
  if (session.is_live) what.append(" ", element("span", { className: "live", textContent: "live" }));
  if (session.member) what.append(" ", element("bdi", { className: "quiet", textContent: session.member }));
  const link = element("a", { href: session.url + part }, time, what);
  if (session.is_this) link.setAttribute("aria-current", "page");
  return element("li", {}, link);
}

function draw(around) {
  const pieces = [];
  let day = null;
  for (const session of around.sessions) {
    const own = dayOf(session.at);
    if (own !== day) pieces.push(element("div", { className: "day-name", textContent: own }), element("ol"));
    day = own;
    pieces.at(-1).append(row(session));
  }
  const all = element("a", { href: around.url, textContent: around.total === 1 ? "The only session of this project" : `All ${around.total.toLocaleString("en")} sessions of ${around.project}` });
  pieces.push(element("p", {}, all));
  list.replaceChildren(...pieces);
  const current = list.querySelector("[aria-current]");
  if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 3;
}

function offer(name, session) {
  for (const link of document.querySelectorAll(`[data-step=${name}]`)) {
    const word = name === "next" ? "Next" : "Previous";
    const key = name === "next" ? "]" : "[";
    if (session) {
      link.href = session.url + part;
      link.title = `${word}: ${session.title} (${key})`;
      link.removeAttribute("aria-disabled");
    } else {
      link.setAttribute("aria-disabled", "true");
      link.title = `No ${word.toLowerCase()} session in this project`;
    }
  }
  steps[name] = session ? session.url + part : "";
}

let known = null;

function ask() {
  known ??= fetch(list.dataset.around).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
  return known;
}

async function fill() {
  if (isAsked) return;
  isAsked = true;
  const around = await ask();
  if (around) draw(around);
  else list.querySelector("[data-around-empty]").textContent = "Not available until the session is archived.";
}

async function learn() {
  const around = await ask();
  if (!around) return;
  offer("previous", around.previous);
  offer("next", around.next);
}

function step(name) {
  const link = document.querySelector(`[data-step=${name}]`);
  const url = steps[name] ?? link?.href;
  if (url) location.assign(url);
}

const actions = { rail: toggle, "rail-outline": () => choose("outline"), "rail-sessions": () => choose("sessions") };
document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-step][aria-disabled]")) event.preventDefault();
  const name = event.target.closest?.("[data-do]")?.dataset.do;
  if (name === "drawer") setTimeout(tell);
  if (actions[name]) return actions[name]();
  if (!hasOutline && "drawer" in body.dataset && !event.target.closest?.("#rail")) toggle();
});
document.addEventListener("keydown", (event) => {
  // On some keyboards, brackets are typed with AltGr, which may look like Ctrl and Alt.
  const isHeld = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");
  if (isHeld || event.target.closest?.("input:not([type=checkbox]), select, textarea, dialog[open]")) return;
  if (event.key === "[") step("previous");
  else if (event.key === "]") step("next");
  else if (event.key === "\\") toggle();
});
document.addEventListener("clew:step-session", (event) => step(event.detail));
document.addEventListener("clew:rail", toggle);
narrow.addEventListener("change", tell);
tell();
("requestIdleCallback" in window ? requestIdleCallback : setTimeout)(learn);

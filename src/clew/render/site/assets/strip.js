// The strip of running sessions: it follows the news, and nothing moves below the pointer.

const place = document.querySelector("[data-strip-place]");
const home = document.querySelector("[data-home]");
let strip = document.querySelector("[data-strip]");
const isCompact = Boolean(place);
const soonMs = 100;
// Only time distinguishes a call that asks for permission from one that runs.
const laterMs = [3500, 11000];
const homeMs = 20000;

let latest = null;
let timer = 0;
let later = [];
let homeAt = Date.now();
let homeTimer = 0;
const sent = new WeakMap();
const status = document.createElement("p");
status.className = "sr";
status.setAttribute("role", "status");

function rowsOf(element) {
  return new Map([...element.querySelectorAll("[data-strip-session]")].map((row) => [row.dataset.stripSession, row]));
}

function parse(text) {
  return new DOMParser().parseFromString(text, "text/html");
}

function added(element) {
  element.dispatchEvent(new CustomEvent("clew:added", { bubbles: true }));
}

// What has not changed stays as it is, with its focus; times are compared as they were sent.
function update(row, made) {
  row.className = made.className;
  row.dataset.state = made.dataset.state;
  [...made.children].forEach((child, index) => {
    const before = row.children[index];
    const markup = child.outerHTML;
    if (sent.get(before) === markup) return;
    const had = before.contains(document.activeElement);
    before.replaceWith(child);
    sent.set(child, markup);
    if (had) (child.matches("a") ? child : child.querySelector("a"))?.focus({ preventScroll: true });
  });
}

function isRead() {
  const list = strip.querySelector("[data-strip-rows]");
  return list.matches(":hover") || list.contains(document.activeElement);
}

// Rows that come or go move what is below them.
function wouldMove(count) {
  return !isCompact && count && Boolean(document.querySelector("main:hover"));
}

function offer(count) {
  const more = strip.querySelector("[data-strip-more]");
  if (!more) return;
  more.hidden = !count;
  more.textContent = count ? `Show ${count} more` : "";
}

function arrange(force = false) {
  const list = strip.querySelector("[data-strip-rows]");
  const [known, wanted] = [rowsOf(list), rowsOf(latest)];
  const fresh = [...wanted.keys()].filter((name) => !known.has(name));
  const gone = [...known.keys()].filter((name) => !wanted.has(name));
  if (!force && (isRead() || wouldMove(fresh.length + gone.length))) { offer(fresh.length); return; }
  for (const name of gone) known.get(name).remove();
  let before = list.firstElementChild;
  for (const [name, made] of wanted) {
    const row = known.get(name) ?? list.insertBefore(document.importNode(made, true), before);
    if (row === before) before = before.nextElementSibling;
    else list.insertBefore(row, before);
  }
  offer(0);
  added(list);
}

function announce(before) {
  if (!before) return;
  const waiting = [...rowsOf(latest)].filter(([name, row]) => row.dataset.state === "waiting" && before.get(name) !== "waiting");
  const titles = waiting.map(([, row]) => row.querySelector(".title").textContent);
  if (titles.length) status.textContent = `${titles.join(", ")} ${titles.length === 1 ? "waits" : "wait"} for you`;
}

function show(made) {
  const before = latest && new Map([...rowsOf(latest)].map(([name, row]) => [name, row.dataset.state]));
  latest = made.cloneNode(true);
  if (!strip) begin(made);
  strip.querySelector("[data-strip-summary]").textContent = made.querySelector("[data-strip-summary]").textContent;
  strip.querySelector("[data-strip-dot]").dataset.stripDot = made.querySelector("[data-strip-dot]").dataset.stripDot;
  for (const [name, row] of rowsOf(strip)) {
    const grown = made.querySelector(`[data-strip-session="${CSS.escape(name)}"]`);
    if (grown) update(row, grown);
  }
  arrange();
  announce(before);
}

function begin(made) {
  strip = made;
  place.replaceChildren(strip);
  remember();
}

function remember() {
  strip.after(status);
  const fold = strip.querySelector("[data-strip-fold]");
  if (fold) {
    try { fold.open = localStorage.getItem("clew-strip") === "open"; } catch { /* It is closed then. */ }
    fold.addEventListener("toggle", () => {
      try { localStorage.setItem("clew-strip", fold.open ? "open" : "closed"); } catch { /* It holds for this page alone. */ }
    });
  }
  strip.querySelector("[data-strip-more]")?.addEventListener("click", () => arrange(true));
  strip.addEventListener("pointerleave", settle);
  strip.addEventListener("focusout", settle);
}

function settle() {
  if (latest) setTimeout(arrange, 0);
}

async function refresh() {
  timer = 0;
  const answer = await fetch(isCompact ? "/live?compact=true" : "/live").catch(() => null);
  if (!answer?.ok) return;
  const made = parse(await answer.text()).querySelector("[data-strip]");
  if (made) show(made);
}

function isHomeInUse() {
  const selection = getSelection();
  const isSelected = !selection.isCollapsed && home.contains(selection.anchorNode);
  return document.hidden || isSelected || home.matches(":hover") || home.contains(document.activeElement);
}

// The numbers below the strip are counted again now and then, while nobody uses them; news waits for its time.
function refreshHomeSoon() {
  if (!home || homeTimer) return;
  const isFilling = !document.querySelector("[data-archiving]")?.hidden;
  homeTimer = setTimeout(refreshHome, Math.max(homeAt + (isFilling ? 1000 : homeMs) - Date.now(), 0));
}

async function refreshHome() {
  homeTimer = 0;
  if (isHomeInUse()) return;
  homeAt = Date.now();
  const answer = await fetch(location.pathname + location.search, { cache: "no-store" }).catch(() => null);
  const found = answer?.ok ? parse(await answer.text()).querySelector("[data-home]") : null;
  if (!found || isHomeInUse()) return;
  home.replaceChildren(...found.childNodes);
  added(home);
}

function hear() {
  if (!timer) timer = setTimeout(refresh, soonMs);
  later.forEach(clearTimeout);
  later = laterMs.map((ms) => setTimeout(refresh, ms));
  refreshHomeSoon();
}

if (strip || place) {
  if (strip) { latest = strip.cloneNode(true); remember(); }
  document.addEventListener("clew:news", hear);
  document.querySelector("main").addEventListener("pointerleave", settle);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) hear(); });
  setInterval(() => { if (!document.hidden) { refresh(); refreshHomeSoon(); } }, 60000);
  refresh();
}

// Lists: filters as one types, rows by keyboard, and news of what grew.

const form = document.querySelector("form[data-filters]");
const search = document.querySelector("form[data-search]");
const rows = document.querySelector("[data-rows]");
const hits = document.querySelector("[data-hits]");
const help = document.getElementById("help");
const canAsk = document.body.dataset.live === "yes";

function wait(ms, act) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...values), ms);
  };
}

function address(asking) {
  const asked = new URLSearchParams();
  for (const [name, value] of new FormData(asking)) if (value) asked.append(name, value);
  if (asked.get("sort") === "when") asked.delete("sort");
  if (asked.get("min_cost") === "0") asked.delete("min_cost");
  const words = asked.toString();
  return location.pathname + (words ? `?${words}` : "");
}

function added(place) {
  place.dispatchEvent(new CustomEvent("clew:added", { bubbles: true }));
}

async function read(url) {
  const answer = await fetch(url).catch(() => null);
  return answer ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
}

function say(place, text) {
  const said = document.createElement("p");
  said.className = "trouble";
  said.setAttribute("role", "alert");
  said.textContent = text;
  place.replaceChildren(said);
}

let current = 0;

async function fill(place, url, selector) {
  const turn = ++current;
  const page = await read(url);
  if (turn !== current) return;
  if (!page) { say(place, "The server does not respond. Is clew still running?"); return; }
  const found = page.querySelector(selector);
  if (!found) { say(place, page.querySelector("main p")?.textContent ?? "The request failed."); return; }
  const focused = document.activeElement.closest?.("[data-session]")?.dataset.session;
  place.replaceChildren(...found.childNodes);
  document.title = page.title;
  if (focused) place.querySelector(`[data-session="${CSS.escape(focused)}"] .title`)?.focus({ preventScroll: true });
  const chips = page.querySelector("[data-chips]");
  if (chips) document.querySelector("[data-chips]")?.replaceChildren(...chips.childNodes);
  document.getElementById("q")?.toggleAttribute("aria-invalid", Boolean(page.querySelector("#q[aria-invalid]")));
  added(place);
}

function ask(asking, place, selector) {
  const url = address(asking);
  history.replaceState(null, "", url);
  return fill(place, url, selector);
}

function asYouType(asking, place, selector, ms) {
  const act = () => ask(asking, place, selector);
  asking.addEventListener("input", wait(ms, act));
  asking.addEventListener("submit", (event) => { event.preventDefault(); act(); });
  // Somebody may have typed before this script was there.
  if ([...asking.querySelectorAll("input[type=search]")].some((field) => field.value !== field.defaultValue)) act();
}

if (form && canAsk) asYouType(form, rows, "[data-rows]", 120);
if (search && canAsk) asYouType(search, hits, "[data-hits]", 180);

const long = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });

function dayOf(row) {
  const at = new Date(row.querySelector("time").dateTime);
  if (Number.isNaN(at.getTime())) return null;
  const { weekday, day, month, year } = Object.fromEntries(long.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${weekday}, ${day} ${month} ${year}`;
}

function groupBefore(group, title) {
  const made = group.cloneNode(true);
  made.querySelector("ol").replaceChildren();
  made.querySelector("h2 bdi").textContent = title;
  group.before(made);
  return made;
}

// Days are those of whoever wrote the site: like the times, they become the reader's own.
function makeDaysLocal() {
  const groups = [...rows.querySelectorAll("[data-group]:not(.dated)")];
  const days = groups.flatMap((group) => [...group.querySelectorAll("[data-session]")].map((row) => [group, row, dayOf(row) ?? group.querySelector("h2").textContent]));
  if (days.every(([group, , day]) => group.querySelector("h2").textContent === day)) return;
  let last = null;
  for (const [group, row, day] of days) {
    if (last?.querySelector("h2").textContent !== day) last = groupBefore(group, day);
    last.querySelector("ol").append(row);
  }
  for (const group of groups) group.remove();
}

// In a site of files there is nobody to ask: rows are hidden where they stand.
if (form && !canAsk && rows) {
  makeDaysLocal();
  const field = form.querySelector("[data-filter]");
  const all = [...rows.querySelectorAll("[data-session]")].map((row) => [row, row.textContent.toLowerCase()]);
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [row, text] of all) {
      const fits = words.every((word) => text.includes(word));
      row.hidden = !fits;
      shown += fits;
    }
    for (const group of rows.querySelectorAll("[data-group]")) group.hidden = !group.querySelector("[data-session]:not([hidden])");
    const total = rows.querySelector("[data-total]");
    if (total) total.textContent = `${shown.toLocaleString("en")} ${shown === 1 ? "session" : "sessions"}`;
    // Whoever comes back from a session finds the same rows again.
    history.replaceState(null, "", words.length ? `#${new URLSearchParams({ text: field.value })}` : location.pathname);
  };
  field.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  const kept = new URLSearchParams(location.hash.slice(1)).get("text");
  if (kept) { field.value = kept; filter(); }
}

async function showMore(more) {
  const place = more.closest("[data-rows], [data-hits]");
  more.setAttribute("aria-disabled", "true");
  const page = await read(more.href);
  const found = page?.querySelector(place.matches("[data-rows]") ? "[data-rows]" : "[data-hits]");
  if (!found) { more.removeAttribute("aria-disabled"); return; }
  for (const once of found.querySelectorAll(".count, .chips")) once.remove();
  const first = found.querySelector(reachable);
  more.parentElement.replaceWith(...found.childNodes);
  added(place);
  first?.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const more = event.target.closest?.("[data-more]");
  if (!more || !canAsk || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (!more.ariaDisabled) showMore(more);
});

const reachable = "[data-session] .title, [data-hit], table.data td a";

function step(by) {
  const links = [...document.querySelectorAll(reachable)].filter((link) => link.getClientRects().length);
  const at = links.indexOf(document.activeElement);
  const next = links[Math.max(0, Math.min(links.length - 1, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function turnTheme() {
  const style = document.documentElement.dataset;
  const isDark = style.theme ? style.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  style.theme = isDark ? "light" : "dark";
  try { localStorage.setItem("clew-theme", style.theme); } catch { /* It holds for this page alone. */ }
}

const actions = { theme: turnTheme, help: () => help.showModal(), close: () => help.close() };
document.addEventListener("click", (event) => actions[event.target.closest?.("[data-do]")?.dataset.do]?.());

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea");
  if (event.key === "Escape" && typing) return typing.blur();
  if (event.key === "ArrowDown" && event.target.matches?.("input[type=search]")) return step(1);
  if (typing || event.ctrlKey || event.metaKey || event.altKey || help.open) return undefined;
  if (event.key === "j") return step(1);
  if (event.key === "k") return step(-1);
  if (event.key === "?") return help.showModal();
  if (event.key === "/" || event.key === "f") {
    event.preventDefault();
    return document.querySelector("input[type=search]")?.focus();
  }
  return undefined;
});

// What the server has news of is asked for again.
document.addEventListener("clew:refresh", () => {
  const place = rows ?? hits;
  if (!place) return;
  const url = new URL(location.href);
  const shown = place.querySelectorAll("[data-session]").length;
  if (shown > 100) url.searchParams.set("limit", Math.min(shown, 1000));
  fill(place, url, rows ? "[data-rows]" : "[data-hits]");
});

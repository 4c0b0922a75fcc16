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

// Who asks for news gets no page from before it.
async function read(url, isNews = false) {
  const answer = await fetch(url, isNews ? { cache: "no-store" } : {}).catch(() => null);
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
// So many hits of a session are shown at once.
const shownHits = 3;
// The address of what is listed.
let listed = location.href;

// A word that is being typed may be no query yet: what is listed stays until it is finished.
function isInWord(box) {
  if (!box || document.activeElement !== box) return false;
  const before = box.value.slice(0, box.selectionStart);
  return /\S$/.test(before) || before.split('"').length % 2 === 0;
}

// Until its answer is there, what is listed is that to an earlier query; the line above it keeps its height.
function tellOld(place, what) {
  place.toggleAttribute("data-old", true);
  place.setAttribute("aria-busy", "true");
  const count = place.querySelector(".count");
  if (!count) return;
  count.style.minHeight = `${count.offsetHeight}px`;
  count.textContent = what;
}

function tellNew(place) {
  place.removeAttribute("data-old");
  place.removeAttribute("aria-busy");
}

// A word that may not be finished is not searched for yet.
function tellHeld(place) {
  const words = new URL(listed).searchParams;
  const before = (words.get("q") ?? words.get("text") ?? "").trim();
  tellOld(place, before ? `Not searched yet: below is what was found for ${before}` : "Not searched yet");
}

async function fill(place, url, selector, { isRefresh = false, box = null } = {}) {
  const turn = ++current;
  const page = await read(url, isRefresh);
  if (turn !== current) return;
  if (box) box.toggleAttribute("data-held", Boolean(page?.querySelector(`#${box.id}[aria-invalid]`)) && isInWord(box));
  if (box?.matches("[data-held]")) { history.replaceState(null, "", listed); tellHeld(place); return; }
  listed = location.href;
  tellNew(place);
  if (!page) { say(place, "The server does not respond. Is clew still running?"); return; }
  const found = page.querySelector(selector);
  if (!found) { say(place, page.querySelector("main p")?.textContent ?? "The request failed."); return; }
  const focused = document.activeElement.closest?.("[data-session]")?.dataset.session;
  document.title = page.title;
  // Whoever has a better place for them, or none for now, says no.
  const news = new CustomEvent("clew:replace", { cancelable: true, detail: { place, found, isRefresh } });
  if (!document.dispatchEvent(news)) return;
  place.replaceChildren(...found.childNodes);
  if (focused) place.querySelector(`[data-session="${CSS.escape(focused)}"] .title`)?.focus({ preventScroll: true });
  const chips = page.querySelector("[data-chips]");
  if (chips) document.querySelector("[data-chips]")?.replaceChildren(...chips.childNodes);
  for (const box of document.querySelectorAll("#q, #text")) {
    const isInvalid = Boolean(page.querySelector(`#${box.id}[aria-invalid]`));
    if (isInvalid) box.setAttribute("aria-invalid", "true"); else for (const name of ["aria-invalid", "aria-describedby"]) box.removeAttribute(name);
  }
  added(place);
}

function ask(asking, place, selector, box) {
  // Half a filter is no query yet: what is listed stays until it has a value.
  if (asking.querySelector("[data-half]")) { tellHeld(place); return undefined; }
  const url = address(asking);
  history.replaceState(null, "", url);
  return fill(place, url, selector, { box });
}

function asYouType(asking, place, selector, ms) {
  const box = asking.querySelector("[role=combobox]");
  const act = () => ask(asking, place, selector);
  const askSoon = wait(ms, () => ask(asking, place, selector, box));
  asking.addEventListener("input", () => {
    // An answer that is on its way answers something else.
    current += 1;
    tellOld(place, "Searching…");
    askSoon();
  });
  asking.addEventListener("submit", (event) => { event.preventDefault(); box?.removeAttribute("data-held"); act(); });
  box?.addEventListener("blur", () => { if (box.matches("[data-held]")) { box.removeAttribute("data-held"); act(); } });
  // Somebody may have typed before this script was there.
  if ([...asking.querySelectorAll("input[type=search], [role=combobox]")].some((field) => field.value !== field.defaultValue)) act();
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
  // They count other sessions than the ones of this day.
  made.querySelector(".totals")?.remove();
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

// A group may begin on one page and end on the next.
function joinGroups(place, found) {
  const [last, next] = [[...place.querySelectorAll("[data-group]")].at(-1), found.querySelector("[data-group]")];
  if (!last || !next || last.dataset.group !== next.dataset.group) return;
  last.querySelector("ol").append(...next.querySelector("ol").children);
  next.remove();
}

// A session has one heading, on whichever page its hits are; its first lines stay, the others come below.
function joinHits(place, found) {
  for (const next of found.querySelectorAll("[data-found]")) {
    const known = place.querySelector(`[data-found="${CSS.escape(next.dataset.found)}"]`);
    if (!known) continue;
    const rest = known.querySelector("[data-rest]");
    (rest.hidden ? known : rest).querySelector("ul").append(...next.querySelectorAll("[data-hits-here]"));
    const first = [...known.querySelectorAll("[data-hits-here]")];
    if (rest.hidden && first.length > shownHits + 1) {
      rest.hidden = false;
      rest.querySelector("ul").append(...first.slice(shownHits));
    }
    rest.querySelector("[data-rest-count]").textContent = hitsIn(rest).toLocaleString("en");
    known.querySelector(".hit-count > a")?.replaceChildren(`${hitsIn(known).toLocaleString("en")} hits`);
    next.remove();
  }
}

// A line can be that of several hits with the same text.
function hitsIn(place) {
  return [...place.querySelectorAll("[data-hits-here]")].reduce((sum, line) => sum + Number(line.dataset.hitsHere), 0);
}

// The address keeps which sessions show all their hits.
function keepOpened() {
  const url = new URL(location.href);
  url.searchParams.delete("opened");
  for (const rest of hits.querySelectorAll("[data-rest][open]")) url.searchParams.append("opened", rest.dataset.rest);
  if (url.href === location.href) return;
  history.replaceState(history.state, "", url);
  listed = url.href;
}

hits?.addEventListener("toggle", (event) => { if (event.target.matches("[data-rest]")) keepOpened(); }, true);

async function showMore(more) {
  const place = more.closest("[data-rows], [data-hits]");
  more.setAttribute("aria-disabled", "true");
  const page = await read(more.href);
  const found = page?.querySelector(place.matches("[data-rows]") ? "[data-rows]" : "[data-hits]");
  if (!found) { more.removeAttribute("aria-disabled"); return; }
  for (const once of found.querySelectorAll(".count, .chips")) once.remove();
  const first = found.querySelector(reachable);
  joinGroups(place, found);
  joinHits(place, found);
  more.parentElement.replaceWith(...found.childNodes);
  added(place);
  (first?.checkVisibility() ? first : first?.closest("[data-rest]")?.querySelector("summary"))?.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const more = event.target.closest?.("[data-more]");
  if (!more || !canAsk || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (!more.ariaDisabled) showMore(more);
});

// What a search asked for: the server has read the query; a site of files looks for what is typed.
function askedFor() {
  const read = hits.querySelector("[data-asked]")?.dataset.asked;
  if (read) return JSON.parse(read);
  const typed = document.querySelector("[data-site-search] input")?.value ?? "";
  return [...typed.matchAll(/"([^"]+)"?|([^\s"]+)/g)].map(([, phrase, word]) => phrase ?? word);
}

// The page of a session marks what brought somebody there: the words that were found, the longest first, and those that were asked for.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a:is([data-hit], [data-same])");
  const hit = link?.closest("li").querySelector("[data-hit]");
  const words = [...new Set([...hit?.querySelectorAll("mark") ?? []].map((mark) => mark.textContent))].sort((a, b) => b.length - a.length);
  if (!words.length) return;
  try { sessionStorage.setItem("clew-found", JSON.stringify([link.pathname, words, askedFor()])); } catch { /* Then nothing is marked. */ }
});

const reachable = "[data-session] .title, [data-hit], [data-rest] > summary, [data-same], table.data td a";

function step(by) {
  const links = [...document.querySelectorAll(reachable)].filter((link) => link.checkVisibility());
  const own = document.activeElement.closest?.("[data-session]")?.querySelector(".title");
  const at = links.indexOf(own ?? document.activeElement);
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
  const typing = event.target.closest?.("input:not([type=checkbox]), select, textarea");
  if (event.key === "Escape" && typing) return typing.blur();
  if (event.key === "ArrowDown" && event.target.matches?.("main input[type=search], main [role=combobox]")) return step(1);
  if (typing || event.ctrlKey || event.metaKey || event.altKey || help.open) return undefined;
  if (event.key === "j") return step(1);
  if (event.key === "k") return step(-1);
  if (event.key === "?") return help.showModal();
  if (event.key === "/" || event.key === "f") {
    event.preventDefault();
    return document.querySelector("main input[type=search], main [role=combobox]")?.focus();
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
  fill(place, url, rows ? "[data-rows]" : "[data-hits]", { isRefresh: true });
});

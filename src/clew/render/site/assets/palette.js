// The box in the header: sessions, files, pages and actions as one types, and a search of all texts.

const box = document.querySelector("[data-finder]");
const input = document.getElementById("palette");
const list = document.getElementById("palette-list");
const status = box?.querySelector("[data-finder-status]");
const isMac = /mac|iphone|ipad/i.test(navigator.platform);
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const waitMs = 100;
// After so long, what the page itself offers is shown without what the server knows.
const patienceMs = 250;
// How many letters of a text are shown before what was found in it.
const before = 32;
let options = [];
let current = -1;
let found = null;
let asked = 0;
let timers = [];
// What is listed answers an earlier query until the first answer to this one is there.
let isOld = false;
let isSearching = false;
let hasFailed = false;
let firstDrawn = Promise.resolve();
let tellDrawn = () => {};
let cameFrom = null;

function element(tag, values = {}, ...children) {
  const made = Object.assign(document.createElement(tag), values);
  made.append(...children);
  return made;
}

function words() {
  return input.value.toLowerCase().split(/\s+/).filter(Boolean);
}

function fits(text) {
  const lower = text.toLowerCase();
  return words().every((word) => lower.includes(word));
}

// What the page offers: its sections, its own links and what its buttons do.

function pages() {
  const places = [...document.querySelectorAll(".site-head .pages a")].map((link) => ({ label: link.textContent.trim(), url: link.getAttribute("href") }));
  const settings = document.querySelector(".site-head .settings-link")?.getAttribute("href");
  if (settings) places.push({ label: "Settings", url: settings });
  // On a session's page, its own link says with what to compare.
  if (!document.querySelector(".session-links a[href*='/compare']")) places.push({ label: "Compare two sessions", url: "/compare" });
  return places;
}

const names = { HTML: "Download as HTML", Markdown: "Download as Markdown", JSON: "Open as JSON", JSONL: "Download the transcript (JSONL)", Compare: "Compare with another session" };

function ownLinks() {
  return [...document.querySelectorAll(".session-links a:not([aria-current])")].map((link) => {
    const word = link.textContent.trim();
    return { label: names[word] ?? (/^(Conversation|Agents|Timeline|Changes|Context)$/.test(word) ? `Go to ${word.toLowerCase()}` : word), url: link.getAttribute("href"), also: word };
  });
}

function press(selector) {
  return () => document.querySelector(selector)?.click();
}

function copy(text, said) {
  return async () => {
    try { await navigator.clipboard.writeText(text); status.textContent = said; } catch { status.textContent = "The browser does not allow copying."; }
  };
}

function say(name, detail) {
  return () => document.dispatchEvent(new CustomEvent(name, { detail }));
}

function actions() {
  const made = [
    { label: "Switch between light and dark", also: "toggle theme", act: press(".site-head [data-do=theme]") },
    { label: "Copy the link to this page", also: "share url address", act: copy(location.href, "Link copied.") },
    { label: "Keyboard shortcuts", also: "help keys", act: press(".site-head [data-do=help]") },
  ];
  if (!document.getElementById("rail")) return made;
  made.push(
    { label: "Next session of this project", also: "newer", act: say("clew:step-session", "next"), key: "]" },
    { label: "Previous session of this project", also: "older", act: say("clew:step-session", "previous"), key: "[" },
    { label: "Show or hide the rail", also: "outline sessions sidebar", act: say("clew:rail"), key: "\\" },
  );
  const resume = document.querySelector(".about [data-copied]")?.textContent;
  if (resume) made.push({ label: "Copy the command that resumes this session", also: "resume continue", act: copy(resume, "Command copied.") });
  const detail = document.querySelector("select[data-do=detail]");
  if (!detail) return made;
  const error = document.querySelector(".facts > ul .bad a");
  if (error) made.push({ label: "Go to the first error", also: "failed", url: error.getAttribute("href") });
  made.push({ label: "Find in this session", also: "search", act: say("clew:find"), key: "/" }, { label: "Filters", also: "hide kinds tools", act: say("clew:menu"), key: "f" });
  for (const option of detail.options) made.push({ label: `Detail: ${option.textContent.toLowerCase()}`, act: say("clew:detail", Number(option.value)) });
  return made;
}

function local(offered, most) {
  return offered.filter((one) => fits(`${one.label} ${one.also ?? ""}`)).slice(0, most);
}

// What somebody begins to name is what they want, however many sessions have the word.
function begins({ label }) {
  const typed = words().join(" ");
  return typed.length > 1 && label.toLowerCase().startsWith(typed);
}

// Drawing: groups of options below their names.

function marked(hit) {
  const text = element("span", { className: "text" });
  let at = 0;
  const signs = [...hit.text];
  // A row has one line: what was found has to be near its beginning.
  const first = hit.marks[0]?.[0] ?? 0;
  if (first > before) {
    at = first - before;
    const gap = signs.slice(at, first).findIndex((sign) => /\s/.test(sign));
    at += gap + 1;
    text.append("…");
  }
  for (const [start, end] of hit.marks) {
    text.append(signs.slice(at, start).join(""), element("mark", { textContent: signs.slice(start, end).join("") }));
    at = end;
  }
  text.append(signs.slice(at).join(""));
  return text;
}

function dateOf(at) {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? "" : day.format(moment);
}

function sessionOption(session) {
  const name = element("span", {}, element("bdi", { textContent: session.title }));
  if (session.is_live) name.append(" ", element("span", { className: "live", textContent: "live" }));
  const note = [session.member, session.project, dateOf(session.at)].filter(Boolean).join(" · ");
  return { id: `s ${session.session_id}`, url: session.url, parts: [name, element("span", { className: "note", textContent: note })] };
}

function hitOption(hit) {
  const parts = [element("span", {}, element("bdi", { textContent: hit.title })), element("span", { className: "note", textContent: dateOf(hit.at) }), marked(hit)];
  return { id: `h ${hit.url}`, url: hit.url, parts };
}

function projectOption(project) {
  const count = `${project.sessions.toLocaleString("en")} ${project.sessions === 1 ? "session" : "sessions"}`;
  return { id: `p ${project.path}`, url: project.url, parts: [element("bdi", { textContent: project.name }), element("span", { className: "note", textContent: count })] };
}

function fileOption(file) {
  const note = [file.project, dateOf(file.edited_at)].filter(Boolean).join(" · ");
  const parts = [element("span", {}, element("bdi", { textContent: file.name })), element("span", { className: "note", textContent: note })];
  if (file.folder) parts.push(element("span", { className: "text" }, element("bdi", { textContent: file.folder })));
  return { id: `f ${file.path}`, url: file.url, parts };
}

function plainOption(one) {
  return { id: `o ${one.label}`, url: one.url, act: one.act, parts: [element("span", { textContent: one.label }), ...(one.key ? [element("span", { className: "note", textContent: one.key })] : [])] };
}

function searchUrl() {
  return `${box.querySelector("form").getAttribute("action")}?${new URLSearchParams({ q: input.value.trim() })}`;
}

function searchOption() {
  const total = found?.total_hits ? ` (${found.total_hits.toLocaleString("en")}${found.is_exact ? "" : "+"})` : "";
  return { id: "all", url: searchUrl(), parts: [element("span", {}, "Search all texts for ", element("b", { textContent: input.value.trim() }), total)] };
}

const own = document.body.dataset.session;

function groups() {
  const typed = words().length > 0;
  const most = typed ? 6 : 20;
  const offered = [...ownLinks(), ...actions()];
  const [fitting, possible] = [local(pages(), 20), local(offered, 20)];
  const named = [...fitting, ...possible].filter(begins);
  const others = (some) => some.filter((one) => !named.includes(one)).slice(0, most).map(plainOption);
  const both = [["Pages", others(fitting)], ["Actions", others(possible)]];
  return [
    ["Go to", named.slice(0, most).map(plainOption)],
    ["Sessions", (found?.sessions ?? []).filter((session) => typed || session.url !== own).slice(0, typed ? 8 : 5).map(sessionOption)],
    ["Files", (found?.files ?? []).slice(0, 5).map(fileOption)],
    // On a session's page, what can be done with it comes first.
    ...(own ? both.reverse() : both),
    ["Projects", (found?.projects ?? []).slice(0, 3).map(projectOption)],
    ["Texts", [...(found?.hits ?? []).map(hitOption), ...(typed ? [searchOption()] : [])]],
  ].filter(([, offers]) => offers.length);
}

function drawOption(option, number) {
  const made = element(option.url ? "a" : "div", { id: `option-${number}`, tabIndex: -1 }, ...option.parts);
  if (option.url) made.href = option.url;
  made.setAttribute("role", "option");
  made.setAttribute("aria-selected", "false");
  made.dataset.number = number;
  return made;
}

// What comes later is put below the option that is chosen, so that neither it nor what is above moves.
function belowChosen(offered, chosen) {
  const at = offered.findIndex(([, own]) => own.some((option) => option.id === chosen));
  if (at < 0) return offered;
  const known = new Set(options.map((option) => option.id));
  const isKnown = ([, own]) => own.some((option) => known.has(option.id));
  const [name, own] = offered[at];
  const until = own.findIndex((option) => option.id === chosen) + 1;
  const upper = own.slice(0, until);
  const around = [name, [...upper.filter((option) => known.has(option.id)), ...upper.filter((option) => !known.has(option.id)), ...own.slice(until)]];
  const above = offered.slice(0, at);
  return [...above.filter(isKnown), around, ...above.filter((group) => !isKnown(group)), ...offered.slice(at + 1)];
}

function draw() {
  const chosen = isOld ? undefined : options[current]?.id;
  const offered = belowChosen(groups(), chosen);
  options = [];
  const pieces = offered.map(([name, own], index) => {
    const group = element("div", { className: "palette-group" }, element("div", { id: `palette-name-${index}`, className: "palette-name", textContent: name }));
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", `palette-name-${index}`);
    for (const option of own) group.append(drawOption(option, options.push(option) - 1));
    return group;
  });
  const place = list.scrollTop;
  list.replaceChildren(...pieces);
  list.scrollTop = isOld ? 0 : place;
  isOld = false;
  // A search is offered always: while something else may come, it is not what one gets.
  const isUndecided = isSearching && !chosen && options.every((option) => option.id === "all");
  choose(isUndecided ? null : Math.max(options.findIndex((option) => option.id === chosen), 0), false);
  tellState();
  if (!isUndecided) tellDrawn();
}

// The list is final only when nothing says that more is looked for.
function tellState() {
  list.toggleAttribute("data-old", isOld);
  list.setAttribute("aria-busy", String(isSearching));
  list.querySelector(".palette-state")?.remove();
  const many = `${options.length} ${options.length === 1 ? "result" : "results"}`;
  const told = isSearching ? "Searching…" : hasFailed ? "The server does not respond" : "";
  status.textContent = told || many;
  if (!told) return;
  const row = element("div", { className: "palette-state", textContent: told });
  row.ariaHidden = "true";
  list.append(row);
}

function choose(number, scrolls = true) {
  list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
  current = options.length && number !== null ? (number + options.length) % options.length : -1;
  const chosen = document.getElementById(`option-${current}`);
  chosen?.setAttribute("aria-selected", "true");
  if (chosen) input.setAttribute("aria-activedescendant", chosen.id);
  else input.removeAttribute("aria-activedescendant");
  if (scrolls) chosen?.scrollIntoView({ block: "nearest" });
}

async function fetchFound(params) {
  const answer = await fetch(`${box.dataset.finder}?${new URLSearchParams({ q: input.value.trim(), ...params })}`).catch(() => null);
  return answer?.ok ? answer.json().catch(() => null) : null;
}

function stop() {
  timers.forEach(clearTimeout);
  timers = [];
  return ++asked;
}

// Titles are there at once; texts follow when one stops typing.
function ask(ms) {
  const turn = stop();
  isOld = true;
  isSearching = true;
  hasFailed = false;
  found = null;
  firstDrawn = new Promise((done) => { tellDrawn = done; });
  choose(null, false);
  tellState();
  timers.push(setTimeout(() => { if (isOld) draw(); }, patienceMs));
  timers.push(setTimeout(() => askAll(turn), ms));
  if (ms) askTitles(turn);
}

async function askTitles(turn) {
  const told = await fetchFound({ with_texts: "false" });
  if (turn !== asked || !told || !isSearching) return;
  found = told;
  draw();
}

async function askAll(turn) {
  const told = await fetchFound({});
  if (turn !== asked) return;
  found = told ?? found;
  isSearching = false;
  hasFailed = !told;
  draw();
}

function show() {
  if (!list.hidden) return;
  list.hidden = false;
  list.replaceChildren();
  options = [];
  input.setAttribute("aria-expanded", "true");
  ask(0);
}

function hide() {
  stop();
  isSearching = false;
  tellDrawn();
  list.hidden = true;
  input.setAttribute("aria-expanded", "false");
  input.removeAttribute("aria-activedescendant");
}

// Who leaves the box is where they came from.
function leave() {
  hide();
  input.value = "";
  const there = cameFrom?.isConnected ? cameFrom : null;
  cameFrom = null;
  if (there) there.focus({ preventScroll: true });
  else input.blur();
}

function open() {
  if (document.activeElement !== input) cameFrom = document.activeElement === document.body ? null : document.activeElement;
  document.querySelector("dialog[open]")?.close();
  input.focus({ preventScroll: true });
  input.select();
  show();
}

function follow(option, inTab) {
  if (!option) return;
  if (option.act) { leave(); option.act(); return; }
  if (inTab) { window.open(option.url, "_blank", "noopener"); return; }
  leave();
  location.assign(option.url);
}

// Whoever is quicker than the server gets what it shows first.
async function enter(inTab) {
  const turn = asked;
  await firstDrawn;
  if (turn === asked) follow(options[current], inTab);
}

function move(where) {
  if (isOld) draw();
  choose(where());
}

const keys = {
  ArrowDown: () => move(() => current + 1),
  ArrowUp: () => move(() => current - 1),
  Home: (event) => (event.ctrlKey ? move(() => 0) : null),
  End: (event) => (event.ctrlKey ? move(() => options.length - 1) : null),
  Enter: (event) => enter(event.ctrlKey || event.metaKey),
  Escape: () => leave(),
};

function type(event) {
  event.stopPropagation();
  if (event.isComposing || !keys[event.key] || (/^(Home|End)$/.test(event.key) && !event.ctrlKey)) return;
  event.preventDefault();
  if (list.hidden && event.key !== "Escape") { show(); return; }
  keys[event.key](event);
}

if (box) {
  input.setAttribute("role", "combobox");
  for (const [name, value] of [["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", list.id], ["aria-haspopup", "listbox"]]) input.setAttribute(name, value);
  box.querySelector("[data-shortcut]").textContent = isMac ? "⌘ K" : "Ctrl K";
  input.addEventListener("focus", (event) => { cameFrom ??= event.relatedTarget; });
  input.addEventListener("pointerdown", () => setTimeout(show));
  input.addEventListener("input", () => { if (list.hidden) show(); ask(words().length ? waitMs : 0); });
  input.addEventListener("keydown", type);
  input.addEventListener("blur", (event) => { if (!box.contains(event.relatedTarget)) { hide(); cameFrom = null; } });
  // The field keeps the focus while one clicks.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const chosen = event.target.closest("[role=option]");
    // What an earlier query has found is none of what is typed.
    const option = isOld ? null : options[Number(chosen?.dataset.number)];
    if (isOld) event.preventDefault();
    if (!option || (option.url && (event.ctrlKey || event.metaKey || event.shiftKey))) return;
    event.preventDefault();
    follow(option, false);
  });
  box.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); enter(false); });
  document.addEventListener("keydown", (event) => {
    if ((isMac ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      if (document.activeElement === input && !list.hidden) leave();
      else open();
    }
  }, { capture: true });
}

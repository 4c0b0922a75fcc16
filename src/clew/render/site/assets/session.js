// A session in the app: sections come as they are looked at, and grow while it runs.

const body = document.body;
const address = body.dataset.address;
const holder = document.querySelector("[data-sections]");
const follow = document.querySelector("[data-follow]");
const unread = document.querySelector("[data-unread]");
const isRun = "run" in body.dataset;
const waitingFor = new Map();
let words = holder.dataset.checksums.split(" ").map(Number);
let version = body.dataset.version;
let unseen = 0;
let lastY = scrollY;

function section(number) {
  return holder.querySelector(`[data-section="${number}"]`);
}

function parse(text) {
  return new DOMParser().parseFromString(text, "text/html");
}

// The other scripts hear of what is new on the page; a fork begins on its main branch.
function added(element) {
  for (const fork of element.querySelectorAll("[data-fork]")) {
    if (!fork.querySelector(":scope > [data-chosen]")) fork.querySelector(":scope > [data-main]")?.toggleAttribute("data-chosen", true);
  }
  element.dispatchEvent(new CustomEvent("clew:added", { bubbles: true }));
}

function wrap(element) {
  const piece = document.createElement("div");
  piece.className = "piece";
  piece.append(element);
  return piece;
}

async function fetchSection(number) {
  const answer = await fetch(`${address}/sections/${number}`);
  if (!answer.ok) throw new Error(`section ${number}: ${answer.status}`);
  return parse(await answer.text()).querySelector("[data-section]");
}

// Browsers keep what one reads in its place when something above it grows; the others need help.
function inPlace(place, change) {
  if (CSS.supports("overflow-anchor", "auto") || place.getBoundingClientRect().bottom > 0) return change();
  const before = document.documentElement.scrollHeight;
  change();
  return scrollBy(0, document.documentElement.scrollHeight - before);
}

// Each section is fetched once; whoever asks again waits for the same answer.
function load(number) {
  const place = section(number);
  if (!place || !("waiting" in place.dataset)) return Promise.resolve(place);
  if (!waitingFor.has(number)) {
    waitingFor.set(number, fetchSection(number).then((made) => {
      const piece = wrap(made);
      inPlace(place, () => place.replaceWith(piece));
      added(piece);
      return made;
    }).finally(() => waitingFor.delete(number)));
  }
  return waitingFor.get(number);
}

const near = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    near.unobserve(entry.target);
    load(Number(entry.target.dataset.section)).catch(() => near.observe(entry.target));
  }
}, { rootMargin: "1200px" });

for (const place of holder.querySelectorAll("[data-waiting]")) {
  place.style.minHeight = `${place.dataset.waiting}px`;
  near.observe(place);
}

// A link may lead to what is not there yet.
async function goTo(id) {
  let shown = id;
  if (!document.getElementById(id)) {
    const answer = await fetch(`${body.dataset.session}/find?${new URLSearchParams({ anchor: id })}`);
    const found = answer.ok ? await answer.json() : { section: null };
    if (found.section === null) return;
    if (!isRun) await load(found.section);
    shown = found.element;
    if (!isRun && found.run && !document.getElementById(shown)) return location.replace(`${body.dataset.session}/runs/${encodeURIComponent(found.run)}${location.search}#${shown}`);
    // Only now the browser can know what the address points at.
    if (location.hash) location.replace(`#${shown}`);
  }
  document.getElementById(shown)?.dispatchEvent(new CustomEvent("clew:go", { bubbles: true }));
}

function goToHash() {
  const id = decodeURIComponent(location.hash.slice(1));
  return id && !document.getElementById(id) ? goTo(id).catch(() => {}) : Promise.resolve();
}

addEventListener("hashchange", goToHash);
document.addEventListener("clew:wanted", (event) => { event.preventDefault(); goTo(event.detail).catch(() => {}); });

// The rest comes while nobody waits for anything, so that finding and jumping reach all of it.
async function loadRest() {
  for (;;) {
    const next = holder.querySelector("[data-waiting]");
    if (!next || document.hidden) return;
    try { await load(Number(next.dataset.section)); } catch { return; }
    await new Promise((done) => setTimeout(done, 20));
  }
}

goToHash().finally(() => ("requestIdleCallback" in window ? requestIdleCallback(loadRest) : setTimeout(loadRest, 200)));

// The lines that a message comes from, unchanged from the transcript.
const raw = document.createElement("button");
raw.type = "button";
raw.className = "raw-ask";
raw.textContent = "Raw";
raw.setAttribute("aria-label", "Show the raw lines of this message");

function offerRaw(target) {
  const message = target.closest?.("main [data-kind]");
  if (message && message.id && target !== raw && raw.parentElement !== message) message.append(raw);
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

async function readLines(message) {
  const answer = await fetch(`${body.dataset.session}/lines?${new URLSearchParams({ anchor: message.id })}`).catch(() => null);
  if (!answer?.ok) return "Cannot read these lines.";
  const { lines } = await answer.json();
  return lines.map((line) => `${line.file}, line ${line.line}\n${pretty(line.text)}`).join("\n\n");
}

async function showRaw(message) {
  const shown = message.querySelector(":scope > pre.raw");
  if (shown) { shown.remove(); return; }
  const place = document.createElement("pre");
  place.className = "raw";
  place.tabIndex = 0;
  place.setAttribute("aria-label", "Lines of the transcript");
  place.textContent = "…";
  message.append(place);
  place.textContent = await readLines(message);
}

document.addEventListener("pointerover", (event) => offerRaw(event.target));
document.addEventListener("focusin", (event) => offerRaw(event.target));
// The pointer may rest on a message before this script is there to see it come.
for (const message of document.querySelectorAll("main [data-kind]:hover")) offerRaw(message);
raw.addEventListener("click", (event) => {
  event.stopPropagation();
  showRaw(raw.closest("[data-kind]"));
});

const help = document.querySelector("#help dl");
if (help) {
  const line = help.lastElementChild.cloneNode(true);
  line.querySelector("kbd").textContent = "r";
  line.querySelector("dd").textContent = "Show raw lines";
  help.lastElementChild.before(line);
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "r" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
  const message = document.querySelector("main [data-now]") ?? event.target.closest("main [data-kind]");
  if (message) showRaw(message);
});

// Growth: only what changed is replaced, so that folds, focus and selection stay.
function visibleText(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    if (node.nodeType === Node.ELEMENT_NODE && node.matches("time, button, pre.raw")) return NodeFilter.FILTER_REJECT;
    return node.nodeType === Node.TEXT_NODE ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP;
  });
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode.data);
  return texts.join("");
}

function nameOf(details) {
  return details.id || `${details.closest("[id]")?.id} ${details.querySelector("summary")?.textContent.slice(0, 40)}`;
}

function keepFolds(before, after) {
  const open = new Set([...before.querySelectorAll("details[open]")].map(nameOf));
  for (const details of after.querySelectorAll("details")) if (open.has(nameOf(details))) details.open = true;
}

function keyOf(child, index) {
  return child.id || `${child.tagName} ${index}`;
}

function merge(old, made) {
  const known = new Map([...old.children].map((child, index) => [keyOf(child, index), child]));
  let grown = 0;
  let last = null;
  [...made.children].forEach((child, index) => {
    const before = known.get(keyOf(child, index));
    known.delete(keyOf(child, index));
    if (before && visibleText(before) === visibleText(child)) { before.className = child.className; last = before; return; }
    if (before) { keepFolds(before, child); before.replaceWith(child); } else if (last) { last.after(child); } else { old.prepend(child); }
    if (!before && child.dataset.kind) grown += 1;
    last = child;
  });
  for (const gone of known.values()) gone.remove();
  return grown;
}

function end() {
  return [...holder.querySelectorAll("[data-section]")].at(-1)?.getBoundingClientRect().bottom ?? 0;
}

function atEnd() {
  return end() <= innerHeight + 40;
}

// What was far away had a guessed height: look again when it has its own, unless the reader has left meanwhile.
function goToEnd(tries = 3) {
  if (!follow.checked) return;
  scrollBy(0, end() - innerHeight + 24);
  lastY = scrollY;
  if (tries) requestAnimationFrame(() => goToEnd(tries - 1));
}

// Going up, by whatever means, ends following; coming to the end begins it. Growth alone does neither.
function noticeScroll() {
  if (atEnd()) follow.checked = true;
  else if (scrollY < lastY) follow.checked = false;
  lastY = scrollY;
  if (unseen && follow.checked) tell(0);
}

function tell(count) {
  unseen = follow.checked || atEnd() ? 0 : unseen + count;
  unread.hidden = !unseen;
  unread.textContent = unseen ? `${unseen.toLocaleString("en")} new ${unseen === 1 ? "message" : "messages"}` : "";
}

function fill(name, markup) {
  const place = document.querySelector(`[data-piece="${name}"]`);
  const scrolled = place.firstElementChild?.scrollTop ?? 0;
  const made = parse(markup).body;
  keepFolds(place, made);
  place.replaceChildren(...made.childNodes);
  if (place.firstElementChild) place.firstElementChild.scrollTop = scrolled;
  added(place);
}

function rename(title) {
  document.title = `${title} · clew`;
  const name = document.querySelector(".top .name bdi");
  if (name) name.textContent = title;
}

// A transcript may have been rewritten, and be shorter now.
function shorten(count) {
  for (const gone of holder.querySelectorAll("[data-section]")) {
    if (Number(gone.dataset.section) >= count) (gone.closest(".piece") ?? gone).remove();
  }
}

async function growSection(number, fetched) {
  const old = section(number);
  if (old && "waiting" in old.dataset) return 0;
  const made = fetched ?? await fetchSection(number);
  if (old) {
    const grown = merge(old, made);
    added(wrapped(old));
    return grown;
  }
  const piece = wrap(made);
  holder.append(piece);
  added(piece);
  return made.querySelectorAll("[data-kind]").length;
}

function wrapped(element) {
  const parent = element.parentElement;
  if (parent.matches(".piece")) return parent;
  const piece = document.createElement("div");
  piece.className = "piece";
  element.replaceWith(piece);
  piece.append(element);
  return piece;
}

async function growSession() {
  const answer = await fetch(`${address}/frame`);
  if (!answer.ok) return;
  const frame = await answer.json();
  if (frame.version === version) return;
  rename(frame.title);
  fill("facts", frame.facts);
  fill("outline", frame.outline);
  document.dispatchEvent(new CustomEvent("clew:marks", { detail: JSON.parse(frame.marks) }));
  document.dispatchEvent(new CustomEvent("clew:filters", { detail: frame.filters }));
  let count = 0;
  for (const [number, word] of frame.words.entries()) {
    if (word !== words[number]) count += await growSection(number);
  }
  shorten(frame.words.length);
  words = frame.words;
  version = frame.version;
  tell(count);
}

// The page of a run holds all of it, so that it is asked for again as a whole.
async function growRun() {
  const answer = await fetch(address);
  if (!answer.ok) return;
  const page = parse(await answer.text());
  if (page.body.dataset.version === version) return;
  for (const name of ["facts", "outline"]) fill(name, page.querySelector(`[data-piece="${name}"]`).innerHTML);
  document.dispatchEvent(new CustomEvent("clew:marks", { detail: JSON.parse(page.getElementById("marks").textContent) }));
  document.dispatchEvent(new CustomEvent("clew:filters", { detail: page.querySelector("[data-filters]").innerHTML }));
  rename(page.title.replace(/ · clew$/, ""));
  let count = 0;
  const sections = page.querySelectorAll("[data-section]");
  for (const made of sections) count += await growSection(Number(made.dataset.section), made);
  shorten(sections.length);
  version = page.body.dataset.version;
  tell(count);
}

let growing = Promise.resolve();

function grow() {
  growing = growing.then(isRun ? growRun : growSession).then(() => goToEnd()).catch(() => {});
}

let news = null;

// A browser has few connections for each server: pages that nobody sees give theirs back.
function listen() {
  if (document.hidden) { news?.close(); news = null; return; }
  // What a link shares is not followed.
  if (news || !window.EventSource || !body.dataset.session.startsWith("/sessions/")) return;
  news = new EventSource(`/api${body.dataset.session}/events`);
  for (const name of ["change", "ready"]) news.addEventListener(name, grow);
}

document.addEventListener("visibilitychange", () => { listen(); if (!document.hidden) loadRest(); });
function followNow() {
  follow.checked = true;
  tell(0);
  goToEnd();
}

addEventListener("scroll", noticeScroll, { passive: true });
follow.addEventListener("change", () => { if (follow.checked) followNow(); });
unread.addEventListener("click", followNow);
if (body.dataset.growing === "yes" && !location.hash) follow.checked = atEnd();
listen();

// A session in the app: raw lines, and growth while it runs.

import { added, fetchSection, holder, loadEnd, loadRest, parse, section, wrap } from "./sections.js";

const body = document.body;
const address = body.dataset.address;
const follow = document.querySelector("[data-follow]");
const unread = document.querySelector("[data-unread]");
const isRun = "run" in body.dataset;
let words = holder.dataset.checksums.split(" ").map(Number);
let version = body.dataset.version;
let marks = JSON.parse(document.getElementById("marks").textContent);
let unseen = 0;
let lastY = scrollY;
let movedAt = -Infinity;

// The lines that a message comes from, unchanged from the transcript: a link that masks has none.
const hasLines = !("masked" in body.dataset);
const raw = document.createElement("button");
raw.type = "button";
raw.className = "raw-ask";
raw.textContent = "Raw";
raw.setAttribute("aria-label", "Show the raw lines of this message");

function offerRaw(target) {
  if (!hasLines) return;
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
if (help && hasLines) {
  const line = help.lastElementChild.cloneNode(true);
  line.querySelector("kbd").textContent = "r";
  line.querySelector("dd").textContent = "Show raw lines";
  help.lastElementChild.before(line);
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "r" || !hasLines || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
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

// A page that became shorter moves by itself; a reader has just used the wheel, a key or a finger.
function isMoving() {
  return performance.now() - movedAt < 1000;
}

// Going up, by whatever means and however little, ends following; coming to the end begins it. Growth alone does neither.
function noticeScroll() {
  if (scrollY < lastY && (isMoving() || !atEnd())) follow.checked = false;
  else if (scrollY > lastY && atEnd()) follow.checked = true;
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
  // What has grown may wait no more, or for something else.
  document.querySelector("[data-waits]")?.remove();
  fill("facts", frame.facts);
  fill("outline", frame.outline);
  fill("agents", frame.agents);
  const known = new Set(marks.map(([id]) => id));
  marks = JSON.parse(frame.marks);
  document.dispatchEvent(new CustomEvent("clew:marks", { detail: marks }));
  document.dispatchEvent(new CustomEvent("clew:filters", { detail: frame.filters }));
  let count = 0;
  for (const [number, word] of frame.words.entries()) {
    if (word === words[number]) continue;
    const isAway = section(number)?.matches("[data-waiting]");
    count += isAway ? marks.filter(([id, , , own]) => own === number && !known.has(id)).length : await growSection(number);
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
  for (const name of ["facts", "outline", "agents"]) fill(name, page.querySelector(`[data-piece="${name}"]`).innerHTML);
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
  loadEnd().finally(() => goToEnd());
}

for (const name of ["wheel", "touchmove", "keydown"]) addEventListener(name, () => { movedAt = performance.now(); }, { passive: true, capture: true });
addEventListener("scroll", noticeScroll, { passive: true });
follow.addEventListener("change", () => { if (follow.checked) followNow(); });
unread.addEventListener("click", followNow);
if (body.dataset.growing === "yes" && !location.hash) follow.checked = atEnd();
listen();

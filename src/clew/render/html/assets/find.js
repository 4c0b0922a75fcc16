// Find in the session: all that is shown at this detail, closed folds and sections that are not on the page included.
const input = document.getElementById("find");
const box = input.closest("search");
const counter = box.querySelector("[data-found]");
const most = 5000;
const patience = 3000;
const under = 26 + (parseInt(getComputedStyle(document.documentElement).getPropertyValue("--bar"), 10) || 44);
// What messages contain is hidden as in the stylesheet.
const contents = { tool_call: ".tool-call, .parallel, .reply", thinking: '.thinking, .answer[data-level="4"]', agent_run: ":is(details, p).agent-run" };
// The first words of a closed fold are hidden when it is open, where its contents begin with them.
const repeated = ".thinking > summary";
const paints = "highlights" in CSS ? { all: new Highlight(), now: new Highlight() } : null;
// Matches from the section on where the reader was, and those above it; each names its section, message and number in it.
let after = [];
let before = [];
let current = null;
let now = null;
let found = new Set();
const painted = new Map();
let asked = 0;
let isScanning = false;
let owed = 0;
let steps = 0;
// The match that somebody came for.
let wanted = null;

if (paints) {
  CSS.highlights.set("found", paints.all);
  CSS.highlights.set("found-now", paints.now);
  paints.now.priority = 1;
}

// What keeps its contents from being seen, however many folds are opened: the detail, and kinds that are off.
function hiding() {
  const level = shownLevel();
  const off = document.body.dataset.off.split(" ").filter(Boolean);
  const levels = [2, 3, 4].filter((one) => one > level).map((one) => `[data-level="${one}"]`);
  const kinds = off.map((kind) => contents[kind] ?? `[data-kind="${kind}"]`);
  return [...levels, ...kinds, document.body.dataset.hiding].filter(Boolean).join(", ") || ":not(*)";
}

function texts(message, hidden) {
  const walker = document.createTreeWalker(message, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    if (node.nodeType === Node.TEXT_NODE) return NodeFilter.FILTER_ACCEPT;
    const data = node.dataset ?? {};
    if (data.kind || node.matches(hidden) || node.matches(repeated) || node.ariaHidden === "true" || node.tagName === "BUTTON") return NodeFilter.FILTER_REJECT;
    return NodeFilter.FILTER_SKIP;
  });
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
}

function rangesIn(message, words, hidden = hiding()) {
  const nodes = texts(message, hidden);
  const text = lower(nodes.map((node) => node.data).join(""));
  const ranges = [];
  let index = 0;
  let before = 0;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
    while (before + nodes[index].length <= at) before += nodes[index++].length;
    ranges.push(rangeAt(nodes, index, at - before, words.length));
  }
  return ranges;
}

function rangeAt(nodes, index, start, length) {
  const range = new Range();
  range.setStart(nodes[index], start);
  let end = index;
  let left = start + length;
  while (left > nodes[end].length) left -= nodes[end++].length;
  range.setEnd(nodes[end], left);
  return range;
}

// Lower case that keeps every letter where it stands: some letters become two.
function lower(text) {
  const lowered = text.toLowerCase();
  return lowered.length === text.length ? lowered : [...text].map((letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter)).join("");
}

// The outline shows prompts too, if only their first lines.
function shownLevel() {
  return Math.max(Number(document.body.dataset.detail), 1);
}

// The message on top of the window; between two of them it is the lower one.
function topMessage() {
  const talk = document.getElementById("talk").getBoundingClientRect();
  for (let y = under; y < innerHeight; y += 8) {
    const message = document.elementFromPoint(talk.left + talk.width / 2, y)?.closest("main [data-kind]");
    if (message) return message;
  }
  return null;
}

function numberOf(element) {
  return Number(element?.closest("[data-section]")?.dataset.section ?? 0);
}

function matches() {
  return [...before, ...after];
}

function search(from = topMessage()) {
  const words = input.value.toLowerCase();
  const turn = ++asked;
  after = [];
  before = [];
  found = new Set();
  current = null;
  wanted = null;
  owed = 0;
  isScanning = words.length > 0;
  clear();
  box.toggleAttribute("data-on", words.length > 0);
  for (const button of box.querySelectorAll("button")) button.hidden = words.length === 0;
  if (words.length === 0) { counter.textContent = ""; return; }
  scan(words, turn, numberOf(from));
}

// A section as it is on the page, or whole from whoever sent it in pieces.
async function wholeSection(number) {
  const section = document.querySelector(`main [data-section="${number}"]`);
  if (!section || (!("waiting" in section.dataset) && !section.querySelector("[data-left]"))) return section;
  const wait = [];
  document.dispatchEvent(new CustomEvent("clew:whole", { detail: { section: number, wait } }));
  return (await Promise.all(wait).catch(() => []))[0] ?? section;
}

function matchesIn(section, words, number) {
  const hidden = hiding();
  const own = [];
  for (const message of section?.querySelectorAll("[data-kind]") ?? []) {
    if (message.closest(hidden) || !message.textContent.toLowerCase().includes(words)) continue;
    const count = message.isConnected && message.ownerDocument === document ? paintAll(message, words) : rangesIn(message, words).length;
    if (count) found.add(message.id);
    for (let nth = 0; nth < count; nth += 1) own.push({ section: number, id: message.id, nth });
  }
  return own;
}

// From where the reader is to the end, then from the beginning: the next match is known first.
async function scan(words, turn, first) {
  const numbers = [...document.querySelectorAll("main [data-section]")].map((section) => Number(section.dataset.section));
  const start = Math.max(numbers.indexOf(first), 0);
  const order = [...numbers.slice(start), ...numbers.slice(0, start)];
  let end = performance.now() + 25;
  let coming = wholeSection(order[0]);
  for (let index = 0; index < order.length && after.length + before.length < most; index += 1) {
    const section = await coming;
    if (turn !== asked) return;
    coming = wholeSection(order[index + 1]);
    const list = index < numbers.length - start ? after : before;
    list.push(...matchesIn(section, words, order[index]));
    if (performance.now() < end) continue;
    tell();
    if (owed) step(owed);
    await new Promise((done) => setTimeout(done));
    if (turn !== asked) return;
    end = performance.now() + 25;
  }
  isScanning = false;
  tell();
  if (owed) step(owed);
}

// Every match in a message that is on the page is painted.
function paintAll(message, words) {
  forget(message);
  const ranges = rangesIn(message, words);
  for (const range of ranges) paints?.all.add(range);
  painted.set(message, ranges);
  return ranges.length;
}

function forget(message) {
  for (const range of painted.get(message) ?? []) paints?.all.delete(range);
  painted.delete(message);
}

function tell() {
  const all = matches();
  const many = all.length >= most ? `${most}+` : String(all.length);
  counter.textContent = current === null ? many : `${all.indexOf(current) + 1} / ${many}`;
}

function clear() {
  paints?.all.clear();
  paints?.now.clear();
  painted.clear();
  now = null;
  for (const mark of document.querySelectorAll("mark[data-mark]")) mark.replaceWith(...mark.childNodes);
}

// The first match from what is on top of the window on.
function nearest() {
  const top = topMessage();
  const number = numberOf(top);
  return matches().find((match) => {
    if (!top || match.section !== number) return !top || match.section > number;
    const message = document.getElementById(match.id);
    return !message || message === top || Boolean(top.compareDocumentPosition(message) & Node.DOCUMENT_POSITION_FOLLOWING);
  });
}

// The match to go to; nothing while it may still be found.
function chosen(by) {
  const all = matches();
  const own = current === null && wanted && all.find((match) => match.id === wanted.id && match.nth === wanted.nth);
  if (own || (current === null && wanted && isScanning)) return own ?? null;
  if (current === null) return nearest() ?? (isScanning ? null : all[0]);
  const index = all.indexOf(current) + by;
  if (isScanning && (index >= all.length || index < before.length)) return null;
  return all[(index + all.length) % all.length];
}

async function step(by) {
  const next = chosen(by);
  owed = next || !isScanning ? 0 : by;
  if (!next) return;
  current = next;
  tell();
  const own = ++steps;
  const wait = [];
  if (!document.getElementById(next.id)) document.dispatchEvent(new CustomEvent("clew:need", { detail: { ...next, wait } }));
  await Promise.all(wait).catch(() => {});
  const message = document.getElementById(next.id);
  if (own !== steps || !message) return;
  now = rangesIn(message, input.value.toLowerCase())[next.nth] ?? null;
  if (now) show(own);
}

function show(own) {
  const holder = now.startContainer.parentElement;
  for (let element = holder; element; element = element.parentElement) {
    if (element instanceof HTMLDetailsElement) element.open = true;
  }
  holder.dispatchEvent(new CustomEvent("clew:reveal", { bubbles: true }));
  paint(now);
  scrollToCurrent(own);
  document.dispatchEvent(new CustomEvent("clew:arrived", { detail: now }));
}

// What is far away has a guessed height until it is near: look again when it has its own.
function scrollToCurrent(own, tries = 4) {
  const range = now;
  if (own !== steps || !range) return;
  const rect = range.getBoundingClientRect();
  const target = rect.height ? rect : range.startContainer.parentElement.getBoundingClientRect();
  if (target.top < under || target.bottom > innerHeight - 40) scrollBy(0, target.top - innerHeight / 3);
  if (tries > 0) requestAnimationFrame(() => requestAnimationFrame(() => scrollToCurrent(own, tries - 1)));
}

function paint(range) {
  if (paints) { paints.now.clear(); paints.now.add(range); return; }
  clear();
  now = range;
  const mark = document.createElement("mark");
  mark.dataset.mark = "";
  try { range.surroundContents(mark); range.selectNodeContents(mark); } catch { getSelection().setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset); }
}

// Code that gets its colours, and a section that comes again, have new text nodes: what was found in them is found again.
function paintAgain(message) {
  if (!message || !found.has(message.id) || !input.value) return;
  paintAll(message, input.value.toLowerCase());
  if (current?.id !== message.id) return;
  now = painted.get(message)[current.nth] ?? null;
  if (now) paint(now);
}

let timer = 0;

function searchNow() {
  clearTimeout(timer);
  timer = 0;
  search();
}

input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(searchNow, 120); });
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") { if (timer) searchNow(); step(event.shiftKey ? -1 : 1); event.preventDefault(); }
  if (event.key === "Escape") { input.value = ""; searchNow(); input.blur(); }
});
box.addEventListener("click", (event) => {
  const action = event.target.closest("[data-do]")?.dataset.do;
  if (action === "next") step(1);
  if (action === "previous") step(-1);
});
document.addEventListener("clew:find", () => { input.focus({ preventScroll: true }); input.select(); });
document.addEventListener("clew:step", (event) => step(event.detail));
document.addEventListener("clew:coloured", (event) => paintAgain(event.target.closest("[data-kind]")));
document.addEventListener("clew:added", (event) => { for (const message of found.size ? event.target.querySelectorAll("[data-kind]") : []) paintAgain(message); });
document.addEventListener("clew:released", (event) => { for (const message of event.target.querySelectorAll("[data-kind]")) forget(message); });
document.addEventListener("clew:shown", () => { if (input.value) search(); });

// Whoever comes from a search sees what was found there, as soon as the other scripts can fetch it.
function takeFound() {
  try {
    const kept = sessionStorage.getItem("clew-found");
    sessionStorage.removeItem("clew-found");
    const [path, words] = JSON.parse(kept ?? "[]");
    const isHere = path && (location.pathname === path || location.pathname.startsWith(`${path}/runs/`));
    return isHere && words.length && !input.value ? { kept, words } : null;
  } catch { return null; /* A browser without storage marks nothing. */ }
}

function ask(words, from) {
  input.value = words;
  search(from);
}

// Of the words that were found, the first that is in a place; where all are hidden, more is shown.
function aim(message, target, words) {
  for (const hidden of [hiding(), ":not(*)"]) {
    for (const word of words) {
      const range = rangesIn(message, word.toLowerCase(), hidden).find((one) => target.contains(one.startContainer));
      if (!range) continue;
      const level = Number(range.startContainer.parentElement.closest("[data-level]")?.dataset.level ?? 0);
      if (level > shownLevel()) document.dispatchEvent(new CustomEvent("clew:detail", { detail: level }));
      const nth = rangesIn(message, word.toLowerCase()).findIndex((one) => target.contains(one.startContainer));
      ask(word, message);
      if (nth < 0) return;
      wanted = { id: message.id, nth };
      step(1);
      return;
    }
  }
  ask(words[0], message);
}

async function markIn(target, words) {
  const wait = [];
  if (target.querySelector("[data-left]")) target.dispatchEvent(new CustomEvent("clew:fill", { bubbles: true, detail: { wait } }));
  await Promise.all(wait).catch(() => {});
  const message = target.closest("[data-kind]");
  // Somebody may have typed other words meanwhile.
  if (input.value !== words[0]) return;
  if (message) aim(message, target, words);
  else ask(words[0], target);
}

function arrive() {
  const found = takeFound();
  if (!found) return;
  const { words } = found;
  input.value = words[0];
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target || !location.hash) { markIn(target ?? document.body, words); return; }
  // The place may be gone, or on the page of a run.
  const late = setTimeout(search, patience);
  const pass = () => { try { sessionStorage.setItem("clew-found", found.kept); } catch { /* Then it marks nothing. */ } };
  addEventListener("pagehide", pass);
  document.addEventListener("clew:arrived", (event) => {
    clearTimeout(late);
    removeEventListener("pagehide", pass);
    if (event.detail instanceof Element) markIn(event.detail, words);
  }, { once: true });
}

addEventListener("DOMContentLoaded", arrive);

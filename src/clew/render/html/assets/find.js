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
// What is looked for, in small letters: the text as it was typed, or each of its words and phrases.
let terms = [];
let isAnyWord = false;
// Forms of the words that a search has found besides those that are typed.
let forms = [];

// Several words are a phrase or, where they come from a search, words that stand anywhere.
const choice = document.createElement("button");
choice.type = "button";
choice.className = "any-word";
choice.textContent = "any word";
choice.title = "Find each of these words, not all of them side by side";
choice.dataset.do = "any-word";
choice.hidden = true;
counter.after(choice);

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

// Words, and phrases between quotation marks.
function split(text) {
  return [...text.matchAll(/"([^"]+)"?|([^\s"]+)/g)].map(([, phrase, word]) => phrase ?? word);
}

function typedTerms() {
  const text = input.value;
  if (!isAnyWord) return text ? [text.toLowerCase()] : [];
  return [...new Set([...split(text), ...forms].map((one) => one.toLowerCase()))];
}

function pattern(some) {
  const escaped = [...some].sort((a, b) => b.length - a.length).map((one) => one.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  return new RegExp(escaped.join("|"), "g");
}

function rangesIn(message, some = terms, hidden = hiding()) {
  const nodes = texts(message, hidden);
  const text = lower(nodes.map((node) => node.data).join(""));
  const ranges = [];
  let index = 0;
  let before = 0;
  for (const { index: at, 0: words } of text.matchAll(pattern(some))) {
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
  terms = typedTerms();
  const turn = ++asked;
  after = [];
  before = [];
  found = new Set();
  current = null;
  wanted = null;
  owed = 0;
  isScanning = terms.length > 0;
  clear();
  box.toggleAttribute("data-on", terms.length > 0);
  for (const button of box.querySelectorAll("button")) button.hidden = terms.length === 0;
  choice.hidden = split(input.value).length < 2;
  choice.setAttribute("aria-pressed", String(isAnyWord));
  if (terms.length === 0) { counter.textContent = ""; tellMap(); return; }
  tell();
  scan(turn, numberOf(from));
}

// What was found is no answer to what is typed now.
function forget() {
  asked += 1;
  steps += 1;
  isScanning = input.value.length > 0;
  after = [];
  before = [];
  found = new Set();
  current = null;
  clear();
  if (isScanning) tell();
}

// A section as it is on the page, or whole from whoever sent it in pieces.
async function wholeSection(number) {
  const section = document.querySelector(`main [data-section="${number}"]`);
  if (!section || (!("waiting" in section.dataset) && !section.querySelector("[data-left]"))) return section;
  const wait = [];
  document.dispatchEvent(new CustomEvent("clew:whole", { detail: { section: number, wait } }));
  return (await Promise.all(wait).catch(() => []))[0] ?? section;
}

function matchesIn(section, number) {
  const hidden = hiding();
  const own = [];
  for (const message of section?.querySelectorAll("[data-kind]") ?? []) {
    if (message.closest(hidden)) continue;
    const text = message.textContent.toLowerCase();
    if (!terms.some((term) => text.includes(term))) continue;
    const count = message.isConnected && message.ownerDocument === document ? paintAll(message) : rangesIn(message).length;
    if (count) found.add(message.id);
    for (let nth = 0; nth < count; nth += 1) own.push({ section: number, id: message.id, nth });
  }
  return own;
}

// From where the reader is to the end, then from the beginning: the next match is known first.
async function scan(turn, first) {
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
    list.push(...matchesIn(section, order[index]));
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
function paintAll(message) {
  unpaint(message);
  const ranges = rangesIn(message);
  for (const range of ranges) paints?.all.add(range);
  painted.set(message, ranges);
  return ranges.length;
}

function unpaint(message) {
  for (const range of painted.get(message) ?? []) paints?.all.delete(range);
  painted.delete(message);
}

// The map shows where something was found.
function tellMap() {
  document.dispatchEvent(new CustomEvent("clew:found", { detail: found }));
}

function tell() {
  tellMap();
  const all = matches();
  const many = all.length >= most ? `${most}+` : `${all.length || !isScanning ? all.length : ""}${isScanning ? "…" : ""}`;
  counter.title = isScanning ? "Searching…" : "";
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
  now = rangesIn(message)[next.nth] ?? null;
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
  else settle();
}

function settle() {
  document.dispatchEvent(new CustomEvent("clew:settled", { detail: { isLast: true } }));
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
  paintAll(message);
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

input.addEventListener("input", () => {
  clearTimeout(timer);
  forms = [];
  if (!input.value) isAnyWord = false;
  forget();
  timer = setTimeout(searchNow, 120);
});
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") { if (timer) searchNow(); step(event.shiftKey ? -1 : 1); event.preventDefault(); }
  if (event.key === "Escape") { input.value = ""; isAnyWord = false; searchNow(); input.blur(); }
});
box.addEventListener("click", (event) => {
  const action = event.target.closest("[data-do]")?.dataset.do;
  if (action === "next") step(1);
  if (action === "previous") step(-1);
  if (action === "any-word") { isAnyWord = !isAnyWord; searchNow(); }
});
document.addEventListener("clew:find", () => { input.focus({ preventScroll: true }); input.select(); });
document.addEventListener("clew:step", (event) => step(event.detail));
document.addEventListener("clew:coloured", (event) => paintAgain(event.target.closest("[data-kind]")));
document.addEventListener("clew:added", (event) => { for (const message of found.size ? event.target.querySelectorAll("[data-kind]") : []) paintAgain(message); });
document.addEventListener("clew:released", (event) => { for (const message of event.target.querySelectorAll("[data-kind]")) unpaint(message); });
document.addEventListener("clew:shown", () => { if (input.value) search(); });

// Whoever comes from a search sees what was found there, as soon as the other scripts can fetch it: `words` of the text,
// and what was `asked` for.
function takeFound() {
  try {
    const kept = sessionStorage.getItem("clew-found");
    sessionStorage.removeItem("clew-found");
    const [path, words, asked] = JSON.parse(kept ?? "[]");
    const isHere = path && (location.pathname === path || location.pathname.startsWith(`${path}/runs/`));
    return isHere && words.length && !input.value ? { kept, words, asked: asked?.length ? asked : [words[0]] } : null;
  } catch { return null; /* A browser without storage marks nothing. */ }
}

function enterTerms({ words, asked }) {
  isAnyWord = asked.length > 1;
  // What holds a word that is asked for needs no mark of its own.
  const typed = asked.map((one) => one.toLowerCase());
  forms = isAnyWord ? words.filter((word) => !typed.some((one) => word.toLowerCase().includes(one))) : [];
  const isElsewhere = !isAnyWord && !words.some((word) => word.toLowerCase().includes(typed[0]));
  input.value = isAnyWord ? asked.map((one) => (/\s/.test(one) ? `"${one}"` : one)).join(" ") : isElsewhere ? words[0] : asked[0];
  terms = typedTerms();
  return input.value;
}

// Of the words that were found, the first that is in a place; where all are hidden, more is shown.
function aim(message, target, words) {
  for (const hidden of [hiding(), ":not(*)"]) {
    for (const word of words) {
      const range = rangesIn(message, [word.toLowerCase()], hidden).find((one) => target.contains(one.startContainer));
      if (!range) continue;
      const level = Number(range.startContainer.parentElement.closest("[data-level]")?.dataset.level ?? 0);
      if (level > shownLevel()) document.dispatchEvent(new CustomEvent("clew:detail", { detail: level }));
      const nth = rangesIn(message).findIndex((one) => target.contains(one.startContainer) && one.compareBoundaryPoints(Range.START_TO_END, range) > 0);
      search(message);
      if (nth < 0) { settle(); return; }
      wanted = { id: message.id, nth };
      step(1);
      return;
    }
  }
  search(message);
  settle();
}

async function markIn(target, words) {
  const text = input.value;
  const wait = [];
  if (target.querySelector("[data-left]")) target.dispatchEvent(new CustomEvent("clew:fill", { bubbles: true, detail: { wait } }));
  await Promise.all(wait).catch(() => {});
  const message = target.closest("[data-kind]");
  // Somebody may have typed other words meanwhile.
  if (input.value !== text) { settle(); return; }
  if (message) { aim(message, target, words); return; }
  search(target);
  settle();
}

function arrive() {
  const found = takeFound();
  if (!found) {
    // What was found is on another page: only the place is waited for.
    if (document.documentElement.dataset.arriving) document.documentElement.dataset.arriving = "place";
    return;
  }
  const { words } = found;
  const text = enterTerms(found);
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target || !location.hash) { markIn(target ?? document.body, words); return; }
  // The place may be gone, or on the page of a run.
  const late = setTimeout(search, patience);
  const pass = () => { try { sessionStorage.setItem("clew-found", found.kept); } catch { /* Then it marks nothing. */ } };
  addEventListener("pagehide", pass);
  document.addEventListener("clew:arrived", (event) => {
    clearTimeout(late);
    removeEventListener("pagehide", pass);
    if (event.detail instanceof Element && input.value === text) markIn(event.detail, words);
  }, { once: true });
}

addEventListener("DOMContentLoaded", arrive);

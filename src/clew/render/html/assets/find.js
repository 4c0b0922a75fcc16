// Find in the session: all that is shown at this detail, closed folds included.
const input = document.getElementById("find");
const box = input.closest("search");
const counter = box.querySelector("[data-found]");
const most = 5000;
// What messages contain is hidden as in the stylesheet.
const contents = { tool_call: ".tool-call, .parallel, .reply", thinking: '.thinking, .answer[data-level="4"]', agent_run: ":is(details, p).agent-run" };
const paints = "highlights" in CSS ? { all: new Highlight(), now: new Highlight() } : null;
let matches = [];
let current = -1;
let asked = 0;
let isScanning = false;
let owed = 0;
let steps = 0;

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

function texts(message) {
  const hidden = hiding();
  const walker = document.createTreeWalker(message, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    if (node.nodeType === Node.TEXT_NODE) return NodeFilter.FILTER_ACCEPT;
    const data = node.dataset ?? {};
    if (data.kind || node.matches(hidden) || node.ariaHidden === "true" || node.tagName === "BUTTON") return NodeFilter.FILTER_REJECT;
    return NodeFilter.FILTER_SKIP;
  });
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
}

function rangesIn(message, words) {
  const nodes = texts(message);
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

function shownMessages() {
  const hidden = hiding();
  return [...document.querySelectorAll("main [data-kind]")].filter((message) => !message.closest(hidden));
}

function search() {
  const words = input.value.toLowerCase();
  const turn = ++asked;
  matches = [];
  current = -1;
  owed = 0;
  isScanning = words.length > 0;
  clear();
  box.toggleAttribute("data-on", words.length > 0);
  for (const button of box.querySelectorAll("button")) button.hidden = words.length === 0;
  if (words.length === 0) { counter.textContent = ""; return; }
  scan(shownMessages(), words, 0, turn);
}

function scan(messages, words, from, turn) {
  if (turn !== asked) return;
  const end = performance.now() + 25;
  let next = from;
  while (next < messages.length && matches.length < most && performance.now() < end) {
    const message = messages[next++];
    if (message.textContent.toLowerCase().includes(words)) {
      for (const range of rangesIn(message, words)) { matches.push(range); paints?.all.add(range); }
    }
  }
  tell();
  isScanning = next < messages.length && matches.length < most;
  if (isScanning) setTimeout(() => scan(messages, words, next, turn));
  else if (owed) step(owed);
}

function tell() {
  const many = matches.length >= most ? `${most}+` : String(matches.length);
  counter.textContent = current < 0 ? many : `${current + 1} / ${many}`;
}

function clear() {
  paints?.all.clear();
  paints?.now.clear();
  for (const mark of document.querySelectorAll("mark[data-mark]")) mark.replaceWith(...mark.childNodes);
}

// The first match from what is on top of the window on.
function nearest() {
  const talk = document.getElementById("talk").getBoundingClientRect();
  let top = null;
  // Between two messages it is the lower one.
  for (let y = 70; !top && y < innerHeight; y += 8) top = document.elementFromPoint(talk.left + talk.width / 2, y)?.closest("main [data-kind]");
  const index = top ? matches.findIndex((range) => top.compareDocumentPosition(range.startContainer) & Node.DOCUMENT_POSITION_FOLLOWING) : 0;
  return Math.max(index, 0);
}

function step(by) {
  // The first match from here on is known when all are.
  if (isScanning && current < 0) { owed = by; return; }
  if (matches.length === 0) return;
  current = current < 0 ? nearest() : (current + by + matches.length) % matches.length;
  const range = matches[current];
  const holder = range.startContainer.parentElement;
  for (let element = holder; element; element = element.parentElement) {
    if (element instanceof HTMLDetailsElement) element.open = true;
  }
  holder.dispatchEvent(new CustomEvent("clew:reveal", { bubbles: true }));
  paint(range);
  scrollToCurrent(++steps);
  tell();
}

// What is far away has a guessed height until it is near: look again when it has its own.
function scrollToCurrent(own, tries = 4) {
  const range = matches[current];
  if (own !== steps || !range) return;
  const rect = range.getBoundingClientRect();
  const target = rect.height ? rect : range.startContainer.parentElement.getBoundingClientRect();
  if (target.top < 70 || target.bottom > innerHeight - 40) scrollBy(0, target.top - innerHeight / 3);
  if (tries > 0) requestAnimationFrame(() => requestAnimationFrame(() => scrollToCurrent(own, tries - 1)));
}

function paint(range) {
  if (paints) { paints.now.clear(); paints.now.add(range); return; }
  clear();
  const mark = document.createElement("mark");
  mark.dataset.mark = "";
  try { range.surroundContents(mark); range.selectNodeContents(mark); } catch { getSelection().setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset); }
}

// Code that gets its colours has new text nodes: what was found in it is found again.
function findAgain(message) {
  const first = matches.findIndex((range) => message.contains(range.startContainer));
  if (first < 0) return;
  const last = matches.findLastIndex((range) => message.contains(range.startContainer));
  const ranges = rangesIn(message, input.value.toLowerCase());
  for (const range of matches.splice(first, last - first + 1, ...ranges)) paints?.all.delete(range);
  for (const range of ranges) paints?.all.add(range);
  if (current >= first && current < first + ranges.length) paint(matches[current]);
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
document.addEventListener("clew:coloured", (event) => findAgain(event.target.closest("[data-kind]")));
document.addEventListener("clew:shown", () => { if (input.value) search(); });

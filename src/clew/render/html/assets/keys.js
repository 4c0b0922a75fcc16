// Keys: one hand moves through the session.
const line = 70;
let now = null;
let marked = null;

function isShown(element) {
  return element.checkVisibility ? element.checkVisibility() : element.getClientRects().length > 0;
}

// Whether folds alone keep an element from being seen: the outermost closed one is in sight.
function isFolded(element) {
  let outermost = null;
  for (let fold = element.parentElement; fold; fold = fold.parentElement) if (fold instanceof HTMLDetailsElement && !fold.open) outermost = fold;
  const level = Number(element.closest("[data-level]")?.dataset.level ?? 0);
  return outermost !== null && isShown(outermost) && level <= Number(document.body.dataset.detail);
}

// Where the reader is: where a key led last, if that is still in view, else what is on top.
function place() {
  if (now?.isConnected && isShown(now)) {
    const box = now.getBoundingClientRect();
    if (box.bottom > 0 && box.top < innerHeight) return now;
  }
  return messageAt(line);
}

function messageAt(y) {
  const talk = document.getElementById("talk").getBoundingClientRect();
  return document.elementFromPoint(talk.left + talk.width / 2, y)?.closest("main [data-kind]") ?? null;
}

// Between two messages one is nowhere: what comes next is the first one below.
function below() {
  for (let y = line; y < innerHeight; y += 8) {
    const found = messageAt(y);
    if (found) return found;
  }
  return null;
}

function mark(element) {
  marked?.removeAttribute("data-now");
  marked = element.closest("[data-kind]") ?? element;
  marked.setAttribute("data-now", "");
  now = element;
}

function isAfter(first, second) {
  return first !== second && Boolean(first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING);
}

// The first of these elements that comes after one: they are in document order, so few are compared.
function firstAfter(found, from) {
  let low = 0;
  let high = found.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(from, found[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

function step(selector, by, opens = false) {
  const found = document.querySelectorAll(selector);
  const from = place();
  const next = from ? null : below();
  let index = from || next ? firstAfter(found, from ?? next) : scrollY < innerHeight ? 0 : found.length;
  if (next && found[index - 1] === next) index -= 1;
  if (by < 0) index -= from && found[index - 1] === from ? 2 : 1;
  while (found[index] && !isShown(found[index]) && !(opens && isFolded(found[index]))) index += by;
  if (!found[index]) return;
  if (!isShown(found[index])) found[index].dispatchEvent(new CustomEvent("clew:reveal", { bubbles: true }));
  go(found[index]);
}

function go(target) {
  mark(target);
  marked.focus({ preventScroll: true });
  target.scrollIntoView({ block: "start" });
}

function open() {
  const from = place() ?? below();
  if (!from) return;
  if (from instanceof HTMLDetailsElement) { from.open = !from.open; return; }
  const folds = [...from.querySelectorAll("details")].filter((details) => details.parentElement.closest("details, [data-kind]") === from && isShown(details));
  const isOpen = folds.some((details) => !details.open);
  for (const details of folds) details.open = isOpen;
}

// Of a turn that is folded, its button is left.
const folded = "main .turn[data-folded] [data-do=turn]";
const any = `main [data-kind], ${folded}`;
const deeds = {
  j: () => step(any, 1),
  k: () => step(any, -1),
  n: () => step(`main [data-kind=prompt], ${folded}`, 1),
  p: () => step(`main [data-kind=prompt], ${folded}`, -1),
  e: () => step("main [data-error]", 1, true),
  E: () => step("main [data-error]", -1, true),
  o: open,
  t: () => (place() ?? below())?.dispatchEvent(new CustomEvent("clew:turn", { bubbles: true })),
  g: () => scrollTo(0, 0),
  G: () => scrollTo(0, document.body.scrollHeight),
  f: () => document.dispatchEvent(new CustomEvent("clew:menu")),
  d: () => detail(1),
  D: () => detail(-1),
  c: () => (place() ?? below())?.closest("[data-kind]")?.dispatchEvent(new CustomEvent("clew:copy", { bubbles: true })),
  "/": () => document.dispatchEvent(new CustomEvent("clew:find")),
  "?": () => document.dispatchEvent(new CustomEvent("clew:help")),
};

function detail(by) {
  document.dispatchEvent(new CustomEvent("clew:detail", { detail: Number(document.body.dataset.detail) + by }));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), select, textarea, dialog")) return;
  const deed = deeds[event.key];
  if (!deed) return;
  event.preventDefault();
  deed();
});
document.addEventListener("clew:now", (event) => mark(event.detail));

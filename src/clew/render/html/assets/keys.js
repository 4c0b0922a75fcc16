// Keys: one hand moves through the session.
const line = 26 + (parseInt(getComputedStyle(document.documentElement).getPropertyValue("--bar"), 10) || 44);
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

let seeking = Promise.resolve();

// Whoever holds sections that are not on the page is asked for the next one with what is looked for.
function ask(name, detail) {
  const wait = [];
  document.dispatchEvent(new CustomEvent(name, { detail: { ...detail, wait } }));
  return Promise.all(wait);
}

function numberOf(element) {
  return Number(element?.closest("[data-section]")?.dataset.section ?? -1);
}

// The first section on the way to an element that is not on the page.
function missing(from, target, by) {
  const sections = document.querySelectorAll("[data-waiting]");
  const next = firstAfter(sections, from);
  const gap = by > 0 ? sections[next] : sections[next - 1];
  if (!gap || (target && (by > 0 ? isAfter(target, gap) : isAfter(gap, target)))) return null;
  return gap;
}

// Steps over what is not there yet; beyond a section that is known to have nothing, it goes on.
function step(selector, by, opens = false) {
  seeking = seeking.then(() => stepOrSeek(selector, by, opens)).catch(() => {});
}

async function stepOrSeek(selector, by, opens) {
  let beyond = null;
  for (;;) {
    const { from, target } = next(selector, by, opens);
    const gap = from ? missing(from, target, by) : null;
    const start = beyond ?? (gap && numberOf(gap));
    const [found] = gap ? await ask("clew:seek", { selector, by, from: start, until: numberOf(target) }) : [];
    if (typeof found !== "number") return target ? arrive(target, selector, by, opens) : opens && tell(by);
    beyond = found + by;
  }
}

async function arrive(target, selector, by, opens) {
  if (!isShown(target)) target.dispatchEvent(new CustomEvent("clew:reveal", { bubbles: true }));
  if (!target.matches("[data-left]")) return opens ? goInto(target) : go(target);
  // What went wrong is in a fold that has come without its contents.
  const fold = target.parentElement;
  const wait = [];
  fold.dispatchEvent(new CustomEvent("clew:fill", { bubbles: true, detail: { wait } }));
  await Promise.all(wait);
  const errors = [...fold.querySelectorAll("[data-error]")];
  const error = by > 0 ? errors[0] : errors.at(-1);
  if (error) await arrive(error, selector, by, opens);
}

// Where a key leads from here, among what is on the page.
function next(selector, by, opens) {
  const found = document.querySelectorAll(selector);
  const from = place();
  const first = from ? null : below();
  let index = from || first ? firstAfter(found, from ?? first) : scrollY < innerHeight ? 0 : found.length;
  if (first && found[index - 1] === first) index -= 1;
  if (by < 0) index -= from && found[index - 1] === from ? 2 : 1;
  while (found[index] && !isShown(found[index]) && !(opens && isFolded(found[index]))) index += by;
  return { from: from ?? first, target: found[index] };
}

function go(target) {
  target.closest(".turn")?.style.setProperty("content-visibility", "visible");
  mark(target);
  marked.focus({ preventScroll: true });
  target.scrollIntoView({ block: "start" });
  document.dispatchEvent(new CustomEvent("clew:arrived", { detail: target }));
}

// A call that failed is opened: what went wrong is inside.
function goInto(target) {
  if (target instanceof HTMLDetailsElement) target.open = true;
  go(target);
  target.querySelector(":scope > summary")?.focus({ preventScroll: true });
}

let told = null;
function tell(by) {
  if (!told) {
    told = document.createElement("p");
    told.className = "key-note";
    told.setAttribute("role", "status");
    document.body.append(told);
  }
  told.textContent = by > 0 ? "No more errors below" : "No more errors above";
  told.hidden = false;
  setTimeout(() => { told.hidden = true; }, 2500);
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
  e: () => step("main [data-error], main [data-left-error]", 1, true),
  E: () => step("main [data-error], main [data-left-error]", -1, true),
  o: open,
  t: () => (place() ?? below())?.dispatchEvent(new CustomEvent("clew:turn", { bubbles: true })),
  g: () => scrollTo(0, 0),
  G: () => ask("clew:end").finally(() => scrollTo(0, document.body.scrollHeight)),
  f: () => document.dispatchEvent(new CustomEvent("clew:menu")),
  d: () => detail(1),
  D: () => detail(-1),
  c: () => (place() ?? below())?.closest("[data-kind]")?.dispatchEvent(new CustomEvent("clew:copy", { bubbles: true })),
  b: () => (place() ?? below())?.closest("[data-kind]")?.dispatchEvent(new CustomEvent("clew:bookmark", { bubbles: true })),
  s: () => document.dispatchEvent(new CustomEvent("clew:star")),
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

// Where the reader is: marked in the outline, framed on the map.
const map = document.querySelector("[data-map]");
const here = map.querySelector("div");
const svg = map.querySelector("svg");
let rows = JSON.parse(document.getElementById("marks").textContent);
const lines = new Map();
const fewest = 120;
const loud = new Set(["bad", "compaction"]);
const visible = new Set();
const bySection = new Map();
const bar = 6 + (parseInt(getComputedStyle(document.documentElement).getPropertyValue("--bar"), 10) || 44);
let shown = [];
let tops = [];
let total = 1;
let waiting = false;
let isAddressOld = false;
let isArrived = !location.hash;

function readOutline() {
  lines.clear();
  for (const link of document.querySelectorAll("nav [data-turn]")) lines.set(link.dataset.turn, link);
}

function layOut() {
  const level = Math.max(Number(document.body.dataset.detail), 1);
  const off = new Set(document.body.dataset.off.split(" "));
  shown = rows.filter(([, look, lowest]) => lowest <= level && !off.has(look));
  tops = [];
  let top = 0;
  bySection.clear();
  shown.forEach((row, index) => {
    tops.push(top);
    top += row[4];
    const section = String(row[3]);
    if (!bySection.has(section)) bySection.set(section, []);
    bySection.get(section).push(index);
  });
  total = Math.max(top, fewest);
}

// Messages in which something was found, as ticks on the left of their marks.
let found = new Set();

function drawFound() {
  svg.querySelector(".found")?.remove();
  const tall = total / 200;
  const line = shown.map(([id, , , , weight], index) => (found.has(id) ? `M0 ${tops[index]}h4v${Math.max(weight * 0.8, tall).toFixed(3)}h-4z` : "")).join("");
  if (!line) return;
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("class", "found");
  path.setAttribute("d", line);
  svg.append(path);
}

function drawMarks() {
  layOut();
  const paths = new Map();
  shown.forEach(([, look, , , weight], index) => {
    const tall = loud.has(look) ? Math.max(weight * 0.8, total / 300) : weight * 0.8;
    paths.set(look, (paths.get(look) ?? "") + `M0 ${tops[index]}h10v${tall.toFixed(3)}h-10z`);
  });
  const full = shown.map((row, index) => [row[5], tops[index]]).filter(([fullness]) => fullness);
  if (full.length > 1) paths.set("context", full.map(([fullness, top], index) => `${index ? "L" : "M"}${fullness / 10} ${top}`).join(""));
  svg.setAttribute("viewBox", `0 0 10 ${total}`);
  const order = [...paths.keys()].sort((a, b) => (a === "context") - (b === "context") || loud.has(a) - loud.has(b));
  svg.replaceChildren(...order.map((look) => {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("class", look);
    path.setAttribute("d", paths.get(look));
    return path;
  }));
  drawFound();
}

// Only sections in view are measured: what is far away has no layout, and asking would make one.
function inView() {
  const sections = [...visible].sort((a, b) => a.dataset.section - b.dataset.section);
  const found = [];
  for (const section of sections) {
    for (const index of bySection.get(section.dataset.section) ?? []) {
      const box = document.getElementById(shown[index][0])?.getBoundingClientRect();
      if (box && box.height && box.bottom > bar && box.top < innerHeight) found.push(index);
    }
  }
  return found;
}

function markPlace() {
  const first = [...visible].filter((section) => section.getBoundingClientRect().bottom > bar + 30).sort((a, b) => a.dataset.section - b.dataset.section)[0];
  if (!first) return;
  setCurrent(first.dataset.turn);
  const found = inView();
  here.hidden = found.length === 0;
  if (found.length === 0) return;
  const space = map.clientHeight - 16;
  const from = (tops[found[0]] / total) * space;
  const last = found.at(-1);
  const to = ((tops[last] + shown[last][4]) / total) * space;
  // Moved, not laid out again: browsers count what is laid out elsewhere as a shift of the page.
  here.style.setProperty("translate", `0 ${from + 7}px`);
  here.style.setProperty("height", `${Math.max(to - from + 2, 6)}px`);
}

function isInView(element) {
  const box = element?.getBoundingClientRect();
  return Boolean(box?.height) && box.bottom > bar && box.top < innerHeight;
}

// The address names what one reads. What it named already stays while it is in view; the top and the running end need no name.
// A scroll can end before the observer has reported what came into view: the next report writes the address then.
function writePlace() {
  isAddressOld = false;
  isArrived ||= isInView(document.getElementById(decodeURIComponent(location.hash.slice(1))));
  if (!isArrived) return;
  const isFree = scrollY < innerHeight / 2 || document.querySelector("[data-follow]")?.checked;
  if (!isFree && isInView(document.getElementById(decodeURIComponent(location.hash.slice(1))))) return;
  const name = isFree ? "" : shown[inView()[0]]?.[0] ?? "";
  isAddressOld = !isFree && !name;
  if (isAddressOld) return;
  const address = `${location.pathname}${location.search}${name && `#${name}`}`;
  try { history.replaceState(history.state, "", address); } catch { /* A file may not change its address. */ }
}

function setCurrent(turn) {
  const link = lines.get(turn);
  const before = document.querySelector(".outline [aria-current]");
  if (link === before) return;
  before?.removeAttribute("aria-current");
  link?.setAttribute("aria-current", "location");
  link?.scrollIntoView({ block: "nearest" });
}

function soon() {
  if (!waiting) { waiting = true; requestAnimationFrame(update); }
}

function update() {
  waiting = false;
  markPlace();
  if (isAddressOld) writePlace();
}

function jump(event) {
  const box = map.getBoundingClientRect();
  const at = ((event.clientY - box.top - 8) / (box.height - 16)) * total;
  let index = tops.findLastIndex((top) => top <= at);
  // What is not on the page yet may be fetched by whoever sent it in pieces.
  const wanted = new CustomEvent("clew:wanted", { detail: shown[index]?.[0], cancelable: true });
  if (wanted.detail && !document.getElementById(wanted.detail) && !document.dispatchEvent(wanted)) return;
  for (; index >= 0; index--) {
    const target = document.getElementById(shown[index][0]);
    if (target) return target.dispatchEvent(new CustomEvent("clew:go", { bubbles: true }));
  }
}

const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) visible[entry.isIntersecting ? "add" : "delete"](entry.target);
  soon();
});
for (const section of document.querySelectorAll("[data-section]")) observer.observe(section);
map.addEventListener("pointerdown", (event) => { map.setPointerCapture(event.pointerId); jump(event); });
map.addEventListener("pointermove", (event) => { if (event.buttons) jump(event); });
addEventListener("scroll", soon, { passive: true });
addEventListener("resize", soon);
// The address that a page was opened with stays until the page has got there, or the reader goes elsewhere.
for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) addEventListener(kind, () => { isArrived = true; }, { passive: true, once: true });
addEventListener("scrollend", writePlace);
document.addEventListener("clew:shown", () => { drawMarks(); soon(); });
document.addEventListener("clew:added", (event) => { for (const section of event.target.querySelectorAll("[data-section]")) observer.observe(section); });
document.addEventListener("clew:marks", (event) => { rows = event.detail; readOutline(); drawMarks(); soon(); });
document.addEventListener("clew:found", (event) => { found = event.detail; drawFound(); });
readOutline();
drawMarks();

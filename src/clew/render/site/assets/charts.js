// Charts: one stop for the tab key, arrows from mark to mark.
// The timeline: it zooms and moves, lane names stay in sight, times are local.

const marksOf = (chart) => [...chart.querySelectorAll("a")];

function stopAt(chart, mark) {
  for (const one of marksOf(chart)) one.tabIndex = one === mark ? 0 : -1;
}

function settle() {
  for (const chart of document.querySelectorAll("[data-marks]")) stopAt(chart, marksOf(chart)[0]);
}

// Left and right go through all marks, up and down stay above one another.
function next(marks, mark, key) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (by) return marks[marks.indexOf(mark) + by];
  const at = (one, name) => Number(one.querySelector("rect").getAttribute(name));
  const way = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (!way) return undefined;
  return marks
    .filter((one) => at(one, "x") === at(mark, "x") && (at(one, "y") - at(mark, "y")) * way > 0)
    .sort((one, other) => (at(one, "y") - at(other, "y")) * way)[0];
}

document.addEventListener("keydown", (event) => {
  const mark = event.target.closest?.("[data-marks] a");
  if (!mark || event.ctrlKey || event.metaKey || event.altKey) return;
  const chart = mark.closest("[data-marks]");
  const found = next(marksOf(chart), mark, event.key);
  if (!event.key.startsWith("Arrow")) return;
  event.preventDefault();
  if (!found) return;
  stopAt(chart, found);
  found.focus();
});
document.addEventListener("clew:added", settle);
settle();

const box = document.querySelector("[data-timeline]");

for (const text of document.querySelectorAll("[data-time]")) {
  const moment = new Date(text.dataset.time);
  if (!Number.isNaN(moment.valueOf())) text.textContent = moment.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
}

const picture = box?.querySelector("svg");
if (picture) {
  const names = picture.querySelector("[data-names]");
  const edge = Number(names.querySelector("rect").getAttribute("width")) + 8;
  const width = Number(picture.getAttribute("width"));
  const height = picture.getAttribute("height");
  const places = [];
  for (const element of picture.querySelectorAll(":scope > :not(g), :scope > a > *")) {
    for (const name of ["x", "x1", "x2", "width"]) {
      const value = Number(element.getAttribute(name) ?? Number.NaN);
      if (!Number.isNaN(value)) places.push([element, name, value]);
    }
  }
  let zoom = 1;
  const stretch = (next, at) => {
    const before = zoom;
    zoom = Math.min(64, Math.max(1, next));
    const left = box.scrollLeft + at - edge;
    const whole = edge + (width - edge) * zoom;
    for (const [element, name, value] of places) {
      const isAcross = element.classList.contains("across");
      if (isAcross) { if (name === "x2") element.setAttribute(name, whole); continue; }
      element.setAttribute(name, name === "width" ? value * zoom : edge + (value - edge) * zoom);
    }
    picture.setAttribute("width", whole);
    picture.setAttribute("viewBox", `0 0 ${whole} ${height}`);
    if (left > 0) box.scrollLeft = left * (zoom / before) + edge - at;
  };
  const keepNames = () => names.setAttribute("transform", `translate(${box.scrollLeft} 0)`);
  box.addEventListener("scroll", keepNames, { passive: true });
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.altKey) return;
    event.preventDefault();
    stretch(zoom * (event.deltaY < 0 ? 1.25 : 0.8), event.clientX - box.getBoundingClientRect().left);
  }, { passive: false });
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey) return;
    if (event.key === "+" || event.key === "=") stretch(zoom * 1.25, box.clientWidth / 2);
    if (event.key === "-") stretch(zoom * 0.8, box.clientWidth / 2);
    if (event.key === "0") stretch(1, 0);
  });
  let start = null;
  box.addEventListener("pointerdown", (event) => { if (event.pointerType === "mouse" && !event.target.closest("a")) start = [event.clientX, box.scrollLeft]; });
  box.addEventListener("pointermove", (event) => { if (start) box.scrollLeft = start[1] - (event.clientX - start[0]); });
  for (const end of ["pointerup", "pointerleave"]) box.addEventListener(end, () => { start = null; });
}

// Charts: one stop for the tab key, arrows from mark to mark.

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

// Dates of one's own take the place of a period, and a period that of dates.
const period = document.querySelector("form[data-filters] select[name=since]");
const from = document.querySelector("[data-from]");
const until = document.querySelector("[data-until]");

function chooseFrom() {
  let own = period.querySelector("[data-own]");
  if (!own) {
    own = new Option("Dates");
    own.dataset.own = "";
    period.append(own);
  }
  own.value = from.value;
  period.value = from.value;
}

from?.addEventListener("input", chooseFrom);
period?.addEventListener("input", () => {
  from.value = "";
  if (until) until.value = "";
});

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

// Times are written in UTC; here they become the reader's own, with UTC on hover, in the form of the other dates.
let timeZone;
try { timeZone = localStorage.getItem("clew-zone") || undefined; new Intl.DateTimeFormat("en-GB", { timeZone }); } catch { timeZone = undefined; }
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone });
const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone });
// What was today has an hour, and all else a date.
const recent = { format: (at) => (date.format(at) === date.format(new Date()) ? clock : date).format(at) };
const forms = { day, date, recent };

function makeLocal(time) {
  const at = new Date(time.dateTime);
  if (Number.isNaN(at.getTime())) return;
  time.title = `${time.dateTime.slice(0, 19).replace("T", " ")} UTC`;
  time.textContent = (forms[time.dataset.form] ?? clock).format(at);
}

function makeAllLocal(times, from = 0) {
  const end = performance.now() + 12;
  let next = from;
  while (next < times.length && performance.now() < end) makeLocal(times[next++]);
  if (next < times.length) setTimeout(() => makeAllLocal(times, next));
}

makeAllLocal([...document.querySelectorAll("time")]);
document.addEventListener("clew:added", (event) => makeAllLocal([...event.target.querySelectorAll("time")]));

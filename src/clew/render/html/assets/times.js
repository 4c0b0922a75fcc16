// Times are written in UTC; here they become the reader's own, with UTC on hover, in the form of the other dates.
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const forms = { day, date };

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

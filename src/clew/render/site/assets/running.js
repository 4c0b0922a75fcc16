// The dot in the header: whether a session is running, and whether one waits for a person.

const link = document.querySelector("[data-running]");
const pauseMs = 15_000;
let timer = 0;
let isMissing = false;

function describe(working, waiting) {
  const parts = [];
  if (waiting) parts.push(`${waiting} waiting for you`);
  if (working) parts.push(`${working} working`);
  return parts.length ? `Running sessions: ${parts.join(", ")}` : "No session is running";
}

function show(sessions) {
  const count = (state) => sessions.filter((session) => session.state === state).length;
  const [working, waiting] = [count("working"), count("waiting")];
  link.dataset.state = waiting ? "waiting" : working ? "working" : "none";
  link.querySelector(".how-many").textContent = String(waiting || working || "");
  link.title = describe(working, waiting);
  link.setAttribute("aria-label", link.title);
}

async function ask() {
  clearTimeout(timer);
  if (document.hidden || isMissing) return;
  const answer = await fetch(link.dataset.running).catch(() => null);
  if (answer?.ok) show((await answer.json().catch(() => ({}))).sessions ?? []);
  // A server that does not know what is running is not asked again.
  isMissing = answer?.status === 404;
  timer = setTimeout(ask, pauseMs);
}

if (link) {
  document.addEventListener("visibilitychange", ask);
  ask();
}

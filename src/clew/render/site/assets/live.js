// Live updates: how far archiving is, and lists that fill while one looks at them.

const place = document.querySelector("[data-rows], [data-hits]");
const notice = document.querySelector("[data-waits]");
const strip = document.querySelector("[data-strip], [data-strip-place]");
const bar = document.querySelector("[data-archiving]");
const status = document.querySelector("[data-archiving-status]");
// Sessions grow all the time; what is counted and found matters again when more is archived.
const isList = Boolean(place && document.querySelector("[data-filters] #text"));
const pauseMs = isList ? 300 : 5000;

let news = null;
let timer = 0;
let isStale = false;
let isPressed = false;
let isArchiving = !bar.hidden;
let quarter = 0;

function isSelected() {
  const selection = getSelection();
  return !selection.isCollapsed && place.contains(selection.anchorNode);
}

// Rows keep their order as older ones arrive below; hits and charts may move, so not under the pointer.
function isInUse() {
  if (document.hidden || scrollY > 300 || isPressed || isSelected()) return true;
  return !isList && (place.matches(":hover") || place.contains(document.activeElement));
}

function refresh() {
  timer = 0;
  isStale = isInUse();
  if (!isStale) document.dispatchEvent(new CustomEvent("clew:refresh"));
}

function refreshSoon() {
  if (place && !timer) timer = setTimeout(refresh, pauseMs);
}

function refreshIfStale() {
  if (isStale && !isInUse()) refreshSoon();
}

// Screen readers announce the start, each quarter and the end.
function announce(percent, text) {
  const reached = Math.floor(percent / 25) + 1;
  if (reached > quarter) status.textContent = text;
  quarter = Math.max(quarter, reached);
}

function showProgress({ archiving }) {
  bar.hidden = !archiving;
  if (archiving) {
    const percent = archiving.total_bytes ? Math.floor((100 * archiving.bytes) / archiving.total_bytes) : 100;
    const [done, total] = [archiving.sessions, archiving.total_sessions].map((count) => count.toLocaleString("en"));
    const text = archiving.total_sessions ? `Archiving transcripts: ${done} of ${total} ${total === "1" ? "session" : "sessions"} (${percent} % of the data)` : `Archiving transcripts (${percent} %)`;
    bar.querySelector("progress").value = percent;
    bar.querySelector("span").textContent = text;
    announce(percent, text);
  } else if (isArchiving) {
    status.textContent = "All transcripts are archived.";
    quarter = 0;
    refreshSoon();
  }
  isArchiving = Boolean(archiving);
}

// A page without sessions is loaded again when there are some, or when it is sure that there are none.
async function reloadNotice() {
  const answer = await fetch("/api/health").catch(() => null);
  if (!answer?.ok) return;
  const { sessions, is_synced: isSynced } = await answer.json();
  if (sessions || (isSynced && notice.dataset.waits === "sync")) location.reload();
}

function hear() {
  document.dispatchEvent(new CustomEvent("clew:news"));
  if (notice) reloadNotice();
  else if (isList || isArchiving) refreshSoon();
}

// A browser has few connections for each server: pages that nobody sees give theirs back.
function listen() {
  if (document.hidden) { news?.close(); news = null; return; }
  if (news || !window.EventSource || !(place || notice || strip)) return;
  news = new EventSource("/api/events");
  news.addEventListener("change", hear);
  news.addEventListener("progress", (event) => { showProgress(JSON.parse(event.data)); if (notice) reloadNotice(); else document.dispatchEvent(new CustomEvent("clew:news")); });
  // It comes again when the connection does: something may have happened meanwhile.
  let isAgain = Boolean(notice);
  news.addEventListener("ready", () => { if (isAgain) hear(); isAgain = true; });
  refreshIfStale();
}

addEventListener("scroll", refreshIfStale, { passive: true });
addEventListener("pointerdown", () => { isPressed = true; });
for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => { isPressed = false; refreshIfStale(); });
place?.addEventListener("pointerleave", refreshIfStale);
document.addEventListener("visibilitychange", () => { isStale ||= document.hidden && isList; listen(); });
listen();

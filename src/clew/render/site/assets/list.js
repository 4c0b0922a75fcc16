// Rows that do not move: while somebody points at a list, rows change where they are.

const place = document.querySelector("[data-rows]");
let waiting = null;

function idsOf(root) {
  return [...root.querySelectorAll("[data-session]")].map((row) => row.dataset.session);
}

// Rows that come below the others move none of them.
function movesRows(found) {
  const [old, next] = [idsOf(place), idsOf(found)];
  return old.some((id, number) => next[number] !== id);
}

function isInUse() {
  return place.matches(":hover") || place.contains(document.activeElement);
}

function added() {
  place.dispatchEvent(new CustomEvent("clew:added", { bubbles: true }));
}

function changeInPlace(found) {
  for (const next of found.querySelectorAll("[data-session]")) {
    const row = place.querySelector(`[data-session="${CSS.escape(next.dataset.session)}"]`);
    if (!row || row.matches(":hover") || row.contains(document.activeElement)) continue;
    row.className = next.className;
    row.replaceChildren(...next.cloneNode(true).childNodes);
  }
  added();
}

function show() {
  if (!waiting) return;
  const found = waiting;
  forget();
  place.replaceChildren(...found.childNodes);
  added();
}

function forget() {
  waiting = null;
  document.querySelector("[data-list-news]")?.remove();
}

function offer() {
  if (document.querySelector("[data-list-news]")) return;
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "list-news", textContent: "Show new sessions" });
  button.dataset.listNews = "";
  button.addEventListener("click", show);
  document.body.append(button);
}

// Whoever replaces the rows asks first; what is held back comes when the pointer and the focus are elsewhere.
document.addEventListener("clew:replace", (event) => {
  const { found, isRefresh } = event.detail;
  if (event.detail.place !== place) return;
  if (!isRefresh || !isInUse() || !movesRows(found)) { forget(); return; }
  event.preventDefault();
  waiting = found;
  changeInPlace(found);
  offer();
});

function showIfFree() {
  if (waiting && !isInUse()) show();
}

place?.addEventListener("pointerleave", showIfFree);
place?.addEventListener("focusout", () => setTimeout(showIfFree));

// Before anything is drawn: scripts run here, and the reader's choice of light or dark, and of the rail, holds.
document.documentElement.dataset.script = "on";
try {
  const chosen = localStorage.getItem("clew-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  document.documentElement.dataset.rail = localStorage.getItem("clew-rail") ?? "outline";
} catch { /* A page from a file may have no storage. */ }

// Who follows a link to a place sees the page there at once: until it has got there, its contents are not seen.
// Nobody waits for a place that is long in coming, or after taking the wheel.
const uncover = () => { delete document.documentElement.dataset.arriving; };
if (/^#[mc]-/.test(location.hash)) {
  let isForWords = false;
  try { isForWords = sessionStorage.getItem("clew-found") !== null; } catch { /* Then no words are looked for. */ }
  document.documentElement.dataset.arriving = isForWords ? "words" : "place";
  for (const kind of ["wheel", "touchmove", "pointerdown", "keydown", "beforeprint"]) addEventListener(kind, uncover, { passive: true, once: true });
  setTimeout(uncover, 2000);
}
document.addEventListener("clew:settled", ({ detail }) => {
  if (detail.isLast || document.documentElement.dataset.arriving === "place") uncover();
});

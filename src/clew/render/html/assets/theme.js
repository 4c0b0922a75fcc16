// Before anything is drawn: scripts run here, and the reader's choice of light or dark, and of the rail, holds.
document.documentElement.dataset.script = "on";
try {
  const chosen = localStorage.getItem("clew-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  document.documentElement.dataset.rail = localStorage.getItem("clew-rail") ?? "outline";
} catch { /* A page from a file may have no storage. */ }

// Before anything is drawn: scripts run here, and the reader's choice of light or dark holds.
document.documentElement.dataset.script = "on";
try {
  const chosen = localStorage.getItem("clew-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch { /* A page from a file may have no storage. */ }

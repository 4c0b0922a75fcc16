// What a reader chooses for this browser: theme, time zone, and the detail with which sessions open.
const form = document.querySelector("[data-preferences]");
const said = form.querySelector("[data-saved]");

function read(name) {
  try { return localStorage.getItem(name) ?? ""; } catch { return ""; }
}

function write(name, value) {
  try {
    if (value) localStorage.setItem(name, value);
    else localStorage.removeItem(name);
    return true;
  } catch { return false; }
}

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

for (const select of form.querySelectorAll("select")) {
  const chosen = read(select.name);
  if (chosen && ![...select.options].some((option) => option.value === chosen)) select.add(new Option(chosen, chosen));
  select.value = chosen;
}
form.addEventListener("change", ({ target }) => {
  const isSaved = write(target.name, target.value);
  if (target.name === "clew-theme") setTheme(target.value);
  said.textContent = isSaved ? "Saved. Open pages change when they are loaded again." : "This browser stores nothing; the choice is lost with the page.";
});
form.addEventListener("submit", (event) => event.preventDefault());

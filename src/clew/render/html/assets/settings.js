// What the reader sets: how much is shown, which kinds, light or dark.
const body = document.body;
const select = document.querySelector("select[data-do=detail]");
const menu = document.getElementById("menu");
const help = document.getElementById("help");

function keep(name, value) {
  try { localStorage.setItem(name, value); } catch { /* It holds for this page alone. */ }
}

function middle() {
  const y = innerHeight / 3;
  return document.elementFromPoint(innerWidth / 2, y)?.closest("[data-kind]");
}

function setDetail(level) {
  const wanted = Math.min(Math.max(level, 0), 4);
  const stays = middle();
  body.dataset.detail = wanted;
  select.value = wanted;
  stays?.scrollIntoView({ block: "center" });
  document.dispatchEvent(new CustomEvent("clew:shown"));
}

function setKinds() {
  const off = [...menu.querySelectorAll("[data-filter]:not(:checked)")].map((box) => box.dataset.filter);
  body.dataset.off = off.join(" ");
  document.dispatchEvent(new CustomEvent("clew:shown"));
}

function turnTheme() {
  const style = document.documentElement.dataset;
  const isDark = style.theme ? style.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  style.theme = isDark ? "light" : "dark";
  keep("clew-theme", style.theme);
}

function setDrawer(isOpen) {
  body.toggleAttribute("data-drawer", isOpen);
  document.querySelector("[data-do=drawer]").setAttribute("aria-expanded", String(isOpen));
}

const deeds = {
  theme: turnTheme,
  drawer: () => setDrawer(!("drawer" in body.dataset)),
  help: () => { menu.hidePopover?.(); help.showModal(); },
  close: () => help.close(),
};
document.addEventListener("click", (event) => {
  const deed = deeds[event.target.closest("[data-do]")?.dataset.do];
  if (deed) return deed();
  const inDrawer = event.target.closest("nav");
  if ("drawer" in body.dataset && (!inDrawer || event.target.closest("a"))) setDrawer(false);
});
document.addEventListener("clew:detail", (event) => setDetail(event.detail));
document.addEventListener("clew:menu", () => { menu.togglePopover?.(); menu.querySelector("input")?.focus(); });
document.addEventListener("clew:help", () => (help.open ? help.close() : help.showModal()));
select.addEventListener("change", () => setDetail(Number(select.value)));
menu.addEventListener("change", setKinds);

// What the reader sets: how much is shown, which kinds, light or dark.
const body = document.body;
const select = document.querySelector("select[data-do=detail]");
const menu = document.getElementById("menu");
const help = document.getElementById("help");
const first = body.dataset.detail;
const usual = kept("clew-detail");
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);

function keep(name, value) {
  try { localStorage.setItem(name, value); } catch { /* It holds for this page alone. */ }
}

function kept(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}

function tools() {
  return menu.querySelector("select[data-do=tool]");
}

function middle() {
  const y = innerHeight / 3;
  return document.elementFromPoint(innerWidth / 2, y)?.closest("[data-kind]");
}

// The address names what is set, so that a link shows the same page to others, who may have chosen another detail.
function writeAddress() {
  const url = new URL(location.href);
  const set = { detail: body.dataset.detail === first && !usual ? "" : select.selectedOptions[0].dataset.name, hide: body.dataset.off, tool: tools()?.value };
  for (const [name, value] of Object.entries(set)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  try { history.replaceState(history.state, "", url); } catch { /* A file may not change its address. */ }
}

function announceShown() {
  for (const label of menu.querySelectorAll("[data-counts]")) {
    const count = Number(label.dataset.counts.split(" ")[body.dataset.detail]);
    label.hidden = count === 0;
    label.querySelector(".figure").textContent = count.toLocaleString("en");
  }
  for (const option of menu.querySelectorAll("[data-tool-counts]")) {
    const count = Number(option.dataset.toolCounts.split(" ")[body.dataset.detail]);
    option.hidden = count === 0;
    option.textContent = `${option.value} (${count.toLocaleString("en")})`;
  }
  writeAddress();
  document.dispatchEvent(new CustomEvent("clew:shown"));
}

function setDetail(level) {
  const wanted = Math.min(Math.max(level, 0), 4);
  const stays = middle();
  body.dataset.detail = wanted;
  select.value = wanted;
  stays?.scrollIntoView({ block: "center" });
  announceShown();
}

function setKinds() {
  const off = [...menu.querySelectorAll("[data-filter]:not(:checked)")].map((box) => box.dataset.filter);
  body.dataset.off = off.join(" ");
  announceShown();
}

// Calls of one tool alone: what holds none of them is hidden, on this page and on what is still to come.
function setTool() {
  const tool = tools().value;
  const chosen = `.tool-call[data-tool="${CSS.escape(tool)}"]`;
  // A fold may have come without its contents, and names the tools in them.
  const any = `${chosen}, [data-left-tools~="${CSS.escape(encodeURIComponent(tool))}"]`;
  const others = [`.tool-call:not(${chosen}, :has(${any}))`, `:is(.parallel, .called):not(:has(${any}))`, `.answer[data-level="3"]:not(:has(${any}))`, `.tool-call:not(${chosen}) + .reply`];
  body.dataset.hiding = tool ? others.join(", ") : "";
  sheet.replaceSync(tool ? `main :is(${body.dataset.hiding}) { display: none; }` : "");
  if (tool && Number(body.dataset.detail) < 3) setDetail(3);
  else announceShown();
}

function readAddress() {
  const asked = new URLSearchParams(location.search);
  const level = [...select.options].find((option) => option.dataset.name === (asked.get("detail") ?? usual));
  const hidden = asked.get("hide")?.split(" ") ?? [];
  const boxes = [...menu.querySelectorAll("[data-filter]")].filter((box) => hidden.includes(box.dataset.filter));
  for (const box of boxes) box.checked = false;
  const tool = [...(tools()?.options ?? [])].find((option) => option.value && option.value === asked.get("tool"));
  if (level) setDetail(Number(level.value));
  if (boxes.length) setKinds();
  if (tool) {
    tools().value = tool.value;
    setTool();
  }
}

// A session that grew has other counts, and maybe other kinds and tools; what was chosen stays chosen.
function renewFilters(markup) {
  const off = body.dataset.off.split(" ");
  const tool = tools()?.value;
  menu.querySelector("[data-filters]").replaceChildren(...new DOMParser().parseFromString(markup, "text/html").body.childNodes);
  for (const box of menu.querySelectorAll("[data-filter]")) box.checked = !off.includes(box.dataset.filter);
  if (tool) tools().value = tool;
  announceShown();
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

const actions = {
  theme: turnTheme,
  drawer: () => setDrawer(!("drawer" in body.dataset)),
  help: () => { menu.hidePopover?.(); help.showModal(); },
  close: () => help.close(),
  tools: () => { menu.showPopover?.(); (tools() ?? menu.querySelector("input"))?.focus(); },
};
document.addEventListener("click", (event) => {
  const asked = event.target.closest("[data-do]");
  const action = actions[asked?.dataset.do];
  if (action && asked.matches("a")) event.preventDefault();
  if (action) return action();
  const inDrawer = event.target.closest("nav, #rail");
  if ("drawer" in body.dataset && (!inDrawer || event.target.closest("a"))) setDrawer(false);
});
document.addEventListener("clew:detail", (event) => setDetail(event.detail));
document.addEventListener("clew:filters", (event) => renewFilters(event.detail));
document.addEventListener("clew:menu", () => { menu.togglePopover?.(); menu.querySelector("input")?.focus(); });
document.addEventListener("clew:help", () => (help.open ? help.close() : help.showModal()));
select.addEventListener("change", () => setDetail(Number(select.value)));
menu.addEventListener("change", (event) => (event.target === tools() ? setTool() : setKinds()));
readAddress();

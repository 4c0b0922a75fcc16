// Saved searches: each has a name and an address, and is kept in this browser.

const place = document.querySelector("[data-searches]");
const list = place.querySelector("[data-saved]");
const save = place.querySelector("[data-save]");
const form = save.querySelector("form");
const box = document.getElementById("q");
const key = "clew-searches";

function load() {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "[]");
    return found.filter(({ name, search }) => typeof name === "string" && typeof search === "string" && search.startsWith("?"));
  } catch { return []; }
}

function store(searches) {
  try { localStorage.setItem(key, JSON.stringify(searches)); } catch { /* A browser without storage forgets them. */ }
  draw();
}

function item({ name, search }) {
  const [row, link, remove] = ["li", "a", "button"].map((tag) => document.createElement(tag));
  link.href = location.pathname + search;
  link.textContent = name;
  link.title = new URLSearchParams(search).get("q") ?? "";
  remove.type = "button";
  remove.textContent = "Delete";
  remove.setAttribute("aria-label", `Delete ${name}`);
  remove.addEventListener("click", () => store(load().filter((one) => one.name !== name)));
  row.append(link, " ", remove);
  return row;
}

function draw() {
  const saved = load();
  list.replaceChildren(...saved.map(item));
  place.querySelector("[data-saved-count]").textContent = saved.length || "";
  place.querySelector("[data-saved-none]").hidden = saved.length > 0;
}

// The address follows what is typed, and is what is saved.
function offer() {
  save.hidden = !box.value.trim();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const field = form.querySelector("input");
  const name = field.value.trim();
  const params = new URLSearchParams(location.search);
  params.set("q", box.value.trim());
  params.delete("cursor");
  if (name) store([...load().filter((one) => one.name !== name), { name, search: `?${params}` }]);
  field.value = "";
  save.open = false;
  save.querySelector("summary").focus();
});
save.addEventListener("toggle", () => { if (save.open) form.querySelector("input").focus(); });
save.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !save.open) return;
  event.stopPropagation();
  save.open = false;
  save.querySelector("summary").focus();
});
box.addEventListener("input", offer);
addEventListener("storage", (event) => { if (event.key === key) draw(); });
draw();
offer();

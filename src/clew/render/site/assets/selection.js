// Several sessions at once: select rows by mouse and keys, then export, compare or mark them.

const bar = document.querySelector("[data-selection]");
const place = document.querySelector("[data-rows]");
const selected = new Set();
let last = null;

function boxes() {
  return [...place.querySelectorAll("[data-pick]")];
}

function idOf(box) {
  return box.closest("[data-session]").dataset.session;
}

function link(name, params) {
  const act = bar.querySelector(`[data-act="${name}"]`);
  if (!act) return;
  act.hidden = !params.length;
  act.href = `${act.dataset.url}?${new URLSearchParams(params)}`;
}

function show() {
  const ids = [...selected];
  bar.hidden = !ids.length;
  bar.querySelector("[data-selected]").textContent = `${ids.length.toLocaleString("en")} selected`;
  bar.querySelector("[data-selection-problem]").textContent = "";
  link("export", ids.map((id) => ["session", id]));
  link("compare", ids.length === 2 ? [["a", ids[1]], ["b", ids[0]]] : []);
}

function set(box, isOn) {
  box.checked = isOn;
  if (isOn) selected.add(idOf(box)); else selected.delete(idOf(box));
}

function pick(box, isOn, isRange) {
  const all = boxes();
  const from = all.findIndex((one) => idOf(one) === last);
  const to = all.indexOf(box);
  if (isRange && from >= 0) for (const one of all.slice(Math.min(from, to), Math.max(from, to) + 1)) set(one, isOn);
  set(box, isOn);
  last = idOf(box);
  show();
}

function clear() {
  selected.clear();
  for (const box of boxes()) box.checked = false;
  show();
}

const bodies = {
  star: () => ({ star: true }),
  unstar: () => ({ star: false }),
  hide: () => ({ hidden: true }),
};

async function note(body) {
  const answer = await fetch(bar.querySelector("[data-notes]").dataset.notes, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ session_ids: [...selected], ...body }),
  }).catch(() => null);
  if (!answer?.ok) {
    const said = await answer?.json().catch(() => null);
    bar.querySelector("[data-selection-problem]").textContent = said?.error?.message ?? "The request failed.";
    return;
  }
  clear();
  document.dispatchEvent(new CustomEvent("clew:refresh"));
}

if (bar && place) {
  place.addEventListener("click", (event) => {
    const box = event.target.closest?.("[data-pick]");
    if (box) pick(box, box.checked, event.shiftKey);
  });
  // Rows are drawn again when sessions grow: what was selected stays so.
  document.addEventListener("clew:added", () => { for (const box of boxes()) box.checked = selected.has(idOf(box)); });
  bar.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.act === "none") clear();
    if (button?.dataset.note) note(bodies[button.dataset.note]());
  });
  bar.querySelector("[data-tag]")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const field = event.target.querySelector("input");
    const tag = field.value.trim();
    if (tag) note({ add_tags: [tag] });
    field.value = "";
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.closest?.("input:not([data-pick]), select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = event.target.closest?.("[data-session]")?.querySelector("[data-pick]");
    if (event.key.toLowerCase() === "x" && box) pick(box, !box.checked, event.shiftKey);
    if (event.key === "a" && selected.size) { event.preventDefault(); bar.querySelector(".act:not([hidden]), button").focus(); }
    if (event.key === "Escape" && selected.size) clear();
  });
}

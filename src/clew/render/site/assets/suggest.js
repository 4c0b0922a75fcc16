// A box for queries that suggests filters and their values, and chips that keys can remove.

const box = document.querySelector("[data-suggest-on]");
const list = document.getElementById("suggestions");
// So many words are a sentence to search for, of which none begins a filter.
const sentence = 4;
let turn = 0;
let chosen = -1;
// Where the word begins whose results are shown, so that nothing is to lie over them again.
let answered = -1;

// What the caret is in: the word, or the filter up to its value's end, quotation marks included.
function wordAtCaret() {
  const before = box.value.slice(0, box.selectionStart);
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < before.length; at += 1) {
    if (before[at] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /\s/.test(before[at])) start = at + 1;
  }
  const text = before.slice(start);
  return { text, start, end: before.length };
}

function options() {
  return [...list.children];
}

function hide() {
  chosen = -1;
  list.hidden = true;
  box.setAttribute("aria-expanded", "false");
  box.removeAttribute("aria-activedescendant");
}

function close() {
  turn += 1;
  hide();
}

function mark(number) {
  const all = options();
  chosen = (number + all.length) % all.length;
  all.forEach((option, place) => option.setAttribute("aria-selected", String(place === chosen)));
  all[chosen].scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", all[chosen].id);
}

function draw(suggestions) {
  chosen = -1;
  list.replaceChildren(...suggestions.map(({ text, help }, number) => {
    const option = document.createElement("li");
    option.id = `suggestion-${number}`;
    option.role = "option";
    option.ariaSelected = "false";
    option.dataset.text = text;
    const [name, about] = [document.createElement("bdi"), document.createElement("span")];
    name.textContent = text;
    about.textContent = help;
    option.append(name, about);
    return option;
  }));
  list.hidden = !suggestions.length;
  box.setAttribute("aria-expanded", String(!list.hidden));
  box.removeAttribute("aria-activedescendant");
}

async function ask(url) {
  const answer = await fetch(url).catch(() => null);
  return answer?.ok ? (await answer.json()).suggestions : [];
}

function isInSentence() {
  const bare = box.value.match(/"[^"]*"?|\S+/g)?.filter((word) => !/^-?[a-z-]+:/.test(word)) ?? [];
  return bare.length >= sentence || /\?\s*$/.test(box.value);
}

// Only a filter that is being typed may lie over the list: words, as "in", are answered by what is below.
function areFilters(text, suggestions) {
  return text.includes(":") || (text.length > 2 && suggestions.some((one) => one.endsWith(":")));
}

async function suggest() {
  const { text, start } = wordAtCaret();
  if (start !== answered) answered = -1;
  if (!text || text === "-" || /^-?"/.test(text) || (!text.includes(":") && isInSentence())) return close();
  const own = ++turn;
  const found = (await ask(`/api/suggest?${new URLSearchParams({ text, kind: box.dataset.suggestOn })}`)).filter((one) => one.text !== text);
  if (own !== turn || document.activeElement !== box) return undefined;
  if (answered < 0 || areFilters(text, found.map((one) => one.text))) draw(found);
  else hide();
  return undefined;
}

// What is listed now answers what is in the box.
function answer() {
  const { text, start } = wordAtCaret();
  if (new URLSearchParams(location.search).get(box.name) !== box.value || chosen >= 0) return;
  answered = start;
  if (!areFilters(text, options().map((option) => option.dataset.text))) hide();
}

// A filter's name still needs its value; a value is what the list is asked for next.
function accept(option) {
  const { start, end } = wordAtCaret();
  const { text } = option.dataset;
  const isName = text.endsWith(":");
  const after = box.value.slice(end).replace(/^[^\s"]*/, "").trimStart();
  const put = box.value.slice(0, start) + text + (isName ? "" : " ");
  box.value = put + after;
  box.setSelectionRange(put.length, put.length);
  close();
  if (isName) suggest();
  else box.dispatchEvent(new InputEvent("input", { bubbles: true, data: text, inputType: "insertReplacementText" }));
}

function begin(text) {
  const gap = box.value && !box.value.endsWith(" ") ? " " : "";
  box.value += gap + text;
  box.toggleAttribute("data-half", true);
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
  suggest();
}

const keys = {
  ArrowDown: () => mark(chosen + 1),
  ArrowUp: () => mark(chosen < 0 ? -1 : chosen - 1),
  Escape: close,
  Enter: () => accept(options()[chosen]),
  Tab: () => accept(options()[chosen]),
};

if (box && list) {
  box.addEventListener("input", (event) => {
    if (event.inputType !== "insertReplacementText") suggest();
    box.toggleAttribute("data-half", /(?:^|\s)-?[a-z-]+:"?$/.test(box.value));
  });
  box.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (list.hidden || !act || event.isComposing) return;
    if (["Enter", "Tab"].includes(event.key) && chosen < 0) { close(); return; }
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  box.addEventListener("blur", close);
  box.form?.addEventListener("submit", close);
  document.addEventListener("clew:replace", (event) => { if (!event.detail.isRefresh) answer(); });
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) accept(option);
  });
}

document.addEventListener("click", (event) => {
  const chip = event.target.closest?.("[data-type]");
  if (!chip || !box || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  begin(chip.dataset.type);
});

document.addEventListener("keydown", (event) => {
  const chip = event.target.closest?.(".chip-set");
  if (chip && ["Backspace", "Delete"].includes(event.key)) chip.click();
  if (event.target === box && event.key === "Backspace" && !box.value) document.querySelector(".chips li:has(.chip-set):not(:has(~ li .chip-set)) .chip-set")?.focus();
});

// The values of a field are fetched when somebody is about to choose one.
document.addEventListener("focusin", async (event) => {
  const name = event.target.dataset?.values;
  const values = name && document.getElementById(`values-${name}`);
  if (!values || values.childElementCount) return;
  const found = await ask(`/api/suggest?${new URLSearchParams({ name, limit: 60 })}`);
  values.replaceChildren(...found.map(({ value }) => Object.assign(document.createElement("option"), { value })));
});

// Own notes: star, tags, title, text, hide and bookmarks, saved as soon as they are set.
const piece = document.querySelector('[data-piece="note"]');
const block = () => piece?.querySelector("[data-note]");
const address = document.body.dataset.address;
let near = null;

async function send(url, change) {
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(change) });
  if (answer.ok) return true;
  const told = await answer.json().catch(() => null);
  complain(told?.error?.message ?? "the note could not be saved; try again");
  return false;
}

function complain(message) {
  const line = block().querySelector("[data-error-line]");
  line.textContent = `${message[0].toUpperCase()}${message.slice(1)}.`;
  line.hidden = false;
}

// What the server draws now takes the place of what is shown: facts, outline and note.
async function refresh() {
  const answer = await fetch(address, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const place = focusPlace();
  const isOpen = block()?.querySelector(".own-more")?.open;
  for (const name of ["note", "outline", "facts"]) {
    const made = page.querySelector(`[data-piece="${name}"]`);
    const shown = document.querySelector(`[data-piece="${name}"]`);
    if (made && shown) shown.replaceChildren(...made.childNodes);
  }
  const name = page.querySelector(".top .path .name");
  document.querySelector(".top .path .name")?.replaceWith(name ?? "");
  document.title = page.title;
  document.dispatchEvent(new CustomEvent("clew:marks", { detail: JSON.parse(page.getElementById("marks").textContent) }));
  const more = block()?.querySelector(".own-more");
  if (more) more.open = isOpen;
  if (place) block().querySelector(place)?.focus();
  draw();
}

// The element that has the focus, in words that find it again after it was drawn anew.
function focusPlace() {
  const now = document.activeElement;
  if (!now || !block()?.contains(now)) return "";
  if (now.dataset.do === "untag" || now.dataset.do === "unmark") return "[data-field=tag]";
  if (now.dataset.do) return `[data-do="${now.dataset.do}"]`;
  return now.dataset.field === "tag" ? "[data-field=tag]" : "[data-do=edit-note]";
}

async function change(values) {
  if (block()?.dataset.url && await send(block().dataset.url, values)) await refresh();
}

function openForm(isOpen) {
  const form = block().querySelector("[data-form]");
  form.hidden = !isOpen;
  block().querySelector("[data-do=edit-note]").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) form.querySelector("textarea").focus();
}

// The title is written where it stands.
function rename() {
  const heading = document.querySelector(".facts h1");
  const before = heading.textContent;
  const field = document.createElement("input");
  field.type = "text";
  field.maxLength = 200;
  field.className = "own-title";
  field.value = block().dataset.title || before;
  field.setAttribute("aria-label", "Your title; leave it empty for the original one");
  const restore = () => { if (field.isConnected) heading.replaceChildren(document.createTextNode(before)); };
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    const title = event.key === "Enter" ? field.value.trim() : before.trim();
    block().querySelector("[data-do=rename]").focus();
    if (title !== before.trim()) change({ title });
  });
  field.addEventListener("blur", restore);
  heading.replaceChildren(field);
  field.focus();
  field.select();
}

const deeds = {
  star: (button) => change({ star: button.getAttribute("aria-pressed") !== "true" }),
  hide: (button) => change({ hidden: button.getAttribute("aria-pressed") !== "true" }),
  untag: (button) => change({ remove_tags: [button.closest("[data-tag]").dataset.tag] }),
  rename,
  "edit-note": (button) => openForm(button.getAttribute("aria-expanded") !== "true"),
  "cancel-note": () => { openForm(false); block().querySelector("[data-do=edit-note]").focus(); },
  unmark: (button) => bookmark({ message_id: button.dataset.message, remove: true }),
};

async function bookmark(values) {
  if (block()?.dataset.bookmarksUrl && await send(block().dataset.bookmarksUrl, values)) await refresh();
}

// A bookmark is set at once; the comment is asked for in the button's place.
function toggle(message) {
  if (!block()?.dataset.bookmarksUrl || !message.id.startsWith("m-")) return;
  const name = message.id.slice(2);
  if (message.hasAttribute("data-bookmarked")) bookmark({ message_id: name, remove: true });
  else bookmark({ message_id: name }).then(() => ask(name, message));
}

function ask(name, message) {
  if (!message.hasAttribute("data-bookmarked")) return;
  message.querySelector(".own-comment")?.remove();
  const field = document.createElement("input");
  field.type = "text";
  field.maxLength = 2000;
  field.className = "own-comment";
  field.placeholder = "Why? (Enter saves, Esc skips)";
  field.setAttribute("aria-label", "Comment on the bookmark");
  // Without the focus, it goes by itself.
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    const comment = event.key === "Enter" ? field.value.trim() : "";
    message.focus({ preventScroll: true });
    if (comment) bookmark({ message_id: name, comment });
  });
  field.addEventListener("blur", () => field.remove());
  message.querySelector(":scope > header").after(field);
  field.focus({ preventScroll: true });
}

function marked() {
  return new Set([...piece.querySelectorAll("[data-bookmark]")].map((item) => item.dataset.bookmark));
}

function draw() {
  if (!block()) return;
  const names = marked();
  for (const message of document.querySelectorAll("main article[id^=m-]")) message.toggleAttribute("data-bookmarked", names.has(message.id));
  drawFlags(names);
}

// Flags on the map stand where it has the marks of their messages.
function drawFlags(names) {
  const map = document.querySelector("[data-map]");
  for (const flag of map.querySelectorAll(".own-flag")) flag.remove();
  const rows = JSON.parse(document.getElementById("marks").textContent);
  const level = Math.max(Number(document.body.dataset.detail), 1);
  const shown = rows.filter(([, , lowest]) => lowest <= level);
  const total = Math.max(shown.reduce((sum, row) => sum + row[4], 0), 120);
  let top = 0;
  for (const row of shown) {
    if (names.has(row[0])) map.append(flagAt(row[0], top / total));
    top += row[4];
  }
}

function flagAt(name, share) {
  const flag = document.createElement("span");
  flag.className = "own-flag";
  flag.title = "Bookmark";
  flag.dataset.flag = name;
  flag.style.top = `calc(8px + ${share} * (100% - 16px))`;
  return flag;
}

function offer(target) {
  const message = target.closest?.("main article.message[id^=m-]");
  if (!message || !block()?.dataset.bookmarksUrl) return;
  near?.removeAttribute("data-near");
  near = message.querySelector(":scope > .bookmark") ?? makeButton(message);
  near.toggleAttribute("data-near", true);
  near.textContent = message.hasAttribute("data-bookmarked") ? "Unmark" : "Mark";
}

function makeButton(message) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "bookmark";
  button.title = "Bookmark (b)";
  button.setAttribute("aria-label", "Bookmark the message");
  message.append(button);
  return button;
}

async function offerTags(list) {
  const answer = await fetch("/api/notes");
  if (!answer.ok) return;
  const tags = new Set((await answer.json()).notes.flatMap((note) => note.tags));
  list.replaceChildren(...[...tags].sort().map((tag) => new Option(tag, tag)));
}

if (block()) {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-note] [data-do]");
    if (button) deeds[button.dataset.do]?.(button);
    const mark = event.target.closest("article > .bookmark");
    if (mark) toggle(mark.closest("article"));
  });
  piece.addEventListener("submit", (event) => {
    event.preventDefault();
    change({ text: event.target.querySelector("textarea").value });
  });
  piece.addEventListener("keydown", (event) => {
    const isTag = event.target.matches("[data-field=tag]");
    if (isTag && event.key === "Enter" && event.target.value.trim()) change({ add_tags: event.target.value.split(",").filter((tag) => tag.trim()) });
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("textarea")) event.target.form.requestSubmit();
    if (event.key === "Escape" && event.target.matches("textarea")) deeds["cancel-note"]();
  });
  piece.addEventListener("focusin", (event) => {
    const list = piece.querySelector("#own-tags");
    if (event.target.matches("[data-field=tag]") && !list.options.length) offerTags(list);
  });
  document.addEventListener("pointerover", (event) => offer(event.target));
  document.addEventListener("focusin", (event) => offer(event.target));
  document.addEventListener("clew:bookmark", (event) => toggle(event.target));
  document.addEventListener("clew:star", () => block().querySelector("[data-do=star]:not(:disabled)")?.click());
  document.addEventListener("clew:detail", () => setTimeout(draw));
  new MutationObserver(draw).observe(document.querySelector("[data-sections]"), { childList: true });
  draw();
}

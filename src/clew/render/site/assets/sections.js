// Sections of a session: they come when they are near, and go when they are far and the page has too many elements.

const body = document.body;
const address = body.dataset.address;
const isRun = "run" in body.dataset;
// A page with more elements than this lets go of what is far away.
const most = 8000;
// Contents of a closed fold with more elements than this come when it is opened.
const large = 150;
const margin = 1600;
const messagePixels = 90;
const waitingFor = new Map();
const remembered = new Map();
let marks = JSON.parse(document.getElementById("marks").textContent);
let isPrinting = false;
let tidying = 0;
let goes = 0;

export const holder = document.querySelector("[data-sections]");

export function section(number) {
  return holder.querySelector(`[data-section="${number}"]`);
}

export function parse(text) {
  return new DOMParser().parseFromString(text, "text/html");
}

// The other scripts hear of what is new on the page; a fork begins on its main branch.
export function added(element, isNew = false) {
  for (const fork of element.querySelectorAll("[data-fork]")) {
    if (!fork.querySelector(":scope > [data-chosen]")) fork.querySelector(":scope > [data-main]")?.toggleAttribute("data-chosen", true);
  }
  element.dispatchEvent(new CustomEvent("clew:added", { bubbles: true, detail: { isNew } }));
}

export function wrap(element) {
  const piece = document.createElement("div");
  piece.className = "piece";
  piece.append(element);
  return piece;
}

function made(text) {
  return parse(text).querySelector("[data-section]");
}

// A section as the server draws it: nothing opened, nothing left out.
export async function fetchSection(number) {
  const answer = await fetch(`${address}/sections/${number}`);
  if (!answer.ok) throw new Error(`section ${number}: ${answer.status}`);
  return made(await answer.text());
}

function elements(place) {
  return place.getElementsByTagName("*").length;
}

// What a reader opened and chose, by names that the same section has again.
function foldNames(place) {
  const seen = new Map();
  return [...place.querySelectorAll("details")].map((details) => {
    const name = details.id || `${details.closest("[id]")?.id} ${details.querySelector("summary")?.textContent.slice(0, 40)}`;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return [`${name} ${seen.get(name)}`, details];
  });
}

function remember(place) {
  const open = foldNames(place).filter(([, details]) => details.open).map(([name]) => name);
  const chosen = [...place.querySelectorAll("[data-chosen]")].map((branch) => branch.id);
  remembered.set(place.dataset.section, { open: new Set(open), chosen: new Set(chosen) });
}

function restore(place) {
  const known = remembered.get(place.dataset.section);
  if (!known) return;
  for (const [name, details] of foldNames(place)) details.open = known.open.has(name);
  for (const button of place.querySelectorAll("[data-branch]")) button.setAttribute("aria-pressed", String(known.chosen.has(button.dataset.branch)));
  for (const branch of place.querySelectorAll("[data-fork] > [id]")) branch.toggleAttribute("data-chosen", known.chosen.has(branch.id));
}

// Closed folds that hold much are left empty; what filters and keys look for in them is noted.
function leaveOut(place) {
  for (const details of isRun ? [] : place.querySelectorAll("details[id]:not([open])")) {
    const inside = details.querySelector(":scope > .inside");
    if (!place.contains(details) || !inside || elements(inside) <= large) continue;
    inside.dataset.left = "";
    inside.toggleAttribute("data-left-error", Boolean(inside.querySelector("[data-error]")));
    inside.dataset.leftTools = [...new Set([...inside.querySelectorAll("[data-tool]")].map((call) => encodeURIComponent(call.dataset.tool)))].join(" ");
    inside.replaceChildren();
  }
}

async function fill(details) {
  const inside = details.querySelector(":scope > .inside[data-left]");
  if (!inside) return;
  const number = details.closest("[data-section]").dataset.section;
  const whole = (await fetchSection(number)).ownerDocument.getElementById(details.id)?.querySelector(":scope > .inside");
  if (!whole || !("left" in inside.dataset)) return;
  leaveOut(whole);
  for (const name of ["data-left", "data-left-error", "data-left-tools"]) inside.removeAttribute(name);
  inside.replaceChildren(...whole.childNodes);
  added(inside, true);
  tidySoon();
}

async function fillAll(place) {
  if (place instanceof HTMLDetailsElement) await fill(place);
  const holders = () => [...place.querySelectorAll("details:has(> .inside[data-left])")];
  for (let left = holders(); left.length; left = holders()) {
    for (const details of left) await fill(details);
  }
}

// Browsers keep what one reads in its place when something above it grows; the others need help.
function inPlace(place, change) {
  if (CSS.supports("overflow-anchor", "auto") || place.getBoundingClientRect().bottom > 0) return change();
  const before = document.documentElement.scrollHeight;
  change();
  return scrollBy(0, document.documentElement.scrollHeight - before);
}

function show(place, whole) {
  restore(whole);
  leaveOut(whole);
  // Until it is drawn, it is as tall as what it takes the place of.
  whole.style.containIntrinsicBlockSize = `auto ${Math.max(Number(place.dataset.waiting) - 8, 0)}px`;
  const piece = wrap(whole);
  layOut(whole);
  inPlace(place, () => (place.parentElement.matches(".piece") ? place.parentElement : place).replaceWith(piece));
  added(piece, !remembered.has(whole.dataset.section));
  return whole;
}

// Each section is fetched once; whoever asks again waits for the same answer.
export function load(number) {
  const place = section(number);
  if (!place || !("waiting" in place.dataset)) return Promise.resolve(place);
  if (!waitingFor.has(number)) {
    waitingFor.set(number, fetchSection(number).then((whole) => {
      const now = section(number);
      if (!now || !("waiting" in now.dataset)) return now;
      tidySoon();
      return show(now, whole);
    }).finally(() => waitingFor.delete(number)));
  }
  return waitingFor.get(number);
}

const near = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    near.unobserve(entry.target);
    load(Number(entry.target.dataset.section)).catch(() => near.observe(entry.target));
  }
}, { rootMargin: `${margin}px` });

// A section is laid out when it comes, so that nothing moves when it is in view; far away it is skipped with that height.
const laidOut = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) continue;
    laidOut.unobserve(target);
    target.style.contentVisibility = "";
  }
}, { rootMargin: `${margin}px` });

function layOut(place) {
  place.style.contentVisibility = "visible";
  laidOut.observe(place);
}

function reserve(place, pixels) {
  place.dataset.waiting = pixels;
  place.style.minHeight = `${pixels}px`;
}

// What somebody reads, opens, selects or has folded to one line stays.
function isInUse(place) {
  const selection = getSelection();
  const isSelected = !selection.isCollapsed && selection.rangeCount > 0 && selection.getRangeAt(0).intersectsNode(place);
  return isSelected || place.contains(document.activeElement) || "folded" in place.dataset || place.querySelector("pre.raw, [data-now]:hover") !== null;
}

function release(place) {
  remember(place);
  const left = document.createElement("section");
  left.className = "turn waiting";
  left.id = place.id;
  Object.assign(left.dataset, { turn: place.dataset.turn, section: place.dataset.section });
  reserve(left, place.getBoundingClientRect().height);
  place.dispatchEvent(new CustomEvent("clew:released", { bubbles: true }));
  const piece = wrap(left);
  (place.parentElement.matches(".piece") ? place.parentElement : place).replaceWith(piece);
  near.observe(left);
  added(piece);
}

function distance(place) {
  const box = place.getBoundingClientRect();
  return Math.max(box.top - innerHeight, -box.bottom);
}

// Lets go of the farthest sections first, and of none that would be fetched again at once.
function tidy() {
  tidying = 0;
  let count = elements(holder);
  if (isRun || isPrinting || count <= most) return;
  const far = [...holder.querySelectorAll("[data-section]:not([data-waiting])")].map((place) => [distance(place), place]);
  for (const [away, place] of far.filter(([away]) => away > 2 * margin).sort(([a], [b]) => b - a)) {
    if (count <= 0.75 * most) break;
    if (isInUse(place)) continue;
    count -= elements(place);
    release(place);
  }
}

function tidySoon() {
  clearTimeout(tidying);
  tidying = elements(holder) > 2 * most ? setTimeout(tidy, 50) : setTimeout(tidy, 500);
}

// How much is shown decides how tall a section is; what is not on the page has about so many messages.
function guessHeights() {
  const level = Math.max(Number(body.dataset.detail), 1);
  const off = new Set(body.dataset.off.split(" "));
  const counts = new Map();
  for (const [, look, lowest, number] of marks) if (lowest <= level && !off.has(look)) counts.set(number, (counts.get(number) ?? 0) + 1);
  const pixels = body.dataset.detail === "0" ? messagePixels / 3 : messagePixels;
  for (const place of holder.querySelectorAll("[data-waiting]")) reserve(place, Math.max(counts.get(Number(place.dataset.section)) ?? 0, 1) * pixels);
}

// Puts something on the page, however deep in closed folds it is; false where the page has no such thing.
export async function ensure(id, number) {
  if (document.getElementById(id)) return true;
  await load(number);
  if (document.getElementById(id)) return true;
  const whole = await fetchSection(number);
  const around = [];
  for (let fold = whole.ownerDocument.getElementById(id)?.parentElement?.closest("details[id]"); fold; fold = fold.parentElement.closest("details[id]")) around.unshift(fold.id);
  for (const name of around) {
    const fold = document.getElementById(name);
    if (fold) await fill(fold);
  }
  return Boolean(document.getElementById(id));
}

// A link may lead to what is not there; only the last of several is followed.
export async function goTo(id) {
  const own = ++goes;
  let shown = id;
  if (!document.getElementById(id)) {
    const answer = await fetch(`${body.dataset.session}/find?${new URLSearchParams({ anchor: id })}`);
    const found = answer.ok ? await answer.json() : { section: null };
    if (found.section === null || own !== goes) return;
    shown = found.element;
    if (!isRun) await ensure(shown, found.section);
    if (own !== goes) return;
    if (!isRun && found.run && !document.getElementById(shown)) return location.replace(`${body.dataset.session}/runs/${encodeURIComponent(found.run)}${location.search}#${shown}`);
    // Only now the browser can know what the address points at.
    if (location.hash) location.replace(`#${shown}`);
  }
  document.getElementById(shown)?.dispatchEvent(new CustomEvent("clew:go", { bubbles: true }));
}

export function goToHash(event) {
  const id = decodeURIComponent((event ? new URL(event.newURL) : location).hash.slice(1));
  return id && !document.getElementById(id) ? goTo(id).catch(() => {}) : Promise.resolve();
}

// The rest comes while nobody waits for anything, as far as the page may have it.
export async function loadRest() {
  for (;;) {
    const next = holder.querySelector("[data-waiting]");
    if (!next || document.hidden || elements(holder) > most / 2) return;
    try { await load(Number(next.dataset.section)); } catch { return; }
    await new Promise((done) => setTimeout(done, 20));
  }
}

export async function loadEnd() {
  const last = [...holder.querySelectorAll("[data-section]")].at(-1);
  if (last) await load(Number(last.dataset.section));
}

// The next section that has what a key looks for, in either direction, up to the one where something was found.
async function seek({ selector, by, from, until }) {
  const isError = selector.includes("data-error");
  for (let number = from; section(number) && number !== until; number += by) {
    const place = section(number);
    if (!("waiting" in place.dataset)) continue;
    const line = document.querySelector(`nav [data-turn="${place.dataset.turn}"]`);
    if (isError && line && !line.querySelector(".bad")) continue;
    const whole = await fetchSection(number);
    if (!whole.parentElement.querySelector(selector.replaceAll("main ", ""))) continue;
    await load(number);
    return number;
  }
  return null;
}

// Paper takes all of it; a page cannot wait for an answer while it is printed, so this one asks at once.
function loadForPrint() {
  isPrinting = true;
  for (const place of holder.querySelectorAll("[data-waiting]")) {
    const request = new XMLHttpRequest();
    request.open("GET", `${address}/sections/${place.dataset.section}`, false);
    request.send();
    if (request.status === 200) show(place, made(request.responseText));
  }
}

// Where a link, a key or a match led stays in view while sections around it come, until the reader moves on.
let arrived = null;
let holdUntil = 0;

function holdPlace() {
  if (!arrived || performance.now() > holdUntil) return;
  // Words in what is far away have no place of their own.
  const own = arrived.getBoundingClientRect();
  const box = own.height || !arrived.startContainer ? own : arrived.startContainer.parentElement.getBoundingClientRect();
  if (box.top < 40 || box.top > innerHeight - 60) scrollBy(0, box.top - 120);
}

document.addEventListener("clew:arrived", (event) => { arrived = event.detail; holdUntil = performance.now() + 2000; });
document.addEventListener("clew:added", () => requestAnimationFrame(holdPlace));
for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) addEventListener(kind, () => { arrived = null; }, { passive: true, capture: true });

const wholes = (event, promise) => event.detail.wait.push(promise);
document.addEventListener("clew:whole", (event) => wholes(event, fetchSection(event.detail.section)));
document.addEventListener("clew:need", (event) => wholes(event, ensure(event.detail.id, event.detail.section)));
document.addEventListener("clew:fill", (event) => wholes(event, fillAll(event.target)));
document.addEventListener("clew:seek", (event) => wholes(event, seek(event.detail)));
document.addEventListener("clew:end", (event) => wholes(event, loadEnd()));
document.addEventListener("clew:wanted", (event) => { event.preventDefault(); goTo(event.detail).catch(() => {}); });
document.addEventListener("clew:marks", (event) => { marks = event.detail; });
document.addEventListener("clew:shown", guessHeights);
document.addEventListener("toggle", (event) => { if (event.target.open) fill(event.target).catch(() => {}); }, true);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  // A link to where one is already changes no address.
  if (link && link.hash === location.hash) goToHash();
});
addEventListener("hashchange", goToHash);
addEventListener("scrollend", () => { if (elements(holder) > most) tidySoon(); });
addEventListener("beforeprint", loadForPrint);
addEventListener("afterprint", () => { isPrinting = false; tidySoon(); });

for (const place of holder.querySelectorAll("[data-waiting]")) {
  place.replaceChildren();
  reserve(place, Number(place.dataset.waiting));
  near.observe(place);
}
for (const place of holder.querySelectorAll("[data-section]:not([data-waiting])")) {
  leaveOut(place);
  layOut(place);
}
// A place that the page does not have is waited for no more.
function giveUp() {
  if (!document.getElementById(decodeURIComponent(location.hash.slice(1)))) document.dispatchEvent(new CustomEvent("clew:settled", { detail: { isLast: true } }));
}

goToHash().finally(giveUp).finally(() => ("requestIdleCallback" in window ? requestIdleCallback(loadRest) : setTimeout(loadRest, 200)));

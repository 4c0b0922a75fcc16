// Folds, turns, branches and places: whatever is asked for is opened, chosen and scrolled to.
const root = document.getElementById("talk");
const foldedTurns = new Set();
// Whether all folds were opened or closed at once: what comes later follows.
let areAllOpen = null;

function chooseBranch(fork, id) {
  for (const button of fork.querySelectorAll("[data-branch]")) {
    if (button.closest("[data-fork]") === fork) button.setAttribute("aria-pressed", String(button.dataset.branch === id));
  }
  for (const branch of fork.children) {
    if (branch.id && branch.id.startsWith("b-")) branch.toggleAttribute("data-chosen", branch.id === id);
  }
}

// A turn may have several sections, some of which come later.
function showTurns(place = root) {
  for (const section of place.querySelectorAll(".turn")) section.toggleAttribute("data-folded", foldedTurns.has(section.dataset.turn));
  for (const button of place.querySelectorAll("[data-do=turn]")) {
    button.setAttribute("aria-expanded", String(!foldedTurns.has(button.closest(".turn").dataset.turn)));
  }
}

function foldTurn(number, isFolded = !foldedTurns.has(number)) {
  foldedTurns[isFolded ? "add" : "delete"](number);
  showTurns();
}

// The key folds the turn that is read; its button is what stays of it.
function foldTurnAt(place) {
  const number = place.closest(".turn")?.dataset.turn;
  const button = root.querySelector(`.turn[data-turn="${number}"] > .turn-head [data-do=turn]`);
  if (!button) return;
  foldTurn(number);
  document.dispatchEvent(new CustomEvent("clew:now", { detail: button }));
  button.focus({ preventScroll: true });
  button.scrollIntoView({ block: "nearest" });
}

function reveal(target) {
  const turn = target.closest(".turn");
  // Far away, a turn has the height that it had last, whatever was opened in it meanwhile.
  turn?.style.setProperty("content-visibility", "visible");
  if (turn && foldedTurns.has(turn.dataset.turn)) foldTurn(turn.dataset.turn, false);
  for (let element = target; element && element !== root; element = element.parentElement) {
    if (element instanceof HTMLDetailsElement && element !== target) element.open = true;
    const fork = element.parentElement;
    if (fork && "fork" in fork.dataset && element.id.startsWith("b-")) chooseBranch(fork, element.id);
  }
  const level = Number(target.closest("[data-level]")?.dataset.level ?? 0);
  if (level > Math.max(Number(document.body.dataset.detail), 1)) {
    document.dispatchEvent(new CustomEvent("clew:detail", { detail: level }));
  }
}

// What is far away has a guessed height until it is near: look again when it has its own.
function scrollThere(target, tries = 4) {
  target.scrollIntoView({ block: "start" });
  if (tries > 0) requestAnimationFrame(() => requestAnimationFrame(() => scrollThere(target, tries - 1)));
  else document.dispatchEvent(new CustomEvent("clew:settled", { detail: { isLast: false } }));
}

function goTo(target) {
  reveal(target);
  if (target instanceof HTMLDetailsElement) target.open = true;
  scrollThere(target);
  document.dispatchEvent(new CustomEvent("clew:arrived", { detail: target }));
  const message = target.closest("[data-kind]") ?? target.querySelector("[data-kind]");
  if (message) document.dispatchEvent(new CustomEvent("clew:now", { detail: message }));
}

// At the top of a page the address may have lost its place again before the event comes.
function goToHash(event) {
  const id = decodeURIComponent((event ? new URL(event.newURL) : location).hash.slice(1));
  const target = id && document.getElementById(id);
  if (target && root.contains(target)) goTo(target);
}

function openAll(place, isOpen) {
  for (const details of place.querySelectorAll("details:not([data-about])")) details.open = isOpen;
}

function setAll(isOpen) {
  areAllOpen = isOpen;
  openAll(root, isOpen);
  if (isOpen) foldedTurns.clear();
  showTurns();
}

document.addEventListener("clew:reveal", (event) => reveal(event.target));
document.addEventListener("clew:turn", (event) => foldTurnAt(event.target));
document.addEventListener("clew:added", (event) => {
  showTurns(event.target);
  if (event.detail?.isNew && areAllOpen) openAll(event.target, true);
});
document.addEventListener("clew:go", (event) => goTo(event.target));
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-branch], [data-do]");
  if (!button) return;
  if (button.dataset.branch) chooseBranch(button.closest("[data-fork]"), button.dataset.branch);
  if (button.dataset.do === "turn") foldTurn(button.closest(".turn").dataset.turn);
  if (button.dataset.do === "fold") setAll(false);
  if (button.dataset.do === "unfold") setAll(true);
});
for (const main of document.querySelectorAll("[data-fork] > [data-main]")) main.toggleAttribute("data-chosen", true);
addEventListener("hashchange", goToHash);
goToHash();

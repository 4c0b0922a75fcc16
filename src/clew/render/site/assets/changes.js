// Changes and versions of files: copy a patch, and go through versions with a slider.

for (const button of document.querySelectorAll("[data-copy-patch]")) {
  button.addEventListener("click", async () => {
    const answer = await fetch(button.dataset.copyPatch).catch(() => null);
    const text = answer?.ok ? await answer.text() : null;
    const done = text !== null && await navigator.clipboard.writeText(text).then(() => true, () => false);
    button.textContent = done ? "Copied" : "Copying failed";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}

let asked = 0;

async function show(slider) {
  const turn = ++asked;
  const address = new URL(slider.form.action, location.href);
  for (const [name, value] of new FormData(slider.form)) address.searchParams.set(name, value);
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok || turn !== asked) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const found = page.querySelector("[data-version]");
  if (!found) return;
  document.querySelector("[data-version]").replaceWith(found);
  for (const link of document.querySelectorAll("[data-versions] a")) link.toggleAttribute("aria-current", link.dataset.number === slider.value);
  history.replaceState(null, "", address);
  found.dispatchEvent(new CustomEvent("clew:added", { bubbles: true }));
}

for (const slider of document.querySelectorAll("[data-slider]")) {
  slider.addEventListener("input", () => show(slider));
  slider.form.addEventListener("submit", (event) => { event.preventDefault(); show(slider); });
}

// Not every browser opens what a link leads into.
function openTarget() {
  const found = document.getElementById(["#take-back", "#doubts"].find((hash) => hash === location.hash)?.slice(1));
  const around = found?.closest("details");
  if (!around) return;
  around.open = true;
  around.scrollIntoView({ block: "nearest" });
}
addEventListener("hashchange", openTarget);
openTarget();

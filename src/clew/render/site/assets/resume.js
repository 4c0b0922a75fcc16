// Resume: copies the command, or asks the app to open a terminal with it.

const said = document.querySelector("[data-resume-said]");

function tell(words, command, note) {
  said.replaceChildren(words);
  if (!command) return;
  const code = document.createElement("code");
  code.textContent = command;
  said.append(" ", code);
  if (note) said.append(document.createElement("br"), note);
}

// What was said is over the page: it goes with the next click elsewhere, or with Escape.
document.addEventListener("pointerdown", (event) => { if (!event.target.closest(".resume")) said?.replaceChildren(); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") said?.replaceChildren(); });

document.querySelector("[data-resume]")?.addEventListener("click", async (event) => {
  const { resume, note } = event.currentTarget.dataset;
  const done = await navigator.clipboard?.writeText(resume).then(() => true, () => false);
  const words = done ? "Copied. Paste it into a terminal:" : "Copy this into a terminal:";
  tell(words, resume, note);
});

document.querySelector("[data-resume-open]")?.addEventListener("click", async (event) => {
  const answer = await fetch(event.currentTarget.dataset.resumeOpen, { method: "POST" }).catch(() => null);
  const body = await answer?.json().catch(() => null);
  if (answer?.ok) tell("A terminal is open.");
  else tell(body?.error?.message ?? "The app does not answer.");
});

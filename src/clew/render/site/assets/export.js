// Export: a choice takes effect at once; of many sessions, the report comes step by step.
const form = document.querySelector("[data-export-form]");
const place = document.querySelector("[data-report]");

function showStep({ done, total }) {
  const bar = place.querySelector("progress");
  const text = place.querySelector("[data-step]");
  if (!bar || !text) return;
  bar.max = total;
  bar.value = done;
  text.textContent = `Searching for secrets: ${Math.floor((100 * done) / total)} %`;
}

function showReport(markup) {
  const parsed = new DOMParser().parseFromString(markup, "text/html").body;
  place.replaceChildren(...parsed.childNodes);
  // The title is shown once it is known what to mask in it.
  const title = place.querySelector("[data-title]")?.textContent;
  for (const name of title ? document.querySelectorAll("[data-session-title]") : []) name.textContent = title;
  place.dispatchEvent(new CustomEvent("clew:added", { bubbles: true }));
}

function showProblem(text) {
  const problem = document.createElement("p");
  problem.className = "trouble";
  problem.setAttribute("role", "alert");
  problem.textContent = text;
  place.replaceChildren(problem);
}

function show(line) {
  const step = JSON.parse(line);
  if (step.html !== undefined) showReport(step.html);
  else if (step.error !== undefined) showProblem(step.error);
  else showStep(step);
}

async function readReport(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error((await response.json()).error.message);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) show(line);
  }
}

form.addEventListener("change", () => form.requestSubmit());
if (place.dataset.url) readReport(place.dataset.url).catch((error) => showProblem(`The report could not be made: ${error.message}`));

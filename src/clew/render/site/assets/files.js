// Names of files that the session changed link to their pages, wherever they are written as code. A call's line opens the call.
const places = ".prose :not(pre) > code, .diff > .path > bdi";
const line = /:\d+(?:[:-]\d+)?$/;
let files = [];

function read() {
  files = [...document.querySelectorAll(".changed-table a[data-file]")].map((link) => ({ name: link.textContent, path: link.dataset.file, href: link.href }));
}

// The file that a text names, whole or by the end of its path; a name that fits several is none of them.
function fileOf(text) {
  const name = text.trim().replace(line, "");
  if (!/[^\s/\\]\.?[^\s/\\]/.test(name) || /\s/.test(text.trim())) return null;
  const whole = files.find((file) => file.path === name || file.name === name);
  const end = files.filter((file) => file.path.endsWith(`/${name}`) || file.path.endsWith(`\\${name}`));
  return whole ?? (end.length === 1 ? end[0] : null);
}

function link(holder) {
  for (const place of files.length ? holder.querySelectorAll(places) : []) {
    const file = place.closest("a") ? null : fileOf(place.textContent);
    if (!file) continue;
    const made = document.createElement("a");
    made.className = "file-link";
    made.href = file.href;
    made.title = file.path;
    made.append(...place.childNodes);
    place.append(made);
  }
}

read();
link(document.getElementById("talk"));
document.addEventListener("clew:added", (event) => {
  if (event.target.matches("[data-piece=facts]")) read();
  link(event.target);
});

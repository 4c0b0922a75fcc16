// Search in a site of files: all words are in the page, packed.

const form = document.querySelector("form[data-look]");
const field = form.querySelector("input");
const place = document.querySelector("[data-hits]");
const mostHits = 200;
let sessions = null;

async function unpack() {
  const packed = Uint8Array.from(atob(document.getElementById("texts").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const found = JSON.parse(await new Response(stream).text());
  for (const session of found) {
    session.low = session.title.toLowerCase();
    for (const line of session.lines) line.push(line[3].toLowerCase());
  }
  return found;
}

function words(text) {
  return [...text.toLowerCase().matchAll(/"([^"]+)"|(\S+)/g)].map((found) => found[1] ?? found[2]);
}

function marked(text, low, asked) {
  const at = Math.max(0, Math.min(...asked.map((word) => low.indexOf(word)).filter((n) => n >= 0)) - 60);
  const holder = document.createElement("bdi");
  const piece = text.slice(at, at + 240);
  const lowPiece = low.slice(at, at + 240);
  let done = 0;
  while (done < piece.length) {
    let next = -1;
    let length = 0;
    for (const word of asked) {
      const found = lowPiece.indexOf(word, done);
      if (found >= 0 && (next < 0 || found < next)) { next = found; length = word.length; }
    }
    if (next < 0) break;
    holder.append(piece.slice(done, next));
    const mark = document.createElement("mark");
    mark.textContent = piece.slice(next, next + length);
    holder.append(mark);
    done = next + length;
  }
  holder.append(piece.slice(done));
  if (at > 0) holder.prepend("…");
  if (at + 240 < text.length) holder.append("…");
  return holder;
}

function element(name, classes, ...inner) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  made.append(...inner);
  return made;
}

function link(url, classes, ...inner) {
  const made = element("a", classes, ...inner);
  made.href = url;
  return made;
}

function draw(session, hits, asked) {
  const url = `sessions/${encodeURIComponent(session.id)}.html`;
  const title = element("h2", "", link(url, "", element("bdi", "", session.title || "A session without a title")), " ", element("span", "where", session.project));
  const list = element("ul", "");
  for (const [anchor, kind, at, text, low] of hits) {
    const time = document.createElement("time");
    time.dateTime = at;
    time.dataset.form = "day";
    const hit = link(`${url}#${anchor}`, "hit", element("span", "field", kind.replace("_", " ")), time, element("span", "snippet", marked(text, low, asked)));
    hit.dataset.hit = "";
    list.append(element("li", "", hit));
  }
  return element("section", "found", title, list);
}

async function look() {
  const asked = words(field.value);
  if (!asked.length) { place.replaceChildren(); return; }
  sessions ??= await unpack();
  const drawn = [];
  let total = 0;
  for (const session of sessions) {
    const hits = session.lines.filter((line) => asked.every((word) => line[4].includes(word)));
    const titled = asked.every((word) => session.low.includes(word));
    if (!hits.length && !titled) continue;
    if (total < mostHits) drawn.push(draw(session, hits.slice(0, 20), asked));
    total += Math.max(hits.length, 1);
  }
  const count = element("p", "count quiet", `${total.toLocaleString("en")} ${total === 1 ? "hit" : "hits"}`);
  place.replaceChildren(count, ...drawn);
  place.dispatchEvent(new CustomEvent("clew:added", { bubbles: true }));
}

let timer = 0;
field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(look, 80); });
form.addEventListener("submit", (event) => { event.preventDefault(); look(); });
const asked = new URLSearchParams(location.hash.slice(1)).get("q");
if (asked) { field.value = asked; look(); }

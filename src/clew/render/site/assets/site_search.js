// Search in a site of files: all words are in the page, packed.

const form = document.querySelector("form[data-site-search]");
const field = form.querySelector("input");
const place = document.querySelector("[data-hits]");
const mostHits = 200;
const mostOfOne = 20;
let unpacked = null;
let turn = 0;

// Each session is packed on its own; one that is broken must not hide the others.
async function unpackOne(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

async function unpack() {
  const texts = document.getElementById("texts").textContent.split(" ").filter(Boolean);
  const done = await Promise.allSettled(texts.map(unpackOne));
  const found = done.filter((one) => one.status === "fulfilled").map((one) => one.value);
  if (texts.length && !found.length) throw done[0].reason;
  for (const session of found) {
    session.low = lower(session.title);
    for (const line of session.lines) line.push(lower(line[3]));
  }
  return found;
}

// Lower case that keeps every letter where it stands: some letters become two.
function lower(text) {
  const lowered = text.toLowerCase();
  return lowered.length === text.length ? lowered : [...text].map((letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter)).join("");
}

// A phrase whose end is still to be typed is a phrase already.
function words(text) {
  return [...lower(text).matchAll(/"([^"]+)"?|(\S+)/g)].map((found) => (found[1] ?? found[2]).trim()).filter(Boolean);
}

function label(kind) {
  const words = kind.replace("_", " ");
  return words[0].toUpperCase() + words.slice(1);
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

function drawHit(url, [anchor, kind, at, text, low], asked) {
  const time = document.createElement("time");
  time.dateTime = at;
  time.dataset.form = "day";
  const hit = link(`${url}#${anchor}`, "hit", element("span", "field", label(kind)), time, element("span", "snippet", marked(text, low, asked)));
  hit.dataset.hit = "";
  return element("li", "", hit);
}

// A button that what it promises takes the place of.
function more(name, text, make) {
  const button = element("button", "", text);
  button.type = "button";
  const holder = element(name, "more", button);
  button.addEventListener("click", () => {
    const made = make();
    holder.replaceWith(...made);
    for (const part of made) part.dispatchEvent(new CustomEvent("clew:added", { bubbles: true }));
    made[0].querySelector("a")?.focus({ preventScroll: true });
  });
  return holder;
}

function draw(session, hits, asked) {
  const url = `sessions/${encodeURIComponent(session.id)}.html`;
  const title = element("h2", "", link(url, "", element("bdi", "", session.title || "Untitled session")), " ", element("span", "where", session.project));
  const drawn = (some) => some.map((hit) => drawHit(url, hit, asked));
  const list = element("ul", "", ...drawn(hits.slice(0, mostOfOne)));
  const rest = hits.slice(mostOfOne);
  if (rest.length) list.append(more("li", `${rest.length.toLocaleString("en")} more in this session`, () => drawn(rest)));
  return element("section", "found", title, list);
}

// As many sessions as one can look at, and a way to the next ones.
function drawFrom(found, from, asked) {
  const drawn = [];
  let next = from;
  for (let shown = 0; next < found.length && shown < mostHits; next++) {
    const [session, hits] = found[next];
    drawn.push(draw(session, hits, asked));
    shown += Math.min(Math.max(hits.length, 1), mostOfOne);
  }
  const left = found.length - next;
  if (left) drawn.push(more("p", `${left.toLocaleString("en")} more ${left === 1 ? "session" : "sessions"}`, () => drawFrom(found, next, asked)));
  return drawn;
}

function find(sessions, asked) {
  const found = [];
  for (const session of sessions) {
    const hits = session.lines.filter((line) => asked.every((word) => line[4].includes(word)));
    if (hits.length || asked.every((word) => session.low.includes(word))) found.push([session, hits]);
  }
  return found;
}

function tell(text) {
  return element("p", "count quiet", text);
}

async function look() {
  const asked = words(field.value);
  const own = ++turn;
  // Whoever comes back from a hit finds the others again.
  history.replaceState(null, "", asked.length ? `#${new URLSearchParams({ q: field.value })}` : location.pathname);
  if (!asked.length) { place.replaceChildren(); return; }
  unpacked ??= unpack();
  const sessions = await unpacked.catch(() => null);
  if (own !== turn) return;
  if (!sessions) { place.replaceChildren(tell("This browser is too old for this search.")); return; }
  const found = find(sessions, asked);
  const total = found.reduce((sum, [, hits]) => sum + Math.max(hits.length, 1), 0);
  place.replaceChildren(tell(`${total.toLocaleString("en")} ${total === 1 ? "hit" : "hits"}`), ...drawFrom(found, 0, asked));
  place.dispatchEvent(new CustomEvent("clew:added", { bubbles: true }));
}

let timer = 0;
field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(look, 80); });
form.addEventListener("submit", (event) => { event.preventDefault(); look(); });
const asked = new URLSearchParams(location.hash.slice(1)).get("q");
if (asked) { field.value = asked; look(); }

// The timeline: it zooms and moves, the map above shows where one is, and the address says it.
// Idle time stays narrow however far one zooms. Keys go from bar to bar.

const LEAST = 1.5;
const MOVED = 4;
const MOST_PIXELS = 300_000;
const MOST_PER_MS = 0.5;
const MAP_HEIGHT = 36;
const STEPS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10_800, 21_600, 86_400].map((seconds) => seconds * 1000);
const SVG = "http://www.w3.org/2000/svg";

const box = document.querySelector("[data-timeline]");
if (box) start(box);

function make(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Positions of times: busy stretches are as wide as they are long, idle ones as wide as any other.
function makeScale(spans, idle, width) {
  const busy = Math.max(1, spans.reduce((sum, [from, to, isIdle]) => sum + (isIdle ? 0 : to - from), 0));
  const gaps = spans.filter((span) => span[2]).length * idle;
  const perMs = Math.max(width - gaps, width / 4) / busy;
  const build = (zoom) => {
    const starts = [];
    let x = 0;
    for (const [from, to, isIdle] of spans) { starts.push(x); x += isIdle ? idle : (to - from) * perMs * zoom; }
    const find = (list, value) => {
      let low = 0;
      for (let high = list.length; high - low > 1;) { const middle = (low + high) >> 1; if (list[middle] <= value) low = middle; else high = middle; }
      return low;
    };
    const begins = spans.map((span) => span[0]);
    return {
      width: x,
      perMs: perMs * zoom,
      place(at) {
        const n = find(begins, at);
        const [from, to, isIdle] = spans[n];
        const part = Math.min(Math.max(at - from, 0), to - from);
        return starts[n] + (isIdle ? (part / Math.max(to - from, 1)) * idle : part * perMs * zoom);
      },
      timeAt(place) {
        const n = find(starts, place);
        const [from, to, isIdle] = spans[n];
        const inside = Math.max(place - starts[n], 0);
        return Math.min(to, from + (isIdle ? (inside / idle) * (to - from) : inside / (perMs * zoom)));
      },
    };
  };
  const most = Math.max(1, Math.min(MOST_PIXELS / Math.max(width, 1), MOST_PER_MS / perMs));
  return { build, perMs, most, idle };
}

function readItems(chart) {
  return [...chart.querySelectorAll("a[data-t]")].map((link) => {
    const [from, to = from] = link.dataset.t.split(" ").map(Number);
    return { link, shape: link.lastElementChild, from, to, lane: Number(link.dataset.lane) };
  });
}

function start(box) {
  const chart = box.querySelector("[data-chart]");
  const axis = box.querySelector("[data-axis]");
  const names = box.querySelector(".lane-names");
  const reading = document.querySelector("[data-reading]");
  if (matchMedia("(max-width: 700px), (pointer: coarse)").matches) reading.textContent = "Select a span on the map, or use + and −; the chart can be moved.";
  const hint = reading.textContent;
  const began = Number(box.dataset.start);
  const spans = JSON.parse(box.dataset.intervals);
  const gapCount = spans.filter((span) => span[2]).length;
  let idle = Number(box.dataset.idle);
  const items = readItems(chart);
  const strips = [...chart.querySelectorAll("[data-idle-strip]")];
  const ends = spans.at(-1)[1];
  const map = makeMap(document.querySelector("[data-timeline-map]"), items);
  let scales, scale, zoom = 1, seen = [0, ends];

  const room = () => Math.max(80, box.clientWidth - names.offsetWidth);
  const lay = () => {
    for (const { shape, from, to } of items) {
      const x = scale.place(from);
      if (shape.localName === "line") { shape.setAttribute("x1", x); shape.setAttribute("x2", x); continue; }
      shape.setAttribute("x", x);
      shape.setAttribute("width", Math.max(LEAST, scale.place(to) - x));
    }
    spans.filter((span) => span[2]).forEach(([from], n) => {
      const x = scale.place(from);
      strips[n].querySelector("rect").setAttribute("x", x);
      strips[n].querySelector("text").setAttribute("x", x + idle / 2);
    });
    for (const one of [chart, axis]) one.setAttribute("width", Math.max(room(), scale.width));
  };
  const moved = () => {
    seen = [scale.timeAt(box.scrollLeft), scale.timeAt(box.scrollLeft + room())];
    drawTicks(axis, scale, spans, began, box.scrollLeft, room());
    map.show(seen);
    for (const button of document.querySelectorAll("[data-zoom]")) {
      button.disabled = button.dataset.zoom === "in" ? zoom >= scales.most : zoom <= 1;
    }
    remember();
  };
  const setZoom = (next) => {
    zoom = Math.min(scales.most, Math.max(1, next));
    scale = scales.build(zoom);
    lay();
  };
  // Keep the time under a place of the window where it is.
  const zoomAt = (factor, at) => {
    const time = scale.timeAt(box.scrollLeft + at);
    setZoom(zoom * factor);
    box.scrollLeft = scale.place(time) - at;
    moved();
  };
  const zoomTo = (from, to) => {
    const gaps = spans.filter(([a, b, isIdle]) => isIdle && b > from && a < to).length * idle;
    const busy = spans.reduce((sum, [a, b, isIdle]) => sum + (isIdle ? 0 : Math.max(0, Math.min(b, to) - Math.max(a, from))), 0);
    setZoom(Math.max(room() - gaps, room() / 4) / Math.max(busy * scales.perMs, 0.01));
    box.scrollLeft = scale.place(from);
    moved();
  };
  const all = () => { setZoom(1); box.scrollLeft = 0; moved(); };
  // Many pauses in a narrow window would leave no room for anything else.
  const widest = idle;
  const words = strips.map((strip) => strip.querySelector("text")).map((text) => [text, text.textContent, text.dataset.short]);
  const fitIdle = () => {
    idle = Math.min(widest, Math.max(24, (0.4 * room()) / Math.max(gapCount, 1)));
    for (const strip of strips) strip.querySelector("rect").setAttribute("width", idle);
    for (const [text, whole, short] of words) text.textContent = idle < 34 ? short : whole;
  };
  const measure = () => {
    fitIdle();
    scales = makeScale(spans, idle, room());
    if (zoom <= 1) all(); else zoomTo(...seen);
    map.draw(scales.build(1), room());
    map.show(seen);
  };

  // The address: a span of time, left out where everything is shown.
  let writing = 0;
  function remember() {
    clearTimeout(writing);
    writing = setTimeout(() => {
      const address = new URL(location.href);
      for (const [name, at] of [["from", seen[0]], ["to", seen[1]]]) {
        if (zoom <= 1) address.searchParams.delete(name);
        else address.searchParams.set(name, new Date(began + Math.round(at)).toISOString());
      }
      if (address.href !== location.href) history.replaceState(history.state, "", address);
    }, 150);
  }
  function recall() {
    const asked = new URLSearchParams(location.search);
    const [from, to] = ["from", "to"].map((name) => Date.parse(asked.get(name) ?? "") - began);
    if (from >= 0 && to > from && from < ends) { seen = [from, Math.min(to, ends)]; zoomTo(...seen); }
  }

  let frame = 0;
  box.addEventListener("scroll", () => { frame ||= requestAnimationFrame(() => { frame = 0; moved(); }); }, { passive: true });
  const onWheel = (event) => {
    const isFree = event.ctrlKey || event.metaKey || event.altKey || event.target.closest(".timeline-axis, .timeline-map");
    if (!isFree || Math.abs(event.deltaY) < Math.abs(event.deltaX)) return;
    event.preventDefault();
    zoomAt(event.deltaY < 0 ? 1.25 : 0.8, Math.min(Math.max(event.clientX - chartLeft(), 0), room()));
  };
  const chartLeft = () => box.getBoundingClientRect().left + names.offsetWidth;
  box.addEventListener("wheel", onWheel, { passive: false });
  map.element.addEventListener("wheel", onWheel, { passive: false });
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      if (button.dataset.zoom === "all") all(); else zoomAt(button.dataset.zoom === "in" ? 1.6 : 0.625, room() / 2);
    });
  }
  selectSpans({ box, chart, axis, chartLeft, toTime: (x) => scale.timeAt(x), zoomTo });
  map.listen({ zoomTo, centre(time) { box.scrollLeft = scale.place(time) - room() / 2; } });

  const say = (link) => {
    const item = link && items.find((one) => one.link === link);
    reading.classList.toggle("named", Boolean(item));
    reading.textContent = item ? `${clock(began + item.from, true)} ${link.querySelector("title").textContent}` : hint;
  };
  const near = (event) => event.target.closest?.("a[data-t]");
  chart.addEventListener("pointerover", (event) => { if (near(event)) say(near(event)); });
  chart.addEventListener("focusin", (event) => { if (near(event)) say(near(event)); });
  box.addEventListener("pointerleave", () => say(near({ target: document.activeElement })));
  keys({ box, chart, items, zoomAt, all, room, names, axis, place: (at) => scale.place(at) });

  measure();
  recall();
  new ResizeObserver(() => { if (Math.abs(room() - lastRoom) > 1) { lastRoom = room(); measure(); } }).observe(box);
  let lastRoom = room();
}

function clock(at, seconds) {
  const form = { hour: "2-digit", minute: "2-digit", hour12: false, ...(seconds ? { second: "2-digit" } : {}) };
  return new Date(at).toLocaleTimeString("en-GB", form);
}

// Round times in the part that is seen; where a day begins, its date.
function drawTicks(axis, scale, spans, began, left, width) {
  const found = [];
  const wanted = 90 / scale.perMs;
  const step = STEPS.find((one) => one >= wanted) ?? STEPS.at(-1);
  const zone = new Date(began).getTimezoneOffset() * 60_000;
  let last = -Infinity;
  let day = "";
  for (const [from, to, isIdle] of spans) {
    if (isIdle || scale.place(to) < left || scale.place(from) > left + width) continue;
    let at = Math.max(from, scale.timeAt(Math.max(left - 90, 0)));
    for (; at <= to; at = (Math.floor((began + at - zone) / step) + 1) * step - began + zone) {
      const x = scale.place(at);
      if (x > left + width - 50) break;
      if (x < left || x - last < 60) continue;
      last = x;
      const today = new Date(began + at).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
      if (today !== day) { found.push(make("text", { x: x + 3, y: 34, class: "day" }, today)); day = today; }
      found.push(make("line", { x1: x, x2: x, y1: 4, y2: 20, class: "grid" }), make("text", { x: x + 3, y: 16 }, clock(began + at, step < 60_000)));
    }
  }
  axis.replaceChildren(...found);
}

// Dragging selects a span, and shows it; with Shift it moves.
function selectSpans({ box, chart, axis, chartLeft, toTime, zoomTo }) {
  let from = null;
  let drawn = null;
  let wasDragged = false;
  const at = (event) => event.clientX - chartLeft() + box.scrollLeft;
  const end = () => { drawn?.remove(); drawn = null; from = null; };
  for (const part of [chart, axis]) {
    part.addEventListener("dragstart", (event) => event.preventDefault());
    part.addEventListener("pointerdown", (event) => {
      wasDragged = false;
      if (event.pointerType === "mouse" && event.button === 0) from = { x: at(event), client: event.clientX, scroll: box.scrollLeft, pans: event.shiftKey };
    });
    part.addEventListener("pointermove", (event) => {
      if (!from || (!wasDragged && Math.abs(event.clientX - from.client) <= MOVED)) return;
      if (!wasDragged) part.setPointerCapture(event.pointerId);
      wasDragged = true;
      if (from.pans) { box.scrollLeft = from.scroll - (event.clientX - from.client); return; }
      drawn ??= chart.appendChild(make("rect", { class: "selected", y: 0, height: "100%" }));
      drawn.setAttribute("x", Math.min(from.x, at(event)));
      drawn.setAttribute("width", Math.abs(at(event) - from.x));
    });
    part.addEventListener("pointerup", (event) => {
      const chosen = from && wasDragged && !from.pans ? [from.x, at(event)].map((x) => toTime(Math.max(x, 0))).sort((a, b) => a - b) : null;
      end();
      if (chosen && chosen[1] > chosen[0]) zoomTo(...chosen);
    });
    part.addEventListener("pointercancel", end);
  }
  // A drag that ends on a bar does not open it.
  chart.addEventListener("click", (event) => { if (wasDragged) event.preventDefault(); }, true);
}

// The map: how many lanes were busy at a time, waits, errors and prompts, and what is seen of it.
function makeMap(element, items) {
  const picture = element.querySelector("svg");
  const lanes = Math.max(1, new Set(items.map((item) => item.lane)).size);
  let scale = null;
  let width = 1;
  const window = make("rect", { class: "seen", y: 1, height: MAP_HEIGHT - 2 });
  const column = (x, tall) => `M${x} ${MAP_HEIGHT}v${-tall}h1v${tall}z`;
  return {
    element,
    draw(next, room) {
      [scale, width] = [next, element.clientWidth || room];
      const factor = width / Math.max(scale.width, 1);
      const busy = Array.from({ length: Math.ceil(width) + 1 }, () => new Set());
      const paths = { work: "", waiting: "", said: "", wrong: "" };
      for (const { shape, from, to, lane } of items) {
        const [first, last] = [from, to].map((at) => Math.floor(scale.place(at) * factor));
        const look = shape.classList[0];
        if (look === "prompt") paths.said += column(first, 8);
        else if (look === "error") paths.wrong += column(first, 14);
        else if (look === "wait") paths.waiting += `M${first} ${MAP_HEIGHT}v-6h${Math.max(1, last - first)}v6z`;
        else for (let x = first; x <= last && look !== "agent"; x++) busy[x]?.add(lane);
      }
      busy.forEach((own, x) => { if (own.size) paths.work += column(x, 4 + ((MAP_HEIGHT - 8) * own.size) / lanes); });
      const drawn = Object.entries(paths).map(([look, d]) => make("path", { class: look, d }));
      picture.replaceChildren(...drawn, window);
    },
    show([from, to]) {
      if (!scale) return;
      const factor = width / Math.max(scale.width, 1);
      const [left, right] = [from, to].map((at) => scale.place(at) * factor);
      window.setAttribute("x", Math.max(0.75, left));
      window.setAttribute("width", Math.max(3, Math.min(right, width - 0.75) - Math.max(0.75, left)));
    },
    listen({ zoomTo, centre }) {
      let from = null;
      let drawn = null;
      const timeAt = (x) => scale.timeAt((Math.min(Math.max(x, 0), width) * scale.width) / width);
      const at = (event) => event.clientX - picture.getBoundingClientRect().left;
      picture.addEventListener("pointerdown", (event) => {
        const [left, wide] = ["x", "width"].map((name) => Number(window.getAttribute(name)));
        const isWhole = wide >= width - 4;
        from = { x: at(event), pans: event.target === window && !isWhole, middle: left + wide / 2 };
        picture.setPointerCapture(event.pointerId);
      });
      picture.addEventListener("pointermove", (event) => {
        if (!from) return;
        if (from.pans) { centre(timeAt(from.middle + at(event) - from.x)); return; }
        drawn ??= picture.appendChild(make("rect", { class: "selected", y: 0, height: MAP_HEIGHT }));
        drawn.setAttribute("x", Math.min(from.x, at(event)));
        drawn.setAttribute("width", Math.abs(at(event) - from.x));
      });
      const end = (event) => {
        const asked = from;
        from = null;
        drawn?.remove();
        drawn = null;
        if (!asked || asked.pans || event.type === "pointercancel") return;
        const chosen = [asked.x, at(event)].sort((a, b) => a - b);
        if (chosen[1] - chosen[0] > MOVED) zoomTo(...chosen.map(timeAt)); else centre(timeAt(asked.x));
      };
      picture.addEventListener("pointerup", end);
      picture.addEventListener("pointercancel", end);
    },
  };
}

// One stop for the tab key; left and right stay in a lane, up and down go to the nearest of another.
// Keys that move from bar to bar belong to the chart; those that zoom work wherever nothing else is chosen.
function keys({ box, chart, items, zoomAt, all, room, names, axis, place }) {
  const lanes = [];
  for (const item of items) (lanes[item.lane] ??= []).push(item);
  for (const lane of lanes) lane?.sort((a, b) => a.from - b.from || a.to - b.to);
  for (const { link } of items) link.tabIndex = -1;
  const filled = lanes.map((lane, n) => (lane ? n : -1)).filter((n) => n >= 0);
  let stop = lanes[filled[0]]?.[0];
  if (stop) stop.link.tabIndex = 0;
  const show = (item) => {
    const [left, right] = [place(item.from), place(item.to)];
    if (left < box.scrollLeft || right > box.scrollLeft + room()) box.scrollLeft = left - room() / 3;
    const row = names.children[item.lane];
    const top = axis.clientHeight + (row?.offsetTop ?? 0) - names.offsetTop;
    if (top - axis.clientHeight < box.scrollTop) box.scrollTop = top - axis.clientHeight;
    else if (top + 40 > box.scrollTop + box.clientHeight) box.scrollTop = top + 40 - box.clientHeight;
  };
  const settle = (item) => { if (stop) stop.link.tabIndex = -1; stop = item; stop.link.tabIndex = 0; };
  const go = (item) => { if (!item) return; settle(item); item.link.focus({ preventScroll: true }); show(item); };
  const beside = (item, by) => {
    const lane = lanes[filled[filled.indexOf(item.lane) + by]];
    return lane?.reduce((best, one) => (Math.abs(one.from - item.from) < Math.abs(best.from - item.from) ? one : best));
  };
  chart.addEventListener("focusin", (event) => {
    const item = items.find((one) => one.link === event.target.closest("a"));
    if (item && item !== stop) settle(item);
  });
  document.addEventListener("keydown", (event) => {
    const isHere = box.contains(event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || (!isHere && event.target !== document.body)) return;
    const item = items.find((one) => one.link === document.activeElement);
    const own = item && lanes[item.lane];
    const act = {
      "+": () => zoomAt(1.25, room() / 2),
      "=": () => zoomAt(1.25, room() / 2),
      "-": () => zoomAt(0.8, room() / 2),
      "0": all,
      ...(isHere && event.shiftKey ? { ArrowLeft: () => { box.scrollLeft -= room() / 5; }, ArrowRight: () => { box.scrollLeft += room() / 5; } } : item && {
        ArrowLeft: () => go(own[own.indexOf(item) - 1]),
        ArrowRight: () => go(own[own.indexOf(item) + 1]),
        ArrowUp: () => go(beside(item, -1)),
        ArrowDown: () => go(beside(item, 1)),
        Home: () => go(own[0]),
        End: () => go(own.at(-1)),
      }),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
}

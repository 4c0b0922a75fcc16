"""What is written into tessera on a long day."""

from typing import Final

GRAPH: Final = """\
// Which layouts and partials a page is made from.
import { PARTIAL } from "./template.js";

export function inputsOf(layouts, name, seen = new Set()) {
  seen.add(name);
  for (const [, partial] of (layouts.get(name) ?? "").matchAll(PARTIAL)) {
    inputsOf(layouts, `partials/${partial}.html`, seen);
  }
  return seen;
}
"""

TEST_GRAPH: Final = """\
import assert from "node:assert/strict";
import { test } from "node:test";
import { inputsOf } from "../src/graph.js";

const layouts = new Map([
  ["page.html", "{{> head}}{{content}}"],
  ["plain.html", "{{content}}"],
  ["partials/head.html", "{{> meta}}"],
  ["partials/meta.html", "<meta>"],
  ["partials/snake.html", "{{> snake}}"],
]);

test("a layout without partials is its only input", () => {
  assert.deepEqual([...inputsOf(layouts, "plain.html")], ["plain.html"]);
});

test("partials of partials are inputs", () => {
  const inputs = inputsOf(layouts, "page.html");

  assert.deepEqual([...inputs], ["page.html", "partials/head.html", "partials/meta.html"]);
});

test("a partial that includes itself is listed once", () => {
  assert.deepEqual([...inputsOf(layouts, "partials/snake.html")], ["partials/snake.html"]);
});
"""

CACHE: Final = """\
// The cache: from what each page was made at the last build.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

export function digest(texts) {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\\0");
  return hash.digest("base64url").slice(0, 22);
}

export async function loadCache(path) {
  try {
    return new Map(Object.entries(JSON.parse(await readFile(path, "utf8"))));
  } catch {
    return new Map();
  }
}

export async function saveCache(path, cache) {
  await writeFile(path, JSON.stringify(Object.fromEntries(cache), null, 1));
}
"""

BUILD: Final = """\
// Build: content and layouts in, pages out; what did not change is left alone.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { digest, loadCache, saveCache } from "./cache.js";
import { listFiles, readAll } from "./files.js";
import { inputsOf } from "./graph.js";
import { parsePage } from "./page.js";
import { render } from "./template.js";

export async function build(site) {
  const layouts = await readAll(join(site, "layouts"));
  const place = join(site, ".tessera.json");
  const before = await loadCache(place);
  const after = new Map();
  const written = [];
  for (const name of await listFiles(join(site, "content"))) {
    const text = await readFile(join(site, "content", name), "utf8");
    const page = parsePage(name, text);
    const inputs = [...inputsOf(layouts, page.layout)].map((input) => layouts.get(input) ?? "");
    after.set(name, digest([text, ...inputs]));
    if (before.get(name) === after.get(name)) continue;
    await write(join(site, "dist", outputName(name)), render(layouts, page));
    written.push(name);
  }
  const removed = [...before.keys()].filter((name) => !after.has(name));
  for (const name of removed) await rm(join(site, "dist", outputName(name)), { force: true });
  await saveCache(place, after);
  return { written, removed };
}

export function outputName(name) {
  return name.replace(/\\.md$/, ".html");
}

async function write(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
"""

FIRST_WATCH: Final = """\
// Watch: build when something below content or layouts changes.
import { watch as watchFolder } from "node:fs";
import { join } from "node:path";
import { build } from "./build.js";

export function watch(site, built) {
  const watchers = ["content", "layouts"].map((folder) =>
    watchFolder(join(site, folder), { recursive: true }, async () => built(await build(site))),
  );
  return () => watchers.forEach((watcher) => watcher.close());
}
"""

TEST_FIRST_WATCH: Final = """\
import assert from "node:assert/strict";
import { mkdtemp, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { watch } from "../src/watch.js";

test("a saved file makes one build", async () => {
  const root = await mkdtemp(join(tmpdir(), "tessera-"));
  await mkdir(join(root, "content"));
  await mkdir(join(root, "layouts"));
  await writeFile(join(root, "layouts/page.html"), "{{content}}");
  const builds = [];
  const stop = watch(root, (result) => builds.push(result.written));

  await writeFile(join(root, "content/a.md"), "Hello");
  await sleep(300);
  stop();

  assert.equal(builds.length, 1);
});
"""

SETTLE: Final = """\
// Settle: many changes in, one action out, once nothing changed for a while.
export function settle(quiet, action) {
  let changed = new Set();
  let running = false;
  let timer;

  async function run() {
    if (running) return wait();
    const names = [...changed];
    changed = new Set();
    running = true;
    await action(names);
    running = false;
  }

  function wait() {
    clearTimeout(timer);
    timer = setTimeout(run, quiet);
  }

  return (name) => {
    changed.add(name);
    wait();
  };
}
"""

TEST_SETTLE: Final = """\
import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { settle } from "../src/settle.js";

let calls;
beforeEach(() => {
  calls = [];
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

test("many changes make one action", () => {
  const notify = settle(80, (names) => calls.push(names));

  notify("a.md");
  mock.timers.tick(50);
  notify("b.md");
  notify("a.md");
  mock.timers.tick(80);

  assert.deepEqual(calls, [["a.md", "b.md"]]);
});

test("nothing happens while changes keep coming", () => {
  const notify = settle(80, (names) => calls.push(names));

  for (let i = 0; i < 10; i++) {
    notify("a.md");
    mock.timers.tick(79);
  }

  assert.deepEqual(calls, []);
});

test("changes during an action make one more", async () => {
  let finish;
  const notify = settle(80, (names) => {
    calls.push(names);
    return new Promise((resolve) => (finish = resolve));
  });

  notify("a.md");
  mock.timers.tick(80);
  notify("b.md");
  mock.timers.tick(80);
  assert.equal(calls.length, 1);
  finish();
  await new Promise(setImmediate);
  mock.timers.tick(80);

  assert.deepEqual(calls, [["a.md"], ["b.md"]]);
});

test("a failed action does not end the watch", async () => {
  const notify = settle(80, (names) => {
    calls.push(names);
    throw new Error("no layout blog.html");
  });

  notify("a.md");
  mock.timers.tick(80);
  await new Promise(setImmediate);
  notify("b.md");
  mock.timers.tick(80);

  assert.deepEqual(calls, [["a.md"], ["b.md"]]);
});
"""

SECOND_WATCH: Final = """\
// Watch: build when something below content or layouts changes, and it is quiet again.
import { watch as watchFolder } from "node:fs";
import { join } from "node:path";
import { build } from "./build.js";
import { settle } from "./settle.js";

export function watch(site, options, quiet = 80) {
  const notify = settle(quiet, async (names) => {
    const { written, removed } = await build(site, options);
    console.log(`${names.length} changed: wrote ${written.length}, removed ${removed.length}`);
  });
  for (const folder of ["content", "layouts"]) {
    const inside = join(site, folder);
    watchFolder(inside, { recursive: true }, (_, name) => notify(join(folder, name)));
  }
}
"""

MAIN: Final = """\
#!/usr/bin/env node
// tessera build|watch SITE: make SITE/dist from SITE/content and SITE/layouts.
import { build } from "./build.js";
import { watch } from "./watch.js";

const [command, site = "."] = process.argv.slice(2).filter((word) => word !== "--drafts");
const drafts = process.argv.includes("--drafts");
if (command !== "build" && command !== "watch") {
  console.error("usage: tessera build|watch [SITE] [--drafts]");
  process.exit(2);
}
const began = performance.now();
const { written } = await build(site, { drafts });
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(`wrote ${written.length} pages in ${seconds} s`);
if (command === "watch") watch(site, { drafts });
"""

LINKS: Final = """\
// Lists the links of a site that lead nowhere.
import { posix } from "node:path";
import { listFiles, readAll } from "../src/files.js";

const [site] = process.argv.slice(2);
const known = new Set(await listFiles(`${site}/dist`));
for (const [name, text] of await readAll(`${site}/content`)) {
  for (const [, href] of text.matchAll(/\\]\\((?!https?:)([^)#]+)/g)) {
    const target = posix.join(posix.dirname(name), href);
    if (!known.has(target)) console.log(`${name}: ${href}`);
  }
}
"""

TEST_MARKDOWN: Final = """\
import assert from "node:assert/strict";
import { test } from "node:test";
import { toHtml } from "../src/markdown.js";

test("fenced code is kept as it is, blank lines included", () => {
  const html = toHtml("Before\\n\\n```\\nif (a < b) {\\n\\n  *c*\\n}\\n```\\n\\nAfter");

  const pre = "<pre><code>if (a &lt; b) {\\n\\n  *c*\\n}</code></pre>";
  assert.equal(html, `<p>Before</p>\\n${pre}\\n<p>After</p>`);
});

test("a fence that is never closed runs to the end", () => {
  assert.equal(toHtml("```\\none\\n\\ntwo"), "<pre><code>one\\n\\ntwo</code></pre>");
});
"""

SEARCH: Final = """\
// Search: pages in, an index out that a browser can load and search in.
export function makeIndex(pages) {
  const index = {};
  pages.forEach(({ title, text }, number) => {
    for (const word of new Set(words(`${title} ${text}`))) (index[word] ??= []).push(number);
  });
  return { titles: pages.map(({ title, url }) => [title, url]), index };
}

export function find({ titles, index }, query) {
  const lists = words(query).map((word) => new Set(index[word] ?? []));
  if (lists.length === 0) return [];
  const [first, ...others] = lists;
  return [...first].filter((n) => others.every((list) => list.has(n))).map((n) => titles[n]);
}

function words(text) {
  return text.toLowerCase().match(/[\\p{L}\\p{N}]{2,}/gu) ?? [];
}
"""

TEST_SEARCH: Final = """\
import assert from "node:assert/strict";
import { test } from "node:test";
import { find, makeIndex } from "../src/search.js";

const index = makeIndex([
  { title: "Tides", url: "tides.html", text: "The harbour at low water." },
  { title: "Straße", url: "roads.html", text: "The road to the harbour, 2026." },
]);

test("finds the pages that have all words", () => {
  assert.deepEqual(find(index, "harbour"), [["Tides", "tides.html"], ["Straße", "roads.html"]]);
  assert.deepEqual(find(index, "Harbour WATER"), [["Tides", "tides.html"]]);
  assert.deepEqual(find(index, "harbour mountain"), []);
});

test("finds numbers and letters beyond ASCII", () => {
  assert.deepEqual(find(index, "straße 2026"), [["Straße", "roads.html"]]);
});

test("finds nothing for nothing", () => {
  assert.deepEqual(find(index, "?"), []);
});
"""

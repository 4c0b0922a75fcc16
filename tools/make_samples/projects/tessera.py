"""tessera: a small static site generator in JavaScript, without dependencies."""

from typing import Final

ROOT: Final = "/home/mira/code/tessera"

PACKAGE: Final = """\
{
  "name": "tessera",
  "version": "0.7.0",
  "type": "module",
  "bin": { "tessera": "src/main.js" },
  "scripts": { "test": "node --test" }
}
"""

MAIN: Final = """\
#!/usr/bin/env node
// tessera build SITE: make SITE/dist from SITE/content and SITE/layouts.
import { build } from "./build.js";

const [command, site = "."] = process.argv.slice(2);
if (command !== "build") {
  console.error("usage: tessera build [SITE]");
  process.exit(2);
}
const began = performance.now();
const { written } = await build(site);
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(`wrote ${written.length} pages in ${seconds} s`);
"""

BUILD: Final = """\
// Build: content and layouts in, pages out.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { listFiles, readAll } from "./files.js";
import { parsePage } from "./page.js";
import { render } from "./template.js";

export async function build(site) {
  const layouts = await readAll(join(site, "layouts"));
  const written = [];
  for (const name of await listFiles(join(site, "content"))) {
    const page = parsePage(name, await readFile(join(site, "content", name), "utf8"));
    await write(join(site, "dist", outputName(name)), render(layouts, page));
    written.push(name);
  }
  return { written };
}

export function outputName(name) {
  return name.replace(/\\.md$/, ".html");
}

async function write(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
"""

FILES_JS: Final = """\
// Files below a folder.
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

export async function listFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => relative(folder, join(entry.parentPath, entry.name))).sort();
}

export async function readAll(folder) {
  const texts = new Map();
  for (const name of await listFiles(folder)) {
    texts.set(name, await readFile(join(folder, name), "utf8"));
  }
  return texts;
}
"""

PAGE: Final = """\
// A page: front matter and Markdown in, fields and HTML out.
import { toHtml } from "./markdown.js";

export function parsePage(name, text) {
  const [, head = "", body = text] = /^---\\n(.*?)\\n---\\n(.*)$/s.exec(text) ?? [];
  const fields = Object.fromEntries(head.split("\\n").filter(Boolean).map(splitField));
  const { title = name, layout = "page" } = fields;
  return { name, title, layout: `${layout}.html`, text: body, html: toHtml(body) };
}

function splitField(line) {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}
"""

MARKDOWN: Final = """\
// Markdown, as far as we use it: headings, lists, paragraphs, emphasis, code and links.
export function toHtml(text) {
  return text.trim().split(/\\n{2,}/).map(block).join("\\n");
}

function block(text) {
  const heading = /^(#{1,6}) (.*)$/.exec(text);
  if (heading) return `<h${heading[1].length}>${inline(heading[2])}</h${heading[1].length}>`;
  if (text.startsWith("- ")) {
    const items = text.split("\\n").map((line) => `<li>${inline(line.slice(2))}</li>`);
    return `<ul>${items.join("")}</ul>`;
  }
  return `<p>${inline(text.replaceAll("\\n", " "))}</p>`;
}

function inline(text) {
  return escape(text)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\\*\\*([^*]+)\\*\\*/g, "<strong>$1</strong>")
    .replace(/\\*([^*]+)\\*/g, "<em>$1</em>")
    .replace(/\\[([^\\]]+)\\]\\(([^)]+)\\)/g, '<a href="$2">$1</a>');
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
"""

TEMPLATE: Final = """\
// Templates: {{title}} and {{content}} of a page, {{> name}} for a partial.
export const PARTIAL = /\\{\\{> ([\\w./-]+)\\}\\}/g;

export function render(layouts, page) {
  return expand(layouts, page.layout)
    .replaceAll("{{title}}", () => page.title)
    .replaceAll("{{content}}", () => page.html);
}

function expand(layouts, name) {
  const text = layouts.get(name);
  if (text === undefined) throw new Error(`no layout ${name}`);
  return text.replace(PARTIAL, (_, partial) => expand(layouts, `partials/${partial}.html`));
}
"""

TEST_BUILD: Final = """\
import assert from "node:assert/strict";
import { access, mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { build } from "../src/build.js";

async function site(files) {
  const root = await mkdtemp(join(tmpdir(), "tessera-"));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return root;
}

const SMALL = {
  "content/index.md": "---\\ntitle: Home\\n---\\nHello",
  "content/about/us.md": "We",
  "layouts/page.html": "<title>{{title}}</title>{{content}}",
};

test("writes a page for each file", async () => {
  const root = await site(SMALL);

  const { written } = await build(root);

  assert.deepEqual(written, ["about/us.md", "index.md"]);
  const home = await readFile(join(root, "dist/index.html"), "utf8");
  assert.equal(home, "<title>Home</title><p>Hello</p>");
});

test("names the layout that is missing", async () => {
  const root = await site({ ...SMALL, "content/index.md": "---\\nlayout: blog\\n---\\nHello" });

  await assert.rejects(build(root), /no layout blog\\.html/);
});
"""

TEST_TEMPLATE: Final = """\
import assert from "node:assert/strict";
import { test } from "node:test";
import { render } from "../src/template.js";

const page = { title: "Home", layout: "page.html", html: "<p>$& stays</p>" };

test("fills in title and content", () => {
  const layouts = new Map([["page.html", "{{title}}: {{content}}"]]);

  assert.equal(render(layouts, page), "Home: <p>$& stays</p>");
});

test("expands partials within partials", () => {
  const layouts = new Map([
    ["page.html", "{{> head}}{{content}}"],
    ["partials/head.html", "{{> meta}}{{title}}"],
    ["partials/meta.html", "<meta>"],
  ]);

  assert.equal(render(layouts, page), "<meta>Home<p>$& stays</p>");
});
"""

README: Final = """\
# tessera

A static site generator that fits in one head.

    tessera build SITE

makes `SITE/dist` from `SITE/content` and `SITE/layouts`.
"""

FILES: Final = {
    ".gitignore": "dist/\n",
    "README.md": README,
    "package.json": PACKAGE,
    "src/build.js": BUILD,
    "src/files.js": FILES_JS,
    "src/main.js": MAIN,
    "src/markdown.js": MARKDOWN,
    "src/page.js": PAGE,
    "src/template.js": TEMPLATE,
    "test/build.test.js": TEST_BUILD,
    "test/template.test.js": TEST_TEMPLATE,
}

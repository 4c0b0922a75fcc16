"""Before lunch: two stale builds, a faster one, drafts, and a compaction by hand."""

from typing import Final

from tools.make_samples.calls import bash
from tools.make_samples.outputs import node_passed
from tools.make_samples.prose import code
from tools.make_samples.scene import Scene

_RUN: Final = "node --test 2>&1 | tail -8"
_MARKS: Final = " 2>&1 | grep -E '^✖' | sort -u"
_STALE: Final = """\
✖ failing tests:
✖ writes a page that was taken away (7.140031ms)
✖ writes everything when the generator changed (6.402115ms)"""

_SUMMARY: Final = """
1. Primary request: `tessera build` shall write only what changed. The handbook (3,912 pages, in
   `../handbook`) is the measure.

2. What was done, all on the branch `incremental`, commits `2d41c0e` and `9b7f3aa`:
   - `src/graph.js`: `inputsOf(layouts, name)` gives a layout and all its partials, each once.
   - `src/cache.js`: `digest`, `loadCache`, `saveCache`; the cache is `SITE/.tessera.json`.
   - `src/build.js`: one digest for each page over the generator's own source, the page's text and
     its inputs. Pages that are gone are removed; a page missing in `dist` is written again.
   - `src/page.js`: `html` is computed when it is asked for. Files are read 64 at a time.
   - Pages with `draft: true` are left out unless `--drafts` is given.
   - `src/template.js`: a partial that includes itself is an error with a name.

3. Figures: full build 5.8 s before, 3.9 s now; nothing changed 0.4 s; one page changed 0.4 s.

4. Tests: 15 pass (`node --test`). Tests come first, and each failure is looked at.

5. Next: `tessera watch`, then a search index for the browser. No dependencies.
"""


def play(scene: Scene) -> None:
    """Act the time before lunch."""
    _trust_nothing_stale(scene)
    _mend_both(scene)
    _find_the_slow_part(scene)
    _doubt_a_number(scene)
    _leave_out_drafts(scene)
    _break_for_lunch(scene)


def _trust_nothing_stale(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        """
        I played with it. Two complaints: I changed `markdown.js` and got "wrote 0 pages", and
        after `rm -rf dist` it is "wrote 0 pages" again, with nothing there.
        """,
        after=52.0,
    )
    scene.act(
        files.read("test/build.test.js", 33, 48),
        bash(
            "ls ../handbook/dist 2>&1 | head -3; node src/main.js build ../handbook",
            "ls: cannot access '../handbook/dist': No such file or directory\n"
            "wrote 0 pages in 1.7 s",
            told="See it happen",
            seconds=2.1,
        ),
        think="""
        Both are the same mistake: the digest says "same inputs", and we conclude "same output is
        there". First, the generator is an input too; `markdown.js` decides what comes out.
        Second, the output may be gone. For the first, put a digest of `src/*.js` into every key.
        For the second, list `dist` once and look names up, instead of one `access` per page.
        """,
    )
    scene.act(
        files.edit(
            "test/build.test.js",
            'test("names the layout that is missing"',
            code("""
            test("writes everything when the generator changed", async () => {
              const root = await site(SMALL);
              await build(root, { generator: "one" });

              const { written } = await build(root, { generator: "two" });

              assert.equal(written.length, 2);
            });

            test("writes a page that was taken away", async () => {
              const root = await site(SMALL);
              await build(root);
              await rm(join(root, "dist/index.html"));

              const { written } = await build(root);

              assert.deepEqual(written, ["index.md"]);
            });
            """)
            + '\n\ntest("names the layout that is missing"',
        ),
        say="""
        Both fair, and both the same mistake of mine: equal inputs do not prove that the output is
        there, and the generator itself is an input. Tests first:
        """,
    )
    scene.act(bash(f"node --test test/build.test.js{_MARKS}", _STALE, told="See them fail"))


def _mend_both(scene: Scene) -> None:
    files = scene.workspace
    scene.act(
        files.edit(
            "src/build.js",
            "export async function build(site) {\n",
            "export async function build(site, options = {}) {\n"
            "  const sources = await readAll(import.meta.dirname);\n"
            "  const self = options.generator ?? digest(sources.values());\n"
            '  const present = new Set(await listFiles(join(site, "dist")));\n',
        ),
        files.edit(
            "src/build.js",
            "    after.set(name, digest([text, ...inputs]));\n"
            "    if (before.get(name) === after.get(name)) continue;\n",
            "    after.set(name, digest([self, text, ...inputs]));\n"
            "    const isSame = before.get(name) === after.get(name);\n"
            "    if (isSame && present.has(outputName(name))) continue;\n",
        ),
        files.edit(
            "src/files.js",
            "await readdir(folder, { recursive: true, withFileTypes: true });",
            "await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);",
        ),
    )
    scene.act(bash(_RUN, node_passed(13, 171.8), told="Run all tests", seconds=0.6))
    scene.act(
        bash(
            "node src/main.js build ../handbook && node src/main.js build ../handbook",
            "wrote 3912 pages in 6.1 s\nwrote 0 pages in 1.8 s",
            told="Build the handbook twice",
            seconds=8.4,
        ),
    )
    scene.answer(
        """
        Both mended. The digest of `src/*.js` goes into every page's key, so a changed generator
        rebuilds everything, and a page that is missing in `dist` is written whatever the cache
        says. `dist` is listed once per build, which costs about 30 ms on the handbook.
        """
    )


def _find_the_slow_part(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt("1.8 s for nothing is still 1.8 s. Where does it go?", after=33.0)
    scene.act(
        bash(
            "node --cpu-prof --cpu-prof-dir=prof src/main.js build ../handbook && node "
            "scripts/hot.mjs prof",
            "wrote 0 pages in 1.9 s\n"
            " 41 %  inline           src/markdown.js\n"
            " 22 %  block            src/markdown.js\n"
            " 19 %  (waiting)        node:fs\n"
            "  8 %  (garbage collector)\n"
            "  4 %  update           node:crypto",
            told="Profile a build that writes nothing",
            seconds=2.6,
        ),
        say="I will ask the profiler instead of guessing.",
    )
    scene.act(
        files.edit(
            "src/page.js",
            "text: body, html: toHtml(body) };",
            "text: body, get html() { return toHtml(body); } };",
        ),
        say="""
        Two thirds is Markdown, for pages that nobody writes: `parsePage` renders the body at once,
        although the build needs only the layout's name to compute the key. A getter defers it.
        """,
    )
    scene.act(
        bash(_RUN, node_passed(13, 164.2), told="Run all tests", seconds=0.6),
        bash(
            "node src/main.js build ../handbook && node src/main.js build ../handbook",
            "wrote 3912 pages in 5.9 s\nwrote 0 pages in 0.7 s",
            told="Build the handbook twice",
            seconds=7.0,
        ),
    )
    text = files.files["src/build.js"]
    loop = text[text.index("  for (const name of await") : text.index("    const page = parsePage")]
    read_ahead = code(
        """
        const names = await listFiles(join(site, "content"));
        for await (const [name, text] of readMany(join(site, "content"), names)) {
        """,
        2,
    )
    text = text.replace(loop, f"{read_ahead}\n").replace("readFile, rm", "rm")
    scene.act(
        files.write("src/build.js", text.replace("readAll }", "readAll, readMany }")),
        files.edit(
            "src/files.js",
            "\nexport async function readAll",
            code("""
            // Reads ahead, so that the disk is busy while pages are made.
            export async function* readMany(folder, names, ahead = 64) {
              for (let start = 0; start < names.length; start += ahead) {
                const some = names.slice(start, start + ahead);
                yield* await Promise.all(
                  some.map(async (name) => [name, await readFile(join(folder, name), "utf8")]),
                );
              }
            }
            """).join(["\n", "\n"])
            + "\nexport async function readAll",
        ),
        say="0.7 s. What is left is mostly waiting for one file after the other, so read ahead:",
    )
    scene.act(
        bash(_RUN, node_passed(13, 158.7), told="Run all tests", seconds=0.6),
        bash(
            "node src/main.js build ../handbook && node src/main.js build ../handbook",
            "wrote 3912 pages in 3.9 s\nwrote 0 pages in 0.4 s",
            told="Build the handbook twice",
            seconds=4.9,
        ),
    )
    scene.answer(
        """
        | build of the handbook | this morning | now |
        |---|---:|---:|
        | everything | 5.8 s | 3.9 s |
        | nothing changed | 5.8 s | 0.4 s |

        Markdown is rendered only for pages that are written, and files are read 64 at a time. Of
        the 0.4 s that remain, a third is Node starting up.
        """
    )


def _doubt_a_number(scene: Scene) -> None:
    scene.prompt("Is 64 a magic number?", after=2.9)
    scene.act(
        bash(
            'for n in 1 8 512 64; do sed -i -E "s/ahead = [0-9]+/ahead = $n/" src/files.js; echo '
            "$n $(node src/main.js build ../handbook); done",
            "1 wrote 3912 pages in 5.6 s\n8 wrote 3912 pages in 4.2 s\n"
            "512 wrote 3912 pages in 3.9 s\n64 wrote 3912 pages in 3.9 s",
            told="Try other numbers",
            seconds=18.6,
        )
    )
    scene.answer(
        """
        No: 8 is nearly as good, and beyond 64 nothing is gained. It may stay. (Every run wrote
        everything, since I changed the generator each time. The cache is awake.)
        """
    )


def _leave_out_drafts(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        "Lovely. One small thing before lunch: pages with `draft: true` shall stay out.",
        after=58.0,
    )
    scene.act(
        files.edit(
            "test/build.test.js",
            'test("names the layout that is missing"',
            code("""
            test("leaves drafts out, and takes away what became one", async () => {
              const root = await site(SMALL);
              await build(root);
              await writeFile(join(root, "content/index.md"), "---\\ndraft: true\\n---\\nHello");

              const { written, removed } = await build(root);

              assert.deepEqual([written, removed], [[], ["index.md"]]);
            });

            test("builds drafts when asked", async () => {
              const draft = "---\\ndraft: true\\n---\\nHello";
              const root = await site({ ...SMALL, "content/index.md": draft });

              const { written } = await build(root, { drafts: true });

              assert.deepEqual(written, ["about/us.md", "index.md"]);
            });
            """)
            + '\n\ntest("names the layout that is missing"',
        ),
        files.edit(
            "src/page.js",
            'const { title = name, layout = "page" } = fields;\n  return { name, title,',
            'const { title = name, layout = "page", draft } = fields;\n'
            '  return { name, title, isDraft: draft === "true",',
        ),
        files.edit(
            "src/build.js",
            "    const page = parsePage(name, text);\n",
            "    const page = parsePage(name, text);\n"
            "    if (page.isDraft && !options.drafts) continue;\n",
        ),
        files.edit(
            "src/main.js",
            files.files["src/main.js"].partition("const [command")[2].partition("const seconds")[0],
            code("""
            , site = "."] = process.argv.slice(2).filter((word) => word !== "--drafts");
            const drafts = process.argv.includes("--drafts");
            if (command !== "build") {
              console.error("usage: tessera build [SITE] [--drafts]");
              process.exit(2);
            }
            const began = performance.now();
            const { written } = await build(site, { drafts });
            """)
            + "\n",
        ),
    )
    scene.act(bash(_RUN, node_passed(15, 183.5), told="Run all tests", seconds=0.6))
    scene.answer(
        """
        Done: drafts stay out, `--drafts` lets them in, and a page that *becomes* a draft is taken
        out of `dist`. That last one came for free, since a name without a key counts as removed.
        """
    )


def _break_for_lunch(scene: Scene) -> None:
    scene.wait(160)
    scene.builder.bash(
        "git add -A && git commit -qm 'build: leave drafts out' && git log --oneline -3",
        stdout="9b7f3aa build: leave drafts out\n"
        "2d41c0e build: write only what changed\n"
        "6f0a1b5 markdown: links",
    )
    scene.say("Committed as `9b7f3aa`, on top of `2d41c0e`. Enjoy your lunch!")
    scene.builder.turn_duration()
    scene.wait(48)
    scene.compact(_SUMMARY, trigger="manual")

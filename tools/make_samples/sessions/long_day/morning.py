"""The morning: what a page is made from, and what is remembered of it."""

from typing import Final

from tools.make_samples.calls import bash
from tools.make_samples.outputs import node_passed
from tools.make_samples.projects import tessera_parts as parts
from tools.make_samples.prose import code
from tools.make_samples.scene import Scene

_MARKS: Final = " 2>&1 | grep -E '^(✔|✖)'"
_BRIEF: Final = " 2>&1 | grep -E '^(✔|✖)|RangeError'"
_SIZES: Final = """\
  26 src/build.js
  17 src/files.js
  13 src/main.js
  26 src/markdown.js
  14 src/page.js
  14 src/template.js
  37 test/build.test.js
  21 test/template.test.js
 168 total"""

_STACK: Final = """\
✔ a layout without partials is its only input (0.819521ms)
✔ partials of partials are inputs (0.157656ms)
✖ a partial that includes itself is listed once (6.729141ms)
  RangeError [Error]: Maximum call stack size exceeded
✖ failing tests:
✖ a partial that includes itself is listed once (6.729141ms)
  RangeError [Error]: Maximum call stack size exceeded"""

_SELF: Final = """\
✔ fills in title and content (0.996209ms)
✖ says which partial includes itself (5.724065ms)
  'RangeError: Maximum call stack size exceeded'
    actual: RangeError: Maximum call stack size exceeded
✔ expands partials within partials (0.168431ms)
✖ failing tests:
✖ says which partial includes itself (5.724065ms)
  'RangeError: Maximum call stack size exceeded'
    actual: RangeError: Maximum call stack size exceeded"""

_UNCHANGED: Final = """\
✔ writes a page for each file (17.189651ms)
✖ writes nothing when nothing changed (7.077328ms)
✖ writes the pages whose partial changed (9.219749ms)
✖ removes the page of a file that is gone (8.258065ms)
✔ names the layout that is missing (6.429806ms)
✖ failing tests:
✖ writes nothing when nothing changed (7.077328ms)
✖ writes the pages whose partial changed (9.219749ms)
✖ removes the page of a file that is gone (8.258065ms)"""


def play(scene: Scene) -> None:
    """Act the morning."""
    _look_around(scene)
    _find_inputs(scene)
    _end_recursion(scene)
    _remember(scene)
    _use_the_cache(scene)
    _talk_about_digests(scene)


def _look_around(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        """
        Good morning. The handbook has 3,912 pages now, and a build takes long enough to lose the
        thread. I want `tessera build` to write only what changed. Read the code first and tell me
        what stands in the way.
        """,
        after=0,
    )
    scene.act(
        bash("wc -l src/*.js test/*.js", _SIZES, told="What there is"),
        files.read("src/build.js"),
        files.read("src/template.js"),
        files.read("src/files.js"),
        say="Good morning! I will read the build from the top.",
    )
    scene.act(
        files.read("src/page.js"),
        bash(
            "node src/main.js build ../handbook",
            "wrote 3912 pages in 5.8 s",
            told="Time a build of the handbook",
            seconds=6.0,
        ),
    )
    scene.answer(
        """
        Not much stands in the way: 110 lines without the tests, no global state, and `render` is a
        pure function. A build takes 5.8 s, 1.5 ms a page. To leave a page alone we must know three
        things.

        1. **What it is made from.** Its own file, its layout, and the partials of that layout.
           Today only `expand` knows, and it tells nobody.
        2. **Whether any of that changed** since the last build. Times or hashes: hashes cost a
           read of every file, but survive `git switch`.
        3. **What is no longer there.** A removed file leaves its page in `dist` forever. That is
           a bug today already.

        I would add `graph.js` for the first and `cache.js` for the second, about 30 lines each,
        and leave `render` as it is. Shall I take hashes?
        """,
        think="""
        The whole site is read and written in one loop. Layouts are read up front into a Map,
        which helps: the inputs of a page can be computed without touching the disk. The loop is
        serial, so most of the 5.8 s is probably waiting for the disk. Mention it later, after
        measuring.
        """,
    )


def _find_inputs(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt("Hashes, I switch branches all day. Start with the graph.", after=1.3)
    scene.act(
        files.write("test/graph.test.js", parts.TEST_GRAPH),
        files.write("src/graph.js", parts.GRAPH),
        say="Tests and code together, since both are short:",
    )
    scene.act(bash(f"node --test test/graph.test.js{_BRIEF}", _STACK, told="Run the new tests"))
    scene.act(
        files.edit(
            "src/graph.js",
            "  seen.add(name);\n",
            "  if (seen.has(name)) return seen;\n  seen.add(name);\n",
        ),
        say="The snake bites itself, as it should. A name that was seen is not followed again.",
    )
    scene.act(
        bash(
            "node --test 2>&1 | tail -8",
            node_passed(7, 131.4),
            told="Run all tests",
            seconds=0.5,
        )
    )


def _end_recursion(scene: Scene) -> None:
    files = scene.workspace
    scene.act(
        files.edit(
            "test/template.test.js",
            'test("expands partials within partials"',
            code("""
            test("says which partial includes itself", () => {
              const layouts = new Map([
                ["page.html", "{{> snake}}"],
                ["partials/snake.html", "{{> snake}}"],
              ]);

              assert.throws(() => render(layouts, page), /snake\\.html includes itself/);
            });

            test("expands partials within partials\"""").rstrip(),
        ),
        say="`expand` has the same weakness, and there it would end a build with a stack overflow:",
    )
    scene.act(bash(f"node --test test/template.test.js{_BRIEF}", _SELF, told="Run the test"))
    scene.act(
        files.edit(
            "src/template.js",
            files.files["src/template.js"][
                files.files["src/template.js"].index("function expand") :
            ],
            code("""
            function expand(layouts, name, within = []) {
              const text = layouts.get(name);
              if (text === undefined) throw new Error(`no layout ${name}`);
              if (within.includes(name)) throw new Error(`${name} includes itself`);
              const inner = [...within, name];
              return text.replace(PARTIAL, (_, partial) =>
                expand(layouts, `partials/${partial}.html`, inner),
              );
            }
            """)
            + "\n",
        )
    )
    scene.act(
        bash("node --test 2>&1 | tail -8", node_passed(8, 128.9), told="Run all tests", seconds=0.5)
    )
    scene.answer(
        """
        `inputsOf(layouts, name)` gives the layout and all its partials, each once. On the way I
        found that a partial which includes itself crashed the build with a stack overflow; now it
        says `partials/snake.html includes itself`.
        """
    )


def _remember(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt("Good catch. Now the cache.", after=14.0)
    scene.act(
        files.write("src/cache.js", parts.CACHE),
        files.edit(
            "test/build.test.js",
            'test("names the layout that is missing"',
            code("""
            test("writes nothing when nothing changed", async () => {
              const root = await site(SMALL);
              await build(root);

              const { written } = await build(root);

              assert.deepEqual(written, []);
            });

            test("writes the pages whose partial changed", async () => {
              const root = await site({
                ...SMALL,
                "layouts/page.html": "{{> foot}}",
                "layouts/plain.html": "{{content}}",
                "layouts/partials/foot.html": "old",
                "content/index.md": "---\\nlayout: plain\\n---\\nHello",
              });
              await build(root);
              await writeFile(join(root, "layouts/partials/foot.html"), "new");

              const { written } = await build(root);

              assert.deepEqual(written, ["about/us.md"]);
            });

            test("removes the page of a file that is gone", async () => {
              const root = await site(SMALL);
              await build(root);
              await rm(join(root, "content/about/us.md"));

              const { removed } = await build(root);

              assert.deepEqual(removed, ["about/us.md"]);
              await assert.rejects(access(join(root, "dist/about/us.html")));
            });

            test("names the layout that is missing\"""").rstrip(),
        ),
        say="""
        One digest for each page over everything it is made from. If the digest is the one of the
        last build, the page is left alone. Three tests say what that has to mean:
        """,
        think="""
        A digest per page over its own text and all input texts, in order. No need to store the
        graph: if a layout gets a new partial, its own text changes, and with it the digest. The
        separator matters: without it "ab" + "c" equals "a" + "bc".
        """,
    )
    scene.act(bash(f"node --test test/build.test.js{_MARKS}", _UNCHANGED, told="See them fail"))


def _use_the_cache(scene: Scene) -> None:
    files = scene.workspace
    scene.act(files.write("src/build.js", parts.BUILD))
    scene.act(
        bash(
            "node --test 2>&1 | tail -8", node_passed(11, 152.3), told="Run all tests", seconds=0.6
        ),
    )
    scene.act(
        bash(
            "node src/main.js build ../handbook && node src/main.js build ../handbook",
            "wrote 3912 pages in 6.3 s\nwrote 0 pages in 1.7 s",
            told="Build the handbook twice",
            seconds=8.3,
        ),
        bash("echo .tessera.json >> .gitignore", told="Ignore the cache"),
    )
    scene.answer(
        """
        It works: 3,912 pages in 6.3 s the first time, none in 1.7 s the second. A changed partial
        rebuilds only the pages that use it, and removed files take their pages with them. The
        cache is `SITE/.tessera.json`, 22 characters a page.
        """
    )


def _talk_about_digests(scene: Scene) -> None:
    scene.prompt("Why 22 characters? And is SHA-256 not slow for this?", after=9.0)
    scene.answer(
        """
        22 characters of base64url are 132 bits. Two different pages will not meet in that many by
        chance, and the cache stays at 150 kB. SHA-256 reads about 1.5 GB a second on your machine,
        and the handbook has 11 MB: 7 ms of the 1.7 s.
        """
    )
    scene.prompt("OK. So what are the 1.7 s?", after=0.8)
    scene.answer(
        """
        I have not measured yet. My suspicion is that we still render every page before we find out
        that nobody needs it. Shall I look now, or after you have tried it?
        """
    )

"""The afternoon: broken links, fenced code, and an index to search in."""

from typing import Final

from tests.build import Call
from tools.make_samples.calls import bash, failing
from tools.make_samples.outputs import node_passed
from tools.make_samples.projects import tessera_parts as parts
from tools.make_samples.prose import code
from tools.make_samples.scene import Scene

_RUN: Final = "node --test 2>&1 | tail -8"
_MARKS: Final = " 2>&1 | grep -E '^(✔|✖)'"
_BROKEN_LINKS: Final = 206
# Where the links lead, by the number of the first one.
_TARGETS: Final = {
    204: "part31/ntoe{:04}",
    202: "part07/ntoe{:04}",
    144: "drafts/2024/{:03}",
    0: "attic/note{:04}",
}
_INDEXED: Final = {
    'import { render } from "./template.js";\n': (
        'import { makeIndex } from "./search.js";\nimport { render } from "./template.js";\n'
    ),
    "  const written = [];\n": "  const written = [];\n  const pages = [];\n",
    "    if (page.isDraft && !options.drafts) continue;\n": (
        "    if (page.isDraft && !options.drafts) continue;\n"
        "    pages.push({ title: page.title, url: outputName(name), text: page.text });\n"
    ),
    "  await saveCache(place, after);\n": (
        "  if (written.length || removed.length) {\n"
        '    await write(join(site, "dist", "search.json"), JSON.stringify(makeIndex(pages)));\n'
        "  }\n"
        "  await saveCache(place, after);\n"
    ),
}

_FENCES: Final = """\
✖ fenced code is kept as it is, blank lines included (2.785292ms)
✖ a fence that is never closed runs to the end (0.280016ms)
✖ failing tests:
✖ fenced code is kept as it is, blank lines included (2.785292ms)
✖ a fence that is never closed runs to the end (0.280016ms)"""

_CRASH: Final = """\
file:///home/mira/code/tessera/src/search.js:5
    for (const word of new Set(words(`${title} ${text}`))) (index[word] ??= []).push(number);
                                                                                ^

TypeError: index[word].push is not a function
    at file:///home/mira/code/tessera/src/search.js:5:81
    at Array.forEach (<anonymous>)
    at makeIndex (file:///home/mira/code/tessera/src/search.js:4:9)
    at build (file:///home/mira/code/tessera/src/build.js:36:67)
    at async file:///home/mira/code/tessera/src/main.js:13:21

Node.js v24.10.0"""


def play(scene: Scene) -> None:
    """Act the afternoon."""
    _list_broken_links(scene)
    _keep_fenced_code(scene)
    _make_an_index(scene)
    _write_the_index(scene)
    _ask_about_browsers(scene)


def _list_broken_links(scene: Scene) -> None:
    scene.prompt(
        """
        While I have you: can you list the links in the handbook that lead nowhere? Just a list, no
        feature.
        """,
        after=44.0,
    )
    scene.act(scene.workspace.write("scripts/links.mjs", parts.LINKS))
    scene.act(_links())
    scene.act(
        bash(
            "node scripts/links.mjs ../handbook | sed -E 's/.*: //' | xargs -n1 dirname | sort | "
            "uniq -c | sort -rn | head -4",
            "    144 ../attic\n     58 ../drafts/2024\n      2 ../part31\n      2 ../part07",
            told="Group them by where they lead",
            seconds=1.1,
        ),
        say="206 lines tell little. By target they tell more:",
    )
    scene.answer(
        """
        206 links lead nowhere, but they have few causes:

        | leads to | links | why |
        |---|---:|---|
        | `../attic/...` | 144 | the folder was moved out of the handbook in March |
        | `../drafts/2024/...` | 58 | drafts, which are left out since this morning |
        | two parts | 4 | typing errors, one by one |

        The 58 worked until today: the pages they name were drafts that got published by
        accident. The full list is in the output above.
        """
    )


def _links() -> Call:
    """Make a call with more output than a transcript keeps."""
    lines = [
        f"part{number % 40:02}/note{number * 9 % 3912:04}.md: ../{_target(number)}.html"
        for number in range(_BROKEN_LINKS)
    ]
    arguments = {
        "command": "node scripts/links.mjs ../handbook",
        "description": "List links without a target",
    }
    output = "\n".join(sorted(lines))
    # The client keeps the beginning beside the result, and the whole in a file of its own.
    result = {"stdout": output[:2000], "stderr": "", "interrupted": False, "isImage": False}
    return Call("Bash", arguments, output, result, persisted=True, seconds=1.3)


def _target(number: int) -> str:
    for first, target in _TARGETS.items():
        if number >= first:
            return target.format(number - first + 1)
    return ""


def _keep_fenced_code(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        """
        Thanks, that is all I needed. Something else I saw in the pages: fenced code comes out as
        paragraphs. Please teach `markdown.js` fences.
        """,
        after=26.0,
    )
    scene.act(
        files.read("src/markdown.js"),
        files.write("test/markdown.test.js", parts.TEST_MARKDOWN),
    )
    scene.act(bash(f"node --test test/markdown.test.js{_MARKS}", _FENCES, told="See them fail"))
    scene.act(
        files.edit(
            "src/markdown.js",
            code("""
            export function toHtml(text) {
              return text.trim().split(/\\n{2,}/).map(block).join("\\n");
            }
            """),
            code("""
            const FENCE = /^```.*\\n([^]*?)(?:\\n```$|(?![^]))/m;

            export function toHtml(text) {
              const [before, inside, after] = text.trim().split(FENCE);
              const parts = before.split(/\\n{2,}/).filter(Boolean).map(block);
              if (inside === undefined) return parts.join("\\n");
              parts.push(`<pre><code>${escape(inside)}</code></pre>`);
              return [...parts, toHtml(after)].filter(Boolean).join("\\n");
            }
            """),
        ),
        think="""
        Blocks are split at blank lines before anything looks at them, so a fence with a blank line
        inside is torn apart. Fences have to be found first: split at the first fence, render what
        is before, keep what is inside, recurse on the rest. `split` with one capture group gives
        exactly before, inside, after, and more of the same; but the rest must be joined again.
        """,
    )
    scene.act(bash(_RUN, node_passed(21, 177.3), told="Run all tests", seconds=0.6))
    scene.act(
        files.edit(
            "src/markdown.js",
            "  const [before, inside, after] = text.trim().split(FENCE);\n",
            "  const fence = FENCE.exec(text);\n"
            "  const before = fence ? text.slice(0, fence.index) : text;\n",
        ),
        files.edit(
            "src/markdown.js",
            "before.split(/\\n{2,}/).filter(Boolean).map(block);\n"
            '  if (inside === undefined) return parts.join("\\n");\n'
            "  parts.push(`<pre><code>${escape(inside)}</code></pre>`);\n"
            '  return [...parts, toHtml(after)].filter(Boolean).join("\\n");\n',
            "before.trim().split(/\\n{2,}/).filter(Boolean).map(block);\n"
            '  if (!fence) return parts.join("\\n");\n'
            "  parts.push(`<pre><code>${escape(fence[1])}</code></pre>`);\n"
            "  const rest = text.slice(fence.index + fence[0].length);\n"
            '  return [...parts, toHtml(rest)].filter(Boolean).join("\\n");\n',
        ),
        files.edit(
            "test/markdown.test.js",
            'test("a fence that is never closed',
            code("""
            test("several fences in a row stay apart", () => {
              const html = toHtml("```\\na\\n```\\n\\n```\\nb\\n```");

              assert.equal(html, "<pre><code>a</code></pre>\\n<pre><code>b</code></pre>");
            });
            """)
            + '\n\ntest("a fence that is never closed',
        ),
        say="""
        Green, but my `split` is wrong all the same: with two fences it throws away what follows
        the second. I will add that as a test and look for one fence at a time instead.
        """,
    )
    scene.act(bash(_RUN, node_passed(22, 181.2), told="Run all tests", seconds=0.6))
    scene.answer(
        """
        Fenced code is now found before paragraphs are split, so blank lines and `*` inside it
        stay what they are. A fence that is never closed runs to the end of the page.

        A note on the way there: my first version passed both tests and would still have lost text
        after a second fence. The third test is for that.
        """
    )


def _make_an_index(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        """
        Good. Now the last big one for today: search in the browser. An index as one JSON file,
        made by the build, no library.
        """,
        after=55.0,
    )
    scene.act(
        files.write("src/search.js", parts.SEARCH),
        files.write("test/search.test.js", parts.TEST_SEARCH),
        say="""
        I would keep it plain: each word with the numbers of the pages that have it. The same
        module makes the index and searches in it, so that both agree on what a word is.
        """,
    )
    scene.act(bash(_RUN, node_passed(25, 186.9), told="Run all tests", seconds=0.6))
    text = files.files["src/build.js"]
    for old, new in _INDEXED.items():
        text = text.replace(old, new)
    scene.act(files.write("src/build.js", text))
    scene.act(
        failing(
            "node src/main.js build ../handbook",
            _CRASH,
            told="Build the handbook with an index",
            seconds=4.4,
        )
    )


def _write_the_index(scene: Scene) -> None:
    files = scene.workspace
    scene.act(
        bash(
            "grep -rliw constructor ../handbook/content | head -3; grep -rliw constructor "
            "../handbook/content | wc -l",
            "../handbook/content/part00/note0080.md\n"
            "../handbook/content/part00/note0120.md\n"
            "../handbook/content/part00/note0160.md\n"
            "212",
            told="Which pages say constructor",
        ),
        think="""
        `index[word] ??= []` found something that is not a list. On a plain object
        `index["constructor"]` is `Object`, inherited from the prototype. The handbook is about
        programming, so of course it has that word. `Object.create(null)` has no prototype; and
        `find` must not look up inherited names either, when the index comes from JSON.
        """,
    )
    scene.act(
        files.edit(
            "test/search.test.js",
            'test("finds nothing for nothing"',
            code("""
            test("every object has a constructor, but not every page", () => {
              assert.deepEqual(find(index, "constructor"), []);
              const page = { title: "A", url: "a.html", text: "constructor __proto__" };

              const loaded = JSON.parse(JSON.stringify(makeIndex([page])));

              assert.deepEqual(find(loaded, "constructor"), [["A", "a.html"]]);
            });
            """)
            + '\n\ntest("finds nothing for nothing"',
        ),
        files.edit(
            "src/search.js", "  const index = {};\n", "  const index = Object.create(null);\n"
        ),
        files.edit(
            "src/search.js",
            "new Set(index[word] ?? [])",
            "new Set(Object.hasOwn(index, word) ? index[word] : [])",
        ),
        say="""
        My favourite kind of bug: the word *constructor*. On a plain object that key is already
        taken, by the prototype. An index needs an object without one, and `find` must not look at
        inherited names.
        """,
    )
    scene.act(
        bash(_RUN, node_passed(26, 188.1), told="Run all tests", seconds=0.6),
        bash(
            "node src/main.js build ../handbook && ls -l --block-size=K "
            "../handbook/dist/search.json",
            "wrote 3912 pages in 4.6 s\n"
            "-rw-r--r-- 1 mira mira 2914K Nov  3 15:05 ../handbook/dist/search.json",
            told="Build the handbook with an index",
            seconds=5.0,
        ),
    )
    scene.answer(
        """
        `dist/search.json` is there and finds what it should, `constructor` included. It costs
        0.7 s in a build that writes anything, and nothing in one that does not.

        But it weighs 2.9 MB, which no browser should have to load. Most of that is the same few
        words over and over. I would leave out words that stand on more than a third of the pages,
        and write gaps between page numbers instead of the numbers.
        """
    )


def _ask_about_browsers(scene: Scene) -> None:
    scene.prompt("Does `find` run in a browser as it is?", after=6.6)
    scene.answer(
        """
        Yes. `search.js` imports nothing, `\\p{L}` in regular expressions and `Object.hasOwn` are in
        every browser of the last four years, and the page needs three lines:

        ```js
        import { find } from "/search.js";
        const index = await (await fetch("/search.json")).json();
        input.oninput = () => show(find(index, input.value));
        ```
        """
    )

"""After lunch: a watch mode that hangs on the clock, a rewind, and one that does not."""

from typing import Final

from tools.make_samples.calls import bash
from tools.make_samples.outputs import node_passed
from tools.make_samples.projects import tessera_parts as parts
from tools.make_samples.prose import code
from tools.make_samples.scene import Scene

_RUN: Final = "node --test 2>&1 | tail -8"
_MARKS: Final = " 2>&1 | grep -E '^(✔|✖)|actual|expected' | head -6"

_TWICE: Final = """\
✖ a saved file makes one build (318.204417ms)
    actual: 2,
    expected: 1,
✖ failing tests:
✖ a saved file makes one build (318.204417ms)
    actual: 2,"""

_SLOW: Final = """\
      2 \u2139 fail 1
     18 \u2139 pass 1"""

_FOUR: Final = """\
✔ many changes make one action (2.149526ms)
✔ nothing happens while changes keep coming (0.451271ms)
✔ changes during an action make one more (1.754452ms)
✖ a failed action does not end the watch (1.647518ms)
✖ failing tests:
✖ a failed action does not end the watch (1.647518ms)"""

_LIVE: Final = """\
wrote 0 pages in 0.4 s
1 changed: wrote 1, removed 0
1 changed: wrote 3912, removed 0"""


def play(scene: Scene) -> None:
    """Act the time after lunch."""
    scene.wait(64 * 60)
    scene.builder.remember("before watching")
    files, context = scene.workspace.copy(), scene.context.known + scene.context.fresh
    _watch_with_the_clock(scene)
    scene.builder.rewind_to("before watching")
    scene.workspace.files = files
    scene.context.restart(context - scene.context.prefix)
    _ask_again(scene)
    _survive_failures(scene)
    _try_it(scene)
    _ask_about_slow_builds(scene)


def _watch_with_the_clock(scene: Scene) -> None:
    files, first = scene.workspace, parts.FIRST_WATCH
    scene.prompt("Back. Now `tessera watch`, which builds when a file changes.", after=0)
    scene.act(
        files.read("src/main.js"),
        files.write("src/watch.js", first),
        files.write("test/watch.test.js", parts.TEST_FIRST_WATCH),
        say="`fs.watch` is recursive on Linux these days, so the first version is short.",
    )
    scene.act(
        bash(f"node --test test/watch.test.js{_MARKS}", _TWICE, told="Run the test", seconds=0.9)
    )
    scene.act(
        files.edit(
            "src/watch.js",
            first[first.index("export function watch") : first.index("  return () =>")],
            code("""
            export function watch(site, built) {
              let timer;
              const soon = () => {
                clearTimeout(timer);
                timer = setTimeout(async () => built(await build(site)), 100);
              };
              const watchers = ["content", "layouts"].map((folder) =>
                watchFolder(join(site, folder), { recursive: true }, soon),
              );
            """)
            + "\n",
        ),
        say="""
        One save gives several events: the file is created, written and closed. A timer that
        starts again with each event brings them together.
        """,
    )
    scene.act(
        bash(
            "for i in $(seq 20); do node --test test/watch.test.js; done 2>&1 "
            "| grep -E '(pass|fail) 1$' | sort | uniq -c",
            _SLOW,
            told="Run the test twenty times",
            seconds=19.0,
        )
    )
    scene.answer(
        """
        `watch` works, but I am not happy with its test: it passes 18 of 20 times. It sleeps
        300 ms and hopes that events, timer and build are through by then. Longer sleeps would make
        it pass more often and everything slower. I can mock `fs.watch`, or we accept a slow test.
        """
    )


def _ask_again(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        """
        Back. Now `tessera watch`, which builds when a file changes. Keep the clock out of the
        tests, please: one small function that brings changes together and can be tested with mock
        timers, and a thin part around `fs.watch` that needs no test.
        """,
        after=7.0,
    )
    scene.act(
        files.read("src/main.js"),
        files.write("src/settle.js", parts.SETTLE),
        files.write("test/settle.test.js", parts.TEST_SETTLE),
        say="""
        That splits it at the right place. `settle` knows time and order but no files; `watch` will
        know files but no time.
        """,
        think="""
        The part worth testing is the bringing together: many events, one build; events while a
        build runs must not start a second build at once, nor be lost; a build that fails must not
        end the watch. `node:test` has mock timers, so all of it runs without sleeping.
        """,
    )
    scene.act(
        bash(f"node --test test/settle.test.js{_MARKS}", _FOUR, told="Run the tests", seconds=0.4)
    )


def _survive_failures(scene: Scene) -> None:
    files = scene.workspace
    scene.act(
        files.edit(
            "src/settle.js",
            "    running = true;\n    await action(names);\n    running = false;\n",
            code(
                """
            running = true;
            try {
              await action(names);
            } catch (error) {
              console.error(error.message);
            } finally {
              running = false;
            }
            """,
                4,
            )
            + "\n",
        ),
        say="""
        Three of four. The fourth is the one I wrote it for: an error in the action leaves
        `running` set for good, and the rejected promise would even end the process.
        """,
    )
    scene.act(bash(_RUN, node_passed(19, 176.0), told="Run all tests", seconds=0.6))


def _try_it(scene: Scene) -> None:
    files = scene.workspace
    scene.act(
        files.write("src/watch.js", parts.SECOND_WATCH),
        files.write("src/main.js", parts.MAIN),
    )
    scene.act(
        bash(
            "timeout 6 node src/main.js watch ../handbook & sleep 3\n"
            "for i in 1 2 3; do echo more >> ../handbook/content/part01/note0001.md; done\n"
            "sleep 1\n"
            "echo '<footer>new</footer>' > ../handbook/layouts/partials/foot.html; wait",
            _LIVE,
            told="Watch the handbook while files change",
            seconds=6.2,
        )
    )
    scene.answer(
        """
        `tessera watch` builds once and then whenever it has been quiet for 80 ms:

        - three saves of one note in a row became one build of one page,
        - a changed footer became one build of all 3,912 pages.

        The four tests of `settle` take 5 ms together, and none of them sleeps.
        """
    )


def _ask_about_slow_builds(scene: Scene) -> None:
    scene.prompt("And if I save again while a long build runs?", after=2.7)
    scene.answer(
        """
        Then `settle` only notes the name and waits: builds never overlap. When the running one is
        done and it has been quiet for 80 ms, one more build takes everything that was noted. The
        third test plays exactly that, with a build that ends when the test says so.
        """
    )

"""A web search: whether a feature may be relied on."""

from tests.build import Usage
from tools.make_samples.calls import fetch, find_tools, search_web
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.projects import tessera
from tools.make_samples.prose import prose
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace


def build() -> Scene:
    """Act the session."""
    setting = Setting(at="2026-10-23T09:55:02Z", title="Is recursive fs.watch safe to use?")
    scene = open_scene("web-search", Workspace(tessera.ROOT, tessera.FILES), setting)
    scene.prompt(
        """
        For a watch mode I would need `fs.watch` with `recursive` on Linux. Since which Node does
        that work, and what are the catches? Please look it up.
        """,
        after=0,
    )
    scene.act(find_tools("WebSearch", "WebFetch"))
    scene.act(
        search_web(
            "node fs.watch recursive option Linux supported since version",
            {
                "https://nodejs.org/api/fs.html": "File system | Node.js Documentation",
                "https://nodejs.org/en/blog/release/v19.1.0": "Node.js 19.1.0",
            },
            prose(
                """
                Recursive watching on Linux came with Node 19.1. Before that the option raised an
                error there; macOS and Windows had it earlier.
                """
            ),
            seconds=7.4,
        )
    )
    # The client searches with a model call of its own, which leaves no row.
    scene.unrecorded(Usage(4_112, 386, web_searches=1))
    scene.act(
        fetch(
            "https://nodejs.org/api/fs.html",
            "What are the caveats of fs.watch: platforms, file names, network drives, containers?",
            prose(
                """
                - Linux uses inotify, which counts watches per user.
                - The name of the changed file is not always given; code must cope without it.
                - Events may be missed on network file systems and in some virtual machines.
                - A watch follows the inode: a file that is replaced needs a new watch, a folder
                  does not.
                """
            ),
            size=871_204,
            seconds=3.9,
        )
    )
    scene.answer(
        """
        You can rely on it from **Node 19.1** on; with the 24 you use, it is safe. The catches that
        matter for tessera:

        1. **Several events for one save.** Bring them together before you build.
        2. **The name may be missing.** Build from what is on the disk, not from the event.
        3. **One inotify watch for each folder.** The limit is per user; the handbook's folders
           are far below it.
        4. **No events on network drives.** Then polling is the only way.

        Sources: [fs.watch in the Node documentation](https://nodejs.org/api/fs.html),
        [release notes of 19.1.0](https://nodejs.org/en/blog/release/v19.1.0)
        """
    )
    return scene.end()

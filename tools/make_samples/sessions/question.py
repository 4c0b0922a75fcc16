"""A question about code, answered by a Haiku."""

from tools.make_samples.models import HAIKU
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.projects import ferry
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace


def build() -> Scene:
    """Act the session."""
    setting = Setting(
        at="2026-10-09T12:48:31Z", title="When does ferry resume an upload?", model=HAIKU
    )
    scene = open_scene("question", Workspace(ferry.ROOT, ferry.FILES), setting)
    files = scene.workspace
    scene.prompt(
        """
        Say I upload a film, pull the plug, then edit the film and start ferry again. Does it go
        on with the old bytes?
        """,
        after=0,
    )
    scene.act(files.read("src/ferry/journal.py"), files.read("src/ferry/command.py"))
    scene.answer(
        """
        No. ferry only goes on if the file is the one it began with.

        `Journal.find` looks an upload up by `_key`, which is the file's path, its **size** and the
        moment of its **last change** in nanoseconds (`journal.py`, `_key`). Your edit changes at
        least the last of these, so nothing is found, and `command.py` begins a new upload.

        What is left over: the half upload stays on the server, since nobody tells it to forget.
        """
    )
    scene.prompt("And if I only `touch` it, without changing a byte?", after=0.9)
    scene.answer(
        """
        Then it starts over too, and needlessly: the time of the last change is part of the key. A
        hash of the content would be exact, but ferry would have to read the whole film before it
        sends the first byte. For large files that is a poor trade, so I would leave it.
        """
    )
    return scene.end()

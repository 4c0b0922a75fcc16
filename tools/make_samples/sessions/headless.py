"""A headless run: notes on a week's commits, asked for by a script."""

from typing import Final

from tools.make_samples.calls import bash
from tools.make_samples.models import SONNET
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.projects import tessera
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace

_LOG: Final = """\
e1a94d7 watch: build when something changes
9b7f3aa build: leave drafts out
2d41c0e build: write only what changed"""


def build() -> Scene:
    """Act the session."""
    setting = Setting(at="2026-11-08T05:00:03Z", model=SONNET, headless=True)
    scene = open_scene("headless", Workspace(tessera.ROOT, tessera.FILES), setting)
    scene.prompt(
        """
        Weekly notes: summarise the commits on main since last Sunday. At most three sentences, for
        readers who do not know the code. If there are none, answer "nothing new".
        """,
        after=0,
    )
    scene.act(
        bash("git log main --since='last sunday' --oneline", _LOG, told="Commits of the week")
    )
    scene.act(
        bash(
            "git show --format=%b -s e1a94d7; git diff --stat 6f0a1b5 e1a94d7 | tail -1",
            "Fenced code, and an index to search in. Version 0.8.0.\n\n"
            " 21 files changed, 452 insertions(+), 20 deletions(-)",
            told="What the last one says",
        )
    )
    scene.answer(
        """
        tessera 0.8.0 writes only the pages that changed, so that a rebuild of the handbook takes
        less than half a second instead of six. A new watch mode does so by itself while you
        write, and drafts stay out until they are finished. Sites also get an index, with which
        readers can search in the browser.
        """
    )
    return scene.end()

"""A long day with two compactions and a rewind: builds that write only what changed."""

from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.projects import tessera
from tools.make_samples.scene import Scene
from tools.make_samples.sessions.long_day import afternoon, evening, forenoon, morning, watching
from tools.make_samples.workspace import Workspace


def build() -> Scene:
    """Act the session."""
    setting = Setting(
        at="2026-11-03T07:41:08Z",
        branch="incremental",
        title="Incremental builds, watch mode and search for tessera",
        effort="high",
        prefix=57_900,
        weight=3.1,
    )
    scene = open_scene("long-day", Workspace(tessera.ROOT, tessera.FILES), setting)
    morning.play(scene)
    forenoon.play(scene)
    watching.play(scene)
    afternoon.play(scene)
    evening.play(scene)
    return scene.end()

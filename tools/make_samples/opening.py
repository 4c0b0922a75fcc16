"""How a session begins: when, where, with which model."""

import msgspec

from tests.build import SessionBuilder
from tools.make_samples.meter import PREFIX_TOKENS, Context
from tools.make_samples.models import OPUS
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """When and how a session is held."""

    at: str
    title: str = ""
    branch: str = "main"
    model: str = OPUS
    mode: str = "acceptEdits"
    headless: bool = False
    effort: str = "medium"
    prefix: int = PREFIX_TOKENS
    weight: float = 1.2


def open_scene(name: str, workspace: Workspace, setting: Setting) -> Scene:
    """Begin a session."""
    builder = SessionBuilder(
        f"sample/{name}",
        cwd=workspace.root,
        branch=setting.branch,
        headless=setting.headless,
    )
    builder.at(setting.at).model(setting.model)
    scene = Scene(builder, workspace, name)
    scene.title, scene.effort = setting.title, setting.effort
    scene.context = Context(0, setting.prefix, setting.prefix, setting.weight)
    scene.wait(scene.pace.between(0.1, 0.99))
    builder.draft.mode = setting.mode
    if not setting.headless:
        builder.marker("mode", mode="normal").permission_mode(setting.mode)
    return scene

"""KillShell: end a command in the background."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Part
from clew.tools.pieces import options, words
from clew.tools.tool import Standing, Tool


class KillShellInput(msgspec.Struct, frozen=True):
    """Which shell."""

    shell_id: str


class KillShellResult(msgspec.Struct, frozen=True):
    """What became of it; only old clients say `success`."""

    message: str
    shell_id: str = ""
    success: bool | None = None


def parts(_shell: object, result: KillShellResult | None, call: ToolCall) -> Iterator[Part]:
    """Show what became of the shell."""
    yield from options(call)
    if result is not None:
        yield from words(result.message)


def _state(result: KillShellResult) -> Standing:
    return ("failed", "bad") if result.success is False else ("", "")


KILL_SHELL: Final = Tool(
    names=("KillShell", "KillBash"),
    input=KillShellInput,
    result=KillShellResult,
    label=lambda shell, _: shell.shell_id,
    parts=parts,
    state=_state,
    json_text=True,
)

"""KillShell: end a command in the background."""

from typing import Final

import msgspec

from clew.tools.tool import Tool


class KillShellInput(msgspec.Struct, frozen=True):
    """Which shell."""

    shell_id: str


class KillShellResult(msgspec.Struct, frozen=True):
    """What became of it; only old clients say `success`."""

    message: str
    shell_id: str = ""
    success: bool | None = None


KILL_SHELL: Final = Tool(
    names=("KillShell", "KillBash"), input=KillShellInput, result=KillShellResult, json_text=True
)

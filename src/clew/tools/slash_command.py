"""SlashCommand: run a command of the client, as the person could."""

from typing import Final

import msgspec

from clew.tools.skill import SkillResult, parts, skill_state
from clew.tools.tool import Tool


class SlashCommandInput(msgspec.Struct, frozen=True):
    """The command with its slash and arguments."""

    command: str


SLASH_COMMAND: Final = Tool(
    names=("SlashCommand",),
    input=SlashCommandInput,
    result=SkillResult,
    label=lambda slash, _: slash.command,
    parts=parts,
    state=skill_state,
)

"""SlashCommand: run a command of the client, as the person could."""

from typing import Final

import msgspec

from clew.tools.skill import SkillResult
from clew.tools.tool import Tool


class SlashCommandInput(msgspec.Struct, frozen=True):
    """The command with its slash and arguments."""

    command: str


SLASH_COMMAND: Final = Tool(names=("SlashCommand",), input=SlashCommandInput, result=SkillResult)

"""ListAgents: who can be written to; no result of it has been seen, so it is kept plain."""

from typing import Final

import msgspec

from clew.tools.plain import PlainResult
from clew.tools.tool import Tool


class ListAgentsInput(msgspec.Struct, frozen=True):
    """What to look for."""

    channel: str = ""
    q: str = ""


LIST_AGENTS: Final = Tool(names=("ListAgents",), input=ListAgentsInput, result=PlainResult)

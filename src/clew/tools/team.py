"""TeamCreate and TeamDelete: agents that work side by side."""

from typing import Final

import msgspec

from clew.tools.tool import Tool


class TeamCreateInput(msgspec.Struct, frozen=True):
    """The team's name and purpose."""

    team_name: str
    description: str = ""
    agent_type: str = ""


class TeamCreateResult(msgspec.Struct, frozen=True):
    """The new team; its lead's id is `name@team`."""

    team_name: str
    team_file_path: str = ""
    lead_agent_id: str = ""


class TeamDeleteInput(msgspec.Struct, frozen=True):
    """Nothing, or the team's name."""

    team_name: str = ""


class TeamDeleteResult(msgspec.Struct, frozen=True):
    """What became of it."""

    success: bool
    message: str = ""
    team_name: str = ""


TEAM_CREATE: Final = Tool(
    names=("TeamCreate",), input=TeamCreateInput, result=TeamCreateResult, json_text=True
)
TEAM_DELETE: Final = Tool(
    names=("TeamDelete",), input=TeamDeleteInput, result=TeamDeleteResult, json_text=True
)

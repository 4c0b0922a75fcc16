"""TeamCreate and TeamDelete: agents that work side by side."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Part
from clew.tools.pieces import facts, options, words
from clew.tools.tool import Standing, Tool


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


def _create_parts(_team: object, result: TeamCreateResult | None, call: ToolCall) -> Iterator[Part]:
    yield from options(call)
    if result is not None:
        yield from facts(("lead", result.lead_agent_id), ("file", result.team_file_path))


def _delete_parts(_team: object, result: TeamDeleteResult | None, call: ToolCall) -> Iterator[Part]:
    yield from options(call)
    if result is not None:
        yield from words(result.message)


def _delete_state(result: TeamDeleteResult) -> Standing:
    return ("", "") if result.success else ("failed", "bad")


TEAM_CREATE: Final = Tool(
    names=("TeamCreate",),
    input=TeamCreateInput,
    result=TeamCreateResult,
    label=lambda team, _: f"{team.team_name} {team.description}",
    parts=_create_parts,
    json_text=True,
)
TEAM_DELETE: Final = Tool(
    names=("TeamDelete",),
    input=TeamDeleteInput,
    result=TeamDeleteResult,
    label=lambda team, _: team.team_name,
    parts=_delete_parts,
    state=_delete_state,
    json_text=True,
)

"""Skill, SlashCommand and ToolSearch: load instructions and tools on demand."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Listing, Note, Part
from clew.tools.display import failed_state, fields, input_fields, prose
from clew.tools.tool import Number, Tool

_LAUNCHING: Final = "Launching skill: "


class SkillInput(msgspec.Struct, frozen=True):
    """Which skill, and its arguments; `command` is the older name of `skill`."""

    skill: str = ""
    args: str = ""
    command: str = ""


class SkillResult(msgspec.Struct, frozen=True, rename="camel"):
    """What was loaded; one that ran as an agent has an agent id and its result."""

    success: bool
    command_name: str = ""
    allowed_tools: tuple[str, ...] = ()
    model: str = ""
    status: str = ""
    agent_id: str = ""
    result: str = ""


def _read_skill(_arguments: object, text: str) -> SkillResult | None:
    """Read the confirmation."""
    if not text.startswith(_LAUNCHING):
        return None
    return SkillResult(success=True, command_name=text.removeprefix(_LAUNCHING).strip())


def _skill_parts(_skill: object, result: SkillResult | None, call: ToolCall) -> Iterator[Part]:
    """Show what was loaded, or the result of a skill that ran as an agent."""
    yield from input_fields(call)
    if result is None:
        return
    yield Note(f"Launching skill: {result.command_name}" if result.success else "Not launched")
    yield from fields(
        ("Model", result.model), ("Status", result.status), ("Agent", result.agent_id)
    )
    if result.allowed_tools:
        yield Listing(result.allowed_tools)
    yield from prose(result.result)


SKILL: Final = Tool(
    names=("Skill",),
    input=SkillInput,
    result=SkillResult,
    label=lambda skill, _: f"{skill.skill or skill.command} {skill.args}",
    parts=_skill_parts,
    state=lambda result: failed_state(not result.success),
    read_text=_read_skill,
)


class SlashCommandInput(msgspec.Struct, frozen=True):
    """The command with its slash and arguments."""

    command: str


SLASH_COMMAND: Final = Tool(
    names=("SlashCommand",),
    input=SlashCommandInput,
    result=SkillResult,
    label=lambda slash, _: slash.command,
    parts=_skill_parts,
    state=lambda result: failed_state(not result.success),
)


class ToolSearchInput(msgspec.Struct, frozen=True):
    """Which tools."""

    query: str
    max_results: Number | None = None


class ToolReference(msgspec.Struct, frozen=True):
    """A block for a loaded tool."""

    tool_name: str
    type: str = "tool_reference"


class ToolSearchResult(msgspec.Struct, frozen=True):
    """The tools found: by name, or by reference if only the result's blocks have them."""

    matches: tuple[ToolReference | str, ...]
    query: str = ""
    total_deferred_tools: Number | None = None
    pending_mcp_servers: tuple[str, ...] = ()

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(match if isinstance(match, str) else match.tool_name for match in self.matches)


def _search_parts(
    _search: object, result: ToolSearchResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the tools that were found."""
    yield from input_fields(call)
    if result is None:
        return
    yield (
        Listing(result.tool_names, len(result.matches))
        if result.matches
        else Note("No tools found")
    )
    yield from fields(
        ("Deferred tools", result.total_deferred_tools),
        ("Servers still starting", ", ".join(result.pending_mcp_servers)),
    )


TOOL_SEARCH: Final = Tool(
    names=("ToolSearch",),
    input=ToolSearchInput,
    result=ToolSearchResult,
    label=lambda search, _: search.query,
    parts=_search_parts,
    array_result="matches",
)

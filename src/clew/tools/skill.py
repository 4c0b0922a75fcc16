"""Skill: load a skill's instructions, or run it as an agent."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Listing, Note, Part
from clew.tools.pieces import facts, options, prose
from clew.tools.tool import Standing, Tool

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


def read_text(_arguments: object, text: str) -> SkillResult | None:
    """Read the confirmation."""
    if not text.startswith(_LAUNCHING):
        return None
    return SkillResult(success=True, command_name=text.removeprefix(_LAUNCHING).strip())


def parts(_skill: object, result: SkillResult | None, call: ToolCall) -> Iterator[Part]:
    """Show what was loaded, or what the skill gave where it ran as an agent."""
    yield from options(call)
    if result is None:
        return
    yield Note(f"Launching skill: {result.command_name}" if result.success else "not launched")
    yield from facts(("model", result.model), ("status", result.status), ("agent", result.agent_id))
    if result.allowed_tools:
        yield Listing(result.allowed_tools)
    yield from prose(result.result)


def skill_state(result: SkillResult) -> Standing:
    """Tell that it did not start."""
    return ("", "") if result.success else ("failed", "bad")


SKILL: Final = Tool(
    names=("Skill",),
    input=SkillInput,
    result=SkillResult,
    label=lambda skill, _: f"{skill.skill or skill.command} {skill.args}",
    parts=parts,
    state=skill_state,
    read_text=read_text,
)

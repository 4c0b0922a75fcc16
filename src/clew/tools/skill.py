"""Skill: load a skill's instructions, or run it as an agent."""

from typing import Final

import msgspec

from clew.tools.tool import Tool

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


SKILL: Final = Tool(names=("Skill",), input=SkillInput, result=SkillResult, read_text=read_text)

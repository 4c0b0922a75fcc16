"""EnterPlanMode and ExitPlanMode: plan first, and ask the person to approve the plan."""

import re
from typing import Final

import msgspec

from clew.tools.tool import Number, Tool

_SAVED: Final = re.compile(r"^Your plan has been saved to: ([^\n]{1,4000})", re.MULTILINE)
_PLAN: Final = re.compile(r"^## Approved Plan[^\n]{0,80}:\n", re.MULTILINE)


class EnterPlanModeInput(msgspec.Struct, frozen=True):
    """Nothing."""


class EnterPlanModeResult(msgspec.Struct, frozen=True):
    """What the model was told."""

    message: str


class AllowedPrompt(msgspec.Struct, frozen=True):
    """Something the plan needs leave for, in words."""

    prompt: str
    tool: str = ""


class ExitPlanModeInput(msgspec.Struct, frozen=True, rename="camel"):
    """The plan, or the file that holds it, and what it asks leave for."""

    plan: str = ""
    plan_file_path: str = ""
    allowed_prompts: tuple[AllowedPrompt, ...] | str = ()
    launch_swarm: bool = False
    teammate_count: Number | None = None
    push_to_remote: bool = False
    remote_session_id: str = ""
    remote_session_title: str = ""
    remote_session_url: str = ""
    summary: str = ""


class ExitPlanModeResult(msgspec.Struct, frozen=True, rename="camel"):
    """The plan that was approved."""

    is_agent: bool
    plan: str | None = None
    file_path: str = ""
    has_task_tool: bool = False
    plan_was_edited: bool = False
    awaiting_leader_approval: bool = False
    request_id: str = ""
    launch_swarm: bool = False
    teammate_count: Number | None = None
    push_to_remote: bool = False


def read_entered(_arguments: object, text: str) -> EnterPlanModeResult | None:
    """Take the confirmation's first paragraph."""
    message = text.partition("\n")[0]
    return EnterPlanModeResult(message) if message.startswith("Entered plan mode") else None


def read_approved(arguments: ExitPlanModeInput, text: str) -> ExitPlanModeResult | None:
    """Read the approval; the plan stands below it, or was in the input."""
    if not text.startswith("User has approved"):
        return None
    saved = _SAVED.search(text)
    plan = _PLAN.search(text)
    return ExitPlanModeResult(
        is_agent=False,
        plan=arguments.plan or None if plan is None else text[plan.end() :],
        file_path="" if saved is None else saved[1],
    )


ENTER_PLAN_MODE: Final = Tool(
    names=("EnterPlanMode",),
    input=EnterPlanModeInput,
    result=EnterPlanModeResult,
    read_text=read_entered,
)
EXIT_PLAN_MODE: Final = Tool(
    names=("ExitPlanMode", "exit_plan_mode"),
    input=ExitPlanModeInput,
    result=ExitPlanModeResult,
    read_text=read_approved,
)

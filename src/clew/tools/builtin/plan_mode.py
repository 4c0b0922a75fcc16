"""EnterPlanMode and ExitPlanMode: plan first, then ask the user to approve the plan."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Listing, Note, Part
from clew.tools.display import fields, fold, input_fields, prose, words
from clew.tools.tool import CallState, Number, Tool

_SAVED: Final = re.compile(r"^Your plan has been saved to: ([^\n]{1,4000})", re.MULTILINE)
_PLAN: Final = re.compile(r"^## Approved Plan[^\n]{0,80}:\n", re.MULTILINE)


class EnterPlanModeInput(msgspec.Struct, frozen=True):
    """Nothing."""


class EnterPlanModeResult(msgspec.Struct, frozen=True):
    """The confirmation."""

    message: str


class AllowedPrompt(msgspec.Struct, frozen=True):
    """A permission that the plan needs, described in words."""

    prompt: str
    tool: str = ""


class ExitPlanModeInput(msgspec.Struct, frozen=True, rename="camel"):
    """The plan, or its file, and the permissions that it needs."""

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


def _read_entered(_arguments: object, text: str) -> EnterPlanModeResult | None:
    """Take the confirmation's first paragraph."""
    message = text.partition("\n")[0]
    return EnterPlanModeResult(message) if message.startswith("Entered plan mode") else None


def _read_approved(arguments: ExitPlanModeInput, text: str) -> ExitPlanModeResult | None:
    """Read the approval; the plan is below it, or in the input."""
    if not text.startswith("User has approved"):
        return None
    saved = _SAVED.search(text)
    plan = _PLAN.search(text)
    return ExitPlanModeResult(
        is_agent=False,
        plan=arguments.plan or None if plan is None else text[plan.end() :],
        file_path="" if saved is None else saved[1],
    )


def _plan_label(plan: ExitPlanModeInput, _cwd: str) -> str:
    lines = (line.strip("# ") for line in plan.plan.split("\n"))
    return next((line for line in lines if line), "") or plan.plan_file_path


def _enter_parts(
    _arguments: object, result: EnterPlanModeResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from input_fields(call)
    if result is not None:
        yield from words(result.message)


def _exit_parts(
    exit_: ExitPlanModeInput, result: ExitPlanModeResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the approved plan, the proposed one if it differs, and the approval."""
    approved = result.plan if result is not None else None
    plan = approved or exit_.plan
    yield from prose(plan)
    if plan.strip() != exit_.plan.strip():
        yield from fold("Proposed plan", prose(exit_.plan))
    prompts = () if isinstance(exit_.allowed_prompts, str) else exit_.allowed_prompts
    if prompts:
        yield Listing(
            tuple(f"{allowed.tool}: {allowed.prompt}".lstrip(": ") for allowed in prompts)
        )
    yield from input_fields(call, "plan", *(("allowedPrompts",) if prompts else ()))
    if result is not None:
        yield _verdict(result)
        path = result.file_path if result.file_path != exit_.plan_file_path else ""
        yield from fields(("Plan", path), ("Request", result.request_id))


def _verdict(result: ExitPlanModeResult) -> Note:
    if result.awaiting_leader_approval:
        return Note("Waiting for the leader to approve", "warn")
    edited = ", edited by the user" if result.plan_was_edited else ""
    return Note(f"Approved{edited}", "good")


def _exit_state(result: ExitPlanModeResult) -> CallState:
    if result.awaiting_leader_approval:
        return "awaiting approval", "warn"
    return "approved", "good"


ENTER_PLAN_MODE: Final = Tool(
    names=("EnterPlanMode",),
    input=EnterPlanModeInput,
    result=EnterPlanModeResult,
    parts=_enter_parts,
    read_text=_read_entered,
)


EXIT_PLAN_MODE: Final = Tool(
    names=("ExitPlanMode", "exit_plan_mode"),
    asks_person=True,
    input=ExitPlanModeInput,
    result=ExitPlanModeResult,
    label=_plan_label,
    parts=_exit_parts,
    state=_exit_state,
    read_text=_read_approved,
)

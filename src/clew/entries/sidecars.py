"""Small JSON files beside a transcript: an agent's description, a workflow's record, a title."""

from typing import Any, Final, TypeVar

import msgspec

from clew.entries.misfits import drop_misfit
from clew.entries.row import NULL, Whole
from clew.entries.salvage import Damage, load

_MOST_MISFITS: Final = 16
_Struct = TypeVar("_Struct", bound=msgspec.Struct)


class AgentMeta(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """What the client wrote beside an agent's transcript."""

    agent_type: str | None = ""
    description: str | None = ""
    tool_use_id: str | None = ""
    parent_agent_id: str | None = ""
    spawn_depth: Whole | None = None
    name: str | None = ""
    model: str | None = ""
    task_kind: str | None = ""
    team_name: str | None = ""
    color: str | None = ""
    worktree_path: str | None = ""
    custom_agent_type: msgspec.Raw = NULL
    permission_mode: str | None = ""
    plan_mode_required: bool | None = None


class WorkflowAgentRecord(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """One agent of a workflow, from the record of the run."""

    type: str | None = ""
    agent_id: str | None = ""
    label: str | None = ""
    phase_index: Whole | None = None
    phase_title: str | None = ""
    state: str | None = ""
    model: str | None = ""
    tokens: Whole | None = None
    tool_calls: Whole | None = None


class WorkflowRecord(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """How a workflow ran, written when it ended."""

    run_id: str | None = ""
    workflow_name: str | None = ""
    status: str | None = ""
    summary: str | None = ""
    agent_count: Whole | None = None
    duration_ms: float | None = None
    total_tokens: Whole | None = None
    total_tool_calls: Whole | None = None
    workflow_progress: tuple[WorkflowAgentRecord, ...] = ()


class TitleFile(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """A title that a person gave, in a file of its own."""

    custom_title: str | None = ""


def decode_meta(raw: bytes) -> AgentMeta:
    """Read an agent's meta file; what does not fit is left out."""
    return _read(raw, AgentMeta)


def decode_workflow(raw: bytes) -> WorkflowRecord:
    """Read a workflow's run record; what does not fit is left out."""
    return _read(raw, WorkflowRecord)


def decode_title(raw: bytes) -> str:
    """Read a title file; empty when there is none in it."""
    return _read(raw, TitleFile).custom_title or ""


def _read(raw: bytes, struct: type[_Struct]) -> _Struct:
    try:
        value: Any = load(raw).value
    except Damage:
        return struct()
    for _ in range(_MOST_MISFITS):
        try:
            return msgspec.json.decode(msgspec.json.encode(value), type=struct)
        except msgspec.ValidationError as error:
            dropped = drop_misfit(value, str(error)) if isinstance(value, dict) else None
            if dropped is None:
                break
            value = dropped[0]
    return struct()

"""Workflow and Batch: several agent runs or tool calls started by one call."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Code, Fold, Link, Links, Part
from clew.tools.display import fields, input_fields, json_value, note, output
from clew.tools.tool import CallState, Number, Tool

_FACT: Final = re.compile(
    r"^(?:Workflow [^\n]{1,80}\. )?(Task ID|Summary|Transcript dir|Script file|Run ID): ([^\n]+)",
    re.MULTILINE,
)


class WorkflowInput(msgspec.Struct, frozen=True, rename="camel"):
    """The script or its path, and its arguments."""

    script: str = ""
    name: str = ""
    script_path: str = ""
    args: Any = None
    resume_from_run_id: str = ""
    description: str = ""
    title: str = ""


class WorkflowResult(msgspec.Struct, frozen=True, rename="camel"):
    """The run that was started, and the folder of its transcripts."""

    status: str
    task_id: str = ""
    task_type: str = ""
    workflow_name: str = ""
    run_id: str = ""
    summary: str = ""
    transcript_dir: str = ""
    script_path: str = ""
    session_url: str = ""
    warning: str = ""
    error: str = ""


def _read_workflow(_arguments: object, text: str) -> WorkflowResult | None:
    """Read the facts, one a line."""
    if not text.startswith("Workflow launched"):
        return None
    fields = {match[1]: match[2] for match in _FACT.finditer(text)}
    return WorkflowResult(
        status="async_launched",
        task_id=fields.get("Task ID", ""),
        run_id=fields.get("Run ID", ""),
        summary=fields.get("Summary", ""),
        transcript_dir=fields.get("Transcript dir", ""),
        script_path=fields.get("Script file", ""),
    )


def _workflow_parts(
    flow: WorkflowInput, result: WorkflowResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the script and its run; the agents are shown elsewhere."""
    yield from input_fields(call, "script")
    if flow.script:
        yield Code(flow.script, "javascript")
    if result is None:
        return
    yield from fields(
        ("Status", result.status),
        ("Task", result.task_id),
        ("Run", result.run_id),
        ("Name", result.workflow_name),
        ("Summary", result.summary),
        ("Transcripts", result.transcript_dir),
        ("Script", result.script_path),
    )
    if result.session_url:
        yield Links((Link(result.session_url),))
    yield from note(result.warning)
    yield from output(result.error, "Error", is_error=True)


def _workflow_state(result: WorkflowResult) -> CallState:
    if result.error:
        return "failed", "bad"
    return ("background", "") if result.status.endswith("_launched") else ("", "")


WORKFLOW: Final = Tool(
    names=("Workflow",),
    input=WorkflowInput,
    result=WorkflowResult,
    label=lambda flow, _: flow.title or flow.name or flow.description or flow.script_path,
    label_result=lambda result, label: label or result.summary or result.workflow_name,
    parts=_workflow_parts,
    state=_workflow_state,
    read_text=_read_workflow,
)


class Invocation(msgspec.Struct, frozen=True):
    """One of the calls."""

    tool_name: str
    input: Any = None


class BatchInput(msgspec.Struct, frozen=True):
    """The calls, in order."""

    invocations: tuple[Invocation, ...] | str
    description: str = ""


class BatchToolResult(msgspec.Struct, frozen=True):
    """The message that answered one of the calls."""

    key: str = ""
    message: Any = None


class BatchResult(msgspec.Struct, frozen=True, rename="camel"):
    """The results of the calls, in order, as messages."""

    ordered_tool_results: tuple[BatchToolResult, ...]
    normalized_messages: tuple[Any, ...] = ()
    resolved_invocations: Any = None
    total_duration_ms: Number | None = None
    total_tokens: Number | None = None
    total_tool_calls: Number | None = None


def _batch_label(batch: BatchInput, _cwd: str) -> str:
    """Return the description of the calls, or name their tools."""
    if batch.description or isinstance(batch.invocations, str):
        return batch.description
    return ", ".join(invocation.tool_name for invocation in batch.invocations)


def _batch_parts(batch: BatchInput, result: BatchResult | None, call: ToolCall) -> Iterator[Part]:
    """Show each call with its input and its answer."""
    if isinstance(batch.invocations, str):
        yield from input_fields(call)
        return
    yield from input_fields(call, "invocations", "description")
    answers = () if result is None else result.ordered_tool_results
    for number, invocation in enumerate(batch.invocations):
        answer = answers[number].message if number < len(answers) else None
        inner = (*json_value(invocation.input), *json_value(answer))
        yield Fold(invocation.tool_name, inner, is_open=True)
    for answer in answers[len(batch.invocations) :]:
        yield from json_value(answer.message)
    if result is not None:
        yield from fields(("Tool calls", result.total_tool_calls), ("Tokens", result.total_tokens))


BATCH: Final = Tool(
    names=("Batch",), input=BatchInput, result=BatchResult, label=_batch_label, parts=_batch_parts
)

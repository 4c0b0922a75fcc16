"""Workflow: a script that starts agent runs and joins what they give."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Code, Link, Links, Part
from clew.tools.pieces import facts, note, options, output
from clew.tools.tool import Standing, Tool

_FACT: Final = re.compile(
    r"^(?:Workflow [^\n]{1,80}\. )?(Task ID|Summary|Transcript dir|Script file|Run ID): ([^\n]+)",
    re.MULTILINE,
)


class WorkflowInput(msgspec.Struct, frozen=True, rename="camel"):
    """The script, or where it lies, and what it is given."""

    script: str = ""
    name: str = ""
    script_path: str = ""
    args: Any = None
    resume_from_run_id: str = ""
    description: str = ""
    title: str = ""


class WorkflowResult(msgspec.Struct, frozen=True, rename="camel"):
    """The run that was started, and where its transcripts lie."""

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


def read_text(_arguments: object, text: str) -> WorkflowResult | None:
    """Read the facts, one a line."""
    if not text.startswith("Workflow launched"):
        return None
    facts = {match[1]: match[2] for match in _FACT.finditer(text)}
    return WorkflowResult(
        status="async_launched",
        task_id=facts.get("Task ID", ""),
        run_id=facts.get("Run ID", ""),
        summary=facts.get("Summary", ""),
        transcript_dir=facts.get("Transcript dir", ""),
        script_path=facts.get("Script file", ""),
    )


def parts(flow: WorkflowInput, result: WorkflowResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the script, and the run that came of it; its agents are shown elsewhere."""
    yield from options(call, "script")
    if flow.script:
        yield Code(flow.script, "javascript")
    if result is None:
        return
    yield from facts(
        ("status", result.status),
        ("task", result.task_id),
        ("run", result.run_id),
        ("name", result.workflow_name),
        ("about", result.summary),
        ("transcripts", result.transcript_dir),
        ("script", result.script_path),
    )
    if result.session_url:
        yield Links((Link(result.session_url),))
    yield from note(result.warning)
    yield from output(result.error, "error", is_error=True)


def _state(result: WorkflowResult) -> Standing:
    if result.error:
        return "failed", "bad"
    return ("background", "") if result.status.endswith("_launched") else ("", "")


WORKFLOW: Final = Tool(
    names=("Workflow",),
    input=WorkflowInput,
    result=WorkflowResult,
    label=lambda flow, _: flow.title or flow.name or flow.description or flow.script_path,
    label_result=lambda result, told: told or result.summary or result.workflow_name,
    parts=parts,
    state=_state,
    read_text=read_text,
)

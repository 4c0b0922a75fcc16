"""Workflow: a script that starts agent runs and joins what they give."""

import re
from typing import Any, Final

import msgspec

from clew.tools.tool import Tool

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


WORKFLOW: Final = Tool(
    names=("Workflow",), input=WorkflowInput, result=WorkflowResult, read_text=read_text
)

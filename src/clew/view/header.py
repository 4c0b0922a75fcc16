"""The facts of a session, or of one agent run."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from clew.analytics import bill_all, display_name, file_touches
from clew.conversation import (
    AgentRun,
    Lineage,
    Message,
    Session,
    ToolCall,
    count_compactions,
)
from clew.tools import LineCounts, may_edit, resolve_path, short_path
from clew.view.context import PageContext
from clew.view.index import PageIndex
from clew.view.page import ChangedFile, Header
from clew.view.runs import run_duration, run_title
from clew.view.usage import usage_view

_LINEAGE: Final = {
    "resumed_from": "resumed from",
    "forked_from": "forked from",
    "continued_in": "continued in",
    "teammate_of": "teammate of",
}
# Where no branch is checked out, the client writes HEAD for its name.
_NO_BRANCH: Final = (None, "HEAD")
NO_TRANSCRIPT: Final = (
    "The main transcript of this session is missing. Only its agent runs are shown, and it cannot "
    "be resumed."
)


def make_header(index: PageIndex) -> Header:
    """Return the facts of a session."""
    conversation = index.conversation
    session, totals = conversation.session, conversation.totals
    bill = bill_all(conversation.messages, index.bills)
    return Header(
        id=session.id,
        title=session.title,
        title_source=session.title_source,
        project=session.project,
        cwd=session.cwd,
        git_branch="" if session.git_branch in _NO_BRANCH else session.git_branch,
        models=_names(session.models),
        versions=session.versions,
        entrypoint=session.entrypoint or "",
        started_at=session.started_at,
        ended_at=session.ended_at,
        duration_ms=session.duration_ms,
        active_ms=session.active_ms,
        prompts=totals.prompts,
        answers=totals.answers,
        messages=totals.messages,
        calls=totals.tool_calls,
        errors=totals.errors,
        agent_runs=totals.agent_runs,
        compactions=count_compactions(conversation.epochs),
        spent=usage_view(totals.usage, bill),
        unpriced_models=bill.unpriced_models,
        tools=_tools(conversation.tool_calls),
        files=_files(
            conversation.tool_calls, session.cwd, conversation.messages, index.line_counts
        ),
        lineage=_lineage(session.lineage),
        pr_urls=session.pr_urls,
        first_prompt=session.first_prompt,
        resume=_resume(session) if session.has_transcript else "",
        notice="" if session.has_transcript else NO_TRANSCRIPT,
    )


def make_run_header(run: AgentRun, context: PageContext) -> Header:
    """Return the facts of a run, and of the session it belongs to as far as they tell of it."""
    index = context.index
    messages = index.without_progress(index.messages_by_run.get(run.id, []))
    calls = [call for m in messages for call in context.calls_by_message.get(m.id, ())]
    session = index.conversation.session
    bill = bill_all(messages, index.bills)
    below = (inner for inner in index.conversation.agent_runs if inner.parent_run_id == run.id)
    duration = run_duration(run) or 0
    return Header(
        id=run.id,
        title=run_title(run) or session.title,
        title_source="run",
        agent=run.name or run.agent or run.kind,
        project=session.project,
        cwd=run.worktree_path or session.cwd,
        git_branch="" if session.git_branch in _NO_BRANCH else session.git_branch,
        models=_names(run.models),
        versions=_versions(messages),
        started_at=run.started_at,
        ended_at=run.ended_at,
        duration_ms=duration,
        active_ms=duration,
        prompts=_count(messages, "prompt"),
        answers=_count(messages, "answer"),
        messages=len(messages),
        calls=len(calls),
        errors=sum(call.is_error for call in calls) + _count(messages, "api_error"),
        agent_runs=sum(1 for _ in below),
        spent=usage_view(run.usage, bill),
        unpriced_models=bill.unpriced_models,
        tools=_tools(calls),
        files=_files(calls, run.worktree_path or session.cwd, messages, context.index.line_counts),
        lineage=(("run of", session.id),),
        parent_run_id=run.parent_run_id or "",
        first_prompt=run.prompt,
    )


def _names(models: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(display_name, models)))


def _versions(messages: Iterable[Message]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(message.version for message in messages if message.version))


def _count(messages: Iterable[Message], kind: str) -> int:
    return sum(message.kind == kind for message in messages)


def _tools(calls: Iterable[ToolCall]) -> tuple[tuple[str, int], ...]:
    counts = Counter(call.tool for call in calls)
    return tuple(sorted(counts.items(), key=lambda counted: (-counted[1], counted[0])))


def _files(
    calls: Sequence[ToolCall],
    folder: str,
    messages: Iterable[Message],
    counts: Mapping[str, LineCounts],
) -> tuple[ChangedFile, ...]:
    """Sum the changes of each file, which has one name wherever the client was meanwhile."""
    # Most calls change no file, and the tool's name shows whether they can.
    edits = {call.id: call.message_id for call in calls if may_edit(call.tool)}
    cwds = {message.id: message.cwd for message in messages if message.cwd}
    sums: dict[str, ChangedFile] = {}
    for touch in file_touches((call for call in calls if call.id in edits), counts):
        cwd = cwds.get(edits[touch.tool_call_id], folder)
        path = short_path(resolve_path(touch.path, cwd), folder)
        known = sums.get(path, ChangedFile(path))
        sums[path] = ChangedFile(
            path,
            known.added + (touch.lines_added or 0),
            known.removed + (touch.lines_removed or 0),
            known.changes + 1,
            known.is_lower_bound or touch.is_lower_bound,
        )
    return tuple(sorted(sums.values(), key=lambda file: (-file.added - file.removed, file.path)))


def _lineage(lineage: Lineage) -> tuple[tuple[str, str], ...]:
    known = msgspec.structs.asdict(lineage)
    return tuple((words, known[name]) for name, words in _LINEAGE.items() if known[name])


def _resume(session: Session) -> str:
    resume = f"claude --resume {shlex.quote(session.id)}"
    return f"cd {shlex.quote(session.cwd)} && {resume}" if session.cwd else resume

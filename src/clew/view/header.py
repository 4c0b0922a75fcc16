"""The facts of a session, or of one agent run."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from clew.analytics import bill_all, display_name, file_touches
from clew.conversation import (
    AgentRun,
    Lineage,
    Message,
    ToolCall,
    count_compactions,
)
from clew.digest import SessionDigest, extract_session
from clew.resume import resume_command
from clew.tools import may_edit, resolve_path, short_path, total_wait
from clew.view.context import PageContext
from clew.view.index import PageIndex
from clew.view.note import make_note
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
    waited = total_wait(index.waits.values())
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
        waiting_ms=waited.ms,
        waiting_quality=waited.quality,
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
        files=_files(conversation.tool_calls, session.cwd, conversation.messages, index),
        lineage=_lineage(session.lineage),
        pr_urls=session.pr_urls,
        first_prompt=session.first_prompt,
        resume=resume_command(session.id, session.cwd) if session.has_transcript else "",
        notice="" if session.has_transcript else NO_TRANSCRIPT,
        digest=_digest(index),
        note=make_note(index),
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
        files=_files(calls, run.worktree_path or session.cwd, messages, index),
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
    index: PageIndex,
) -> tuple[ChangedFile, ...]:
    """Sum the changes of each file, which has one name wherever the client was meanwhile."""
    # Most calls change no file, and the tool's name shows whether they can.
    edits = {call.id: call.message_id for call in calls if may_edit(call.tool)}
    cwds = {message.id: message.cwd for message in messages if message.cwd}
    sums: dict[str, ChangedFile] = {}
    own = (call for call in calls if call.id in edits)
    for touch in file_touches(own, index.line_counts, index.recounts):
        cwd = cwds.get(edits[touch.tool_call_id], folder)
        path = short_path(resolve_path(touch.path, cwd), folder)
        known = sums.get(path, ChangedFile(path, call_id=touch.tool_call_id))
        sums[path] = ChangedFile(
            path,
            known.added + (touch.lines_added or 0),
            known.removed + (touch.lines_removed or 0),
            known.changes + 1,
            known.is_lower_bound or touch.is_lower_bound,
            touch.path,
            known.call_id,
        )
    return tuple(sorted(sums.values(), key=lambda file: (-file.added - file.removed, file.path)))


def _digest(index: PageIndex) -> SessionDigest:
    """Return the digest of a session, or its extract, with files named as on the page."""
    digest, cwd = (
        index.digest or extract_session(index.conversation),
        index.conversation.session.cwd,
    )
    files = tuple(
        msgspec.structs.replace(file, path=short_path(file.path, cwd)) for file in digest.files
    )
    return msgspec.structs.replace(digest, files=files)


def _lineage(lineage: Lineage) -> tuple[tuple[str, str], ...]:
    known = msgspec.structs.asdict(lineage)
    return tuple((words, known[name]) for name, words in _LINEAGE.items() if known[name])

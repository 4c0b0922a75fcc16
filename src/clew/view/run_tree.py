"""RunTree: the agent runs of a session, each below the run that started it.

Runs that the client starts by itself, to warm up or to suggest a prompt, are no part of the work:
they stand apart, so that a list can show them in one line.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from clew.analytics import bill_all, display_name, file_touches
from clew.conversation import MISSING, AgentRun, ToolCall
from clew.parts import Tone
from clew.tools import may_edit
from clew.view.index import PageIndex
from clew.view.page import UsageView
from clew.view.runs import reported_calls, run_duration, run_title, run_tone
from clew.view.usage import NO_BILL, usage_view


class RunSummary(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One agent run in numbers; `depth` is 1 for a run that the main thread started.

    All numbers are its own: those of the runs below it are not included. `files` is how many files
    it changed, with lines added and removed, which `is_lower_bound` says are at least so many.
    """

    id: str
    agent: str
    title: str = ""
    kind: str = "agent"
    status: str = ""
    tone: Tone = ""
    depth: int = 1
    parent_run_id: str = ""
    tool_call_id: str = ""
    models: tuple[str, ...] = ()
    started_at: str = ""
    ended_at: str = ""
    duration_ms: int | None = None
    messages: int = 0
    calls: int = 0
    errors: int = 0
    files: int = 0
    added: int = 0
    removed: int = 0
    is_lower_bound: bool = False
    spent: UsageView = UsageView()
    has_transcript: bool = True


class RunTree(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of a session in reading order; `hidden` are those that the client started itself."""

    runs: tuple[RunSummary, ...] = ()
    hidden: tuple[RunSummary, ...] = ()


def make_run_tree(index: PageIndex) -> RunTree:
    """Put the runs of a conversation into an order in which each follows the one it belongs to."""
    runs = index.conversation.agent_runs
    calls = _calls_by_run(index.calls.values())
    shown = [(run, depth) for run, depth in _in_order(runs) if not _is_hidden(run, index)]
    hidden = sorted((run for run in runs if _is_hidden(run, index)), key=_start)
    return RunTree(
        runs=tuple(_summarize(run, depth, index, calls) for run, depth in shown),
        hidden=tuple(_summarize(run, 1, index, calls) for run in hidden),
    )


def _is_hidden(run: AgentRun, index: PageIndex) -> bool:
    # Of a session without a transcript, these may be all there is.
    return run.is_hidden and bool(index.spine)


def _start(run: AgentRun) -> tuple[str, str]:
    return run.started_at, run.id


def _in_order(runs: Iterable[AgentRun]) -> Iterator[tuple[AgentRun, int]]:
    """Go through the tree from the top; a run whose parent is not there, or below it, is on top."""
    known = {run.id: run for run in sorted(runs, key=_start)}
    below: dict[str, list[AgentRun]] = {}
    for run in known.values():
        below.setdefault(_parent(run, known), []).append(run)
    waiting = [(run, 1) for run in reversed(below.get("", []))]
    while waiting:
        run, depth = waiting.pop()
        yield run, depth
        waiting.extend((inner, depth + 1) for inner in reversed(below.get(run.id, [])))


def _parent(run: AgentRun, known: Mapping[str, AgentRun]) -> str:
    """Return the run that started a run, or nothing where that would lead in a circle."""
    seen = {run.id}
    above = known.get(run.parent_run_id or "")
    parent = "" if above is None else above.id
    while above is not None:
        if above.id in seen:
            return ""
        seen.add(above.id)
        above = known.get(above.parent_run_id or "")
    return parent


def _calls_by_run(calls: Iterable[ToolCall]) -> dict[str, list[ToolCall]]:
    grouped: dict[str, list[ToolCall]] = {}
    for call in calls:
        if call.agent_run_id is not None:
            grouped.setdefault(call.agent_run_id, []).append(call)
    return grouped


def _summarize(
    run: AgentRun, depth: int, index: PageIndex, calls: Mapping[str, list[ToolCall]]
) -> RunSummary:
    messages = index.messages_by_run.get(run.id, [])
    own = calls.get(run.id, [])
    bill = NO_BILL if run.status == MISSING else bill_all(messages, index.bills)
    edits = [call for call in own if may_edit(call.tool)]
    touches = list(file_touches(edits, index.line_counts, index.recounts))
    return RunSummary(
        id=run.id,
        agent=run.name or run.agent or run.kind,
        title=run_title(run),
        kind=run.kind,
        status=run.status,
        tone=run_tone(run),
        depth=depth,
        parent_run_id=run.parent_run_id or "",
        tool_call_id=run.tool_call_id or "",
        models=tuple(dict.fromkeys(map(display_name, run.models))),
        started_at=run.started_at,
        ended_at=run.ended_at,
        duration_ms=run_duration(run),
        messages=len(index.without_progress(messages)),
        calls=len(own) or reported_calls(run),
        errors=sum(call.is_error for call in own),
        files=len({touch.path for touch in touches}),
        added=sum(touch.lines_added or 0 for touch in touches),
        removed=sum(touch.lines_removed or 0 for touch in touches),
        is_lower_bound=any(touch.is_lower_bound for touch in touches),
        spent=usage_view(run.usage, bill),
        has_transcript=run.has_transcript,
    )

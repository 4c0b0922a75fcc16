"""Agent runs: at the call that started them, or in the order of messages."""

from collections.abc import Iterable
from typing import Final

from clew.analytics import bill_all, display_name
from clew.clock import milliseconds
from clew.conversation import MISSING, AgentRun, Message
from clew.parts import Tone
from clew.view.context import PageContext
from clew.view.gaps import missing_transcript
from clew.view.labels import summary_line
from clew.view.page import Item, RunView
from clew.view.usage import NO_BILL, usage_view

_TONES: Final[dict[str, Tone]] = {
    "failed": "bad",
    "denied": "warn",
    "interrupted": "warn",
    "pending": "warn",
}


def make_runs(runs: Iterable[AgentRun], context: PageContext) -> tuple[RunView, ...]:
    """Make those runs that the page shows."""
    return tuple(make_run(run, context) for run in shown_runs(runs, context))


def shown_runs(runs: Iterable[AgentRun], context: PageContext) -> list[AgentRun]:
    """Choose the runs that the page shows."""
    if not context.shows_runs:
        return []
    with_hidden = context.options.with_hidden_runs or context.is_whole or not context.index.spine
    return [run for run in runs if with_hidden or not run.is_hidden]


def make_run(run: AgentRun, context: PageContext) -> RunView:
    """Make a run with its messages, or without where it is nested too deep."""
    messages = context.index.messages_by_run.get(run.id, [])
    inner = context.nested()
    is_linked = inner.depth > context.options.max_run_depth
    calls = [call for m in messages for call in context.calls_by_message.get(m.id, ())]
    bill = NO_BILL if run.status == MISSING else bill_all(messages, context.index.bills)
    return RunView(
        id=run.id,
        agent=run.name or run.agent or run.kind,
        title=run_title(run),
        kind=run.kind,
        status=run.status,
        tone=run_tone(run),
        depth=inner.depth,
        phase=run.phase or "",
        models=tuple(dict.fromkeys(map(display_name, run.models))),
        started_at=run.started_at,
        duration_ms=run_duration(run),
        calls=len(calls) or reported_calls(run),
        errors=sum(call.is_error for call in calls),
        messages=len(context.index.without_progress(messages)),
        spent=usage_view(run.usage, bill),
        color=run.color or "",
        is_hidden=run.is_hidden and bool(context.index.spine),
        is_linked=is_linked,
        has_transcript=run.has_transcript,
        items=() if is_linked else _items(run, messages, inner),
    )


def run_title(run: AgentRun) -> str:
    """Return the purpose of a run in one line."""
    return run.label or run.description or summary_line(run.prompt)


def run_label(run: AgentRun) -> str:
    """Return the agent of a run and its purpose: `Explore: find callers`."""
    return ": ".join(filter(None, (run.name or run.agent or run.kind, run_title(run))))


def run_tone(run: AgentRun) -> Tone:
    """Return whether a run ended badly."""
    return _TONES.get(run.status, "")


def run_duration(run: AgentRun) -> int | None:
    """Return the duration of a run by its entries, else as the client reported it."""
    reported = None if run.reported is None else run.reported.duration_ms
    start, end = milliseconds(run.started_at), milliseconds(run.ended_at)
    if start is not None and end is not None and (run.status != MISSING or reported is None):
        return max(0, end - start)
    return None if reported is None else round(reported)


def reported_calls(run: AgentRun) -> int:
    """Return the number of calls that the client reported, where the transcript is missing."""
    return (run.reported.tool_uses or 0) if run.status == MISSING and run.reported else 0


def _items(run: AgentRun, messages: list[Message], inner: PageContext) -> tuple[Item, ...]:
    items = inner.make_items(messages, inner)
    return items if run.has_transcript else (missing_transcript(run), *items)

"""Tool calls: one line each, and the parts that show when it is opened."""

from collections.abc import Iterable

import msgspec

from clew.clock import milliseconds
from clew.conversation import AgentRun, Message, ToolCall
from clew.parts import Fold, Note, Part
from clew.tools import (
    TaskUpdateInput,
    Wait,
    call_label,
    call_parts,
    call_state,
    count_changes,
    decode_call,
    is_edit,
    read_decision,
    tool_title,
    user_reply,
)
from clew.view.context import PageContext
from clew.view.labels import summary_line
from clew.view.page import CallView, Parallel, RunView
from clew.view.progress import progress_parts
from clew.view.run_links import link_to_runs
from clew.view.runs import make_runs, run_duration


def make_calls(
    calls: Iterable[ToolCall], message: Message, context: PageContext
) -> CallView | Parallel:
    """Make the calls that an answer made; several are parallel."""
    made = tuple([make_call(call, message, context) for call in calls])
    return made[0] if len(made) == 1 else Parallel(made)


def make_call(call: ToolCall, message: Message, context: PageContext) -> CallView:
    """Make one call, with the agent runs it started."""
    arguments, result = decode_call(call)
    if call.id in context.task_names and isinstance(arguments, TaskUpdateInput):
        arguments = msgspec.structs.replace(arguments, subject=context.task_names[call.id])
    cwd = context.folder_of(message)
    opened = call_parts(call, arguments, result, cwd)
    if call.id in context.index.progress_by_call:
        opened = (*opened, *progress_parts(context.index.progress_by_call[call.id]))
    changed = count_changes(arguments, result, opened)
    if call.status == "done" and is_edit(call.tool):
        changed = context.index.recounts.settle(call.id, changed)
    if changed is not None:
        context.index.line_counts[call.id] = changed
    # A label that is given an edit's result counts its lines too.
    label_text = call_label(call.tool, arguments, result if changed is None else None, cwd)
    text, tone = call_state(call, arguments, result)
    if call.error:
        text = f"{text}: {summary_line(call.error)}"
    runs = context.index.runs_by_call.get(call.id, [])
    # Python takes up to fifteen keywords the short way.
    view = CallView(
        id=call.id,
        tool=call.tool,
        verb=tool_title(call.tool),
        label=label_text,
        status=call.status,
        state=text,
        tone=tone,
        is_error=call.is_error,
        added=None if changed is None else changed.added,
        removed=None if changed is None else changed.removed,
        size_bytes=_size(call.result_text),
        started_at=call.started_at,
        duration_ms=_duration(call, runs),
        reply=user_reply(result),
        parts=opened if context.is_whole else tuple(part for part in opened if not _is_meta(part)),
    )
    if changed is not None and changed.is_lower_bound:
        view = msgspec.structs.replace(view, is_lower_bound=True)
    view = _with_decision(view, call, context.index.waits.get(call.id))
    return _with_runs(view, make_runs(runs, context)) if runs else view


def _with_decision(view: CallView, call: ToolCall, wait: Wait | None) -> CallView:
    """Add who decided about a call, and how long it waited for a person."""
    decision = read_decision(call)
    if decision is not None:
        view = msgspec.structs.replace(view, decided_by=decision.by, answer=decision.answer)
    if wait is None:
        return view
    return msgspec.structs.replace(
        view, waiting_ms=wait.ms, waiting_quality=wait.quality, took_ms=_took(call, wait)
    )


def _took(call: ToolCall, wait: Wait) -> int | None:
    """Return how long a call took without the wait, unless the client itself measured that."""
    if call.duration_ms is None:
        return None
    start, end = milliseconds(call.started_at), milliseconds(call.ended_at or "")
    is_whole = start is not None and end is not None and call.duration_ms >= end - start
    return max(0, call.duration_ms - wait.ms) if is_whole else call.duration_ms


def _with_runs(view: CallView, runs: tuple[RunView, ...]) -> CallView:
    return msgspec.structs.replace(view, runs=runs, parts=link_to_runs(view.parts, runs))


def _duration(call: ToolCall, runs: Iterable[AgentRun]) -> int | None:
    """Return how long a call and its runs took; background runs outlast the call."""
    known = [call.duration_ms, *map(run_duration, runs)]
    return max((took for took in known if took is not None), default=None)


def _is_meta(part: Part) -> bool:
    return isinstance(part, Fold | Note) and part.is_meta


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))

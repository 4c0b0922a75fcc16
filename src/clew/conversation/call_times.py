"""When calls were reached and ran, as rows of hooks and progress prove it.

A result has one time, but a call may have waited before it ran: for calls beside it, or for a
person. Hooks run just before a call may be asked about and just after it ran; a running command
says how long it has been running.
"""

import datetime as dt
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

import msgspec

from clew.clock import format_time, parse_time
from clew.conversation.model import CallTimes, ToolCall
from clew.conversation.nodes import Node, Nodes
from clew.entries import (
    AttachmentRow,
    BashProgress,
    HookAdditionalContextAttachment,
    HookNonBlockingErrorAttachment,
    HookProgress,
    HookSuccessAttachment,
    ProgressRow,
)

_BEFORE: Final = "PreToolUse"
_AFTER: Final = "PostToolUse"
_HOOKS: Final = (
    HookAdditionalContextAttachment,
    HookNonBlockingErrorAttachment,
    HookSuccessAttachment,
)
_Kind: TypeAlias = Literal["reached_at", "ran_from", "ran_until"]


def note_times(calls: dict[str, ToolCall], nodes: Nodes) -> None:
    """Give calls the times that rows prove; the last of a start counts, the first of an end."""
    for call_id, kind, time in _times(nodes):
        call = calls.get(call_id)
        if call is None or not time:
            continue
        known = call.times or CallTimes()
        call.times = _noted(known, kind, time)


def _noted(known: CallTimes, kind: _Kind, time: str) -> CallTimes:
    if kind == "reached_at":
        return msgspec.structs.replace(known, reached_at=max(known.reached_at or "", time))
    if kind == "ran_from":
        return known if known.ran_from else msgspec.structs.replace(known, ran_from=time)
    return known if known.ran_until else msgspec.structs.replace(known, ran_until=time)


def _times(nodes: Nodes) -> Iterator[tuple[str, _Kind, str]]:
    for node in nodes.progress:
        body = node.entry.body
        if isinstance(body, ProgressRow):
            yield from _progress_time(node, body)
    for node in nodes.by_id.values():
        if isinstance(node.entry.body, AttachmentRow):
            yield from _attachment_time(node, node.entry.body)


def _progress_time(node: Node, body: ProgressRow) -> Iterator[tuple[str, _Kind, str]]:
    call_id, data = body.parent_tool_use_id or "", body.data
    if isinstance(data, HookProgress):
        yield from _hook_time(call_id, data.hook_event, node.time)
    elif isinstance(data, BashProgress):
        yield call_id, "ran_from", _earlier(node.time, data.elapsed_time_seconds)


def _attachment_time(node: Node, body: AttachmentRow) -> Iterator[tuple[str, _Kind, str]]:
    hook = body.attachment
    if isinstance(hook, _HOOKS):
        yield from _hook_time(hook.tool_use_id, hook.hook_event, node.time)


def _hook_time(call_id: str, event: str, time: str) -> Iterator[tuple[str, _Kind, str]]:
    if event == _BEFORE:
        yield call_id, "reached_at", time
    elif event == _AFTER:
        yield call_id, "ran_until", time


def _earlier(time: str, seconds: float) -> str:
    """Return the time so many seconds before another; "" where that is no time."""
    moment = parse_time(time)
    if moment is None:
        return ""
    try:
        return format_time(moment - dt.timedelta(seconds=seconds))
    except (OverflowError, ValueError):
        return ""

"""ScheduleWakeup: go on with a prompt after a while."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Note, Part
from clew.tools.pieces import facts, options, prose
from clew.tools.tool import Number, Tool

_SCHEDULED: Final = re.compile(r"Next wakeup scheduled for [^\n(]{1,60} \(in (\d{1,9})s\)")


class ScheduleWakeupInput(msgspec.Struct, frozen=True, rename="camel"):
    """After how long, with which prompt, and why; or that it is over."""

    delay_seconds: Number | None = None
    prompt: str = ""
    reason: str = ""
    stop: bool = False
    noop: bool = False


class ScheduleWakeupResult(msgspec.Struct, frozen=True, rename="camel"):
    """When it goes on, in milliseconds since 1970, and the delay within the client's bounds."""

    scheduled_for_ms: Number | None = msgspec.field(name="scheduledFor")
    clamped_delay_seconds: Number | None = None
    was_clamped: bool = False
    stopped: bool = False
    cancelled_wakeups: Number | None = None


def read_text(_arguments: object, text: str) -> ScheduleWakeupResult | None:
    """Read the delay; the text has a clock time without a day, so no moment can be told."""
    if text.startswith("Loop stopped"):
        return ScheduleWakeupResult(None, stopped=True)
    match = _SCHEDULED.match(text)
    return None if match is None else ScheduleWakeupResult(None, int(match[1]))


def parts(
    wakeup: ScheduleWakeupInput, result: ScheduleWakeupResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show what goes on when, or that it is over."""
    yield from prose(wakeup.prompt)
    yield from options(call, "prompt")
    if result is None:
        return
    if result.stopped:
        yield Note("Loop stopped")
    limited = result.clamped_delay_seconds if result.was_clamped else None
    yield from facts(("seconds, within bounds", limited), ("cancelled", result.cancelled_wakeups))


SCHEDULE_WAKEUP: Final = Tool(
    names=("ScheduleWakeup",),
    input=ScheduleWakeupInput,
    result=ScheduleWakeupResult,
    label=lambda wakeup, _: wakeup.reason or wakeup.prompt,
    parts=parts,
    read_text=read_text,
)

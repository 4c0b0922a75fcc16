"""CronCreate, CronList, CronDelete, ScheduleWakeup and Monitor: prompts that run later."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Code, Link, Links, Note, Part, Table
from clew.tools.display import fields, input_fields, prose
from clew.tools.tool import Number, Tool

_SCHEDULED: Final = re.compile(
    r"Scheduled (recurring job |one-shot task )?([\w-]{1,100})(?: \(([^)\n]{1,200})\))?"
)
_CANCELLED: Final = re.compile(r"Cancelled (?:job )?([\w-]{1,100})")
_WAKEUP: Final = re.compile(r"Next wakeup scheduled for [^\n(]{1,60} \(in (\d{1,9})s\)")
_MONITORING: Final = re.compile(
    r"Monitor started \(task ([\w-]{1,100})(?:, timeout (\d{1,12})ms|, (persistent))?"
)


class CronCreateInput(msgspec.Struct, frozen=True):
    """When, and which prompt."""

    cron: str
    prompt: str = ""
    recurring: bool = True
    durable: bool = False


class CronCreateResult(msgspec.Struct, frozen=True, rename="camel"):
    """The new job; `human_schedule` is its time in words."""

    id: str
    human_schedule: str = ""
    recurring: bool | None = None
    durable: bool | None = None


class CronJob(msgspec.Struct, frozen=True, rename="camel"):
    """One job of the list."""

    id: str
    cron: str = ""
    human_schedule: str = ""
    prompt: str = ""
    recurring: bool | None = None
    durable: bool | None = None


class CronListInput(msgspec.Struct, frozen=True):
    """Nothing."""


class CronListResult(msgspec.Struct, frozen=True):
    """All jobs."""

    jobs: tuple[CronJob, ...]


class CronDeleteInput(msgspec.Struct, frozen=True):
    """Which job."""

    id: str


class CronDeleteResult(msgspec.Struct, frozen=True):
    """The deleted job."""

    id: str


def _read_created(arguments: CronCreateInput, text: str) -> CronCreateResult | None:
    """Read the new job's id and time."""
    match = _SCHEDULED.match(text)
    if match is None:
        return None
    return CronCreateResult(match[2], match[3] or "", arguments.recurring, arguments.durable)


def _read_list(_arguments: object, text: str) -> CronListResult | None:
    """Read that there is no job; the text of a list has no clear structure."""
    return CronListResult(()) if text.startswith("No scheduled jobs") else None


def _read_deleted(_arguments: object, text: str) -> CronDeleteResult | None:
    """Read the id of the deleted job."""
    match = _CANCELLED.match(text)
    return None if match is None else CronDeleteResult(match[1])


def _create_parts(
    cron: CronCreateInput, result: CronCreateResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from prose(cron.prompt)
    yield from input_fields(call, "prompt")
    if result is not None:
        yield from fields(("Job", result.id), ("Schedule", result.human_schedule))


def _list_parts(
    _arguments: object, result: CronListResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from input_fields(call)
    if result is None:
        return
    if not result.jobs:
        yield Note("No scheduled jobs")
        return
    rows = ((job.id, job.human_schedule or job.cron, job.prompt) for job in result.jobs)
    yield Table(("Job", "Schedule", "Prompt"), tuple(rows))


def _delete_parts(
    _arguments: object, result: CronDeleteResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from input_fields(call)
    if result is not None:
        yield Note(f"Cancelled job {result.id}")


CRON_CREATE: Final = Tool(
    names=("CronCreate",),
    input=CronCreateInput,
    result=CronCreateResult,
    label=lambda cron, _: f"{cron.cron} {cron.prompt}",
    parts=_create_parts,
    read_text=_read_created,
)


CRON_LIST: Final = Tool(
    names=("CronList",),
    input=CronListInput,
    result=CronListResult,
    parts=_list_parts,
    read_text=_read_list,
)


CRON_DELETE: Final = Tool(
    names=("CronDelete",),
    input=CronDeleteInput,
    result=CronDeleteResult,
    label=lambda cron, _: cron.id,
    parts=_delete_parts,
    read_text=_read_deleted,
)


class ScheduleWakeupInput(msgspec.Struct, frozen=True, rename="camel"):
    """The delay, the prompt and the reason; or the end of the loop."""

    delay_seconds: Number | None = None
    prompt: str = ""
    reason: str = ""
    stop: bool = False
    noop: bool = False


class ScheduleWakeupResult(msgspec.Struct, frozen=True, rename="camel"):
    """When it runs, in milliseconds since 1970, and the delay within the client's limits."""

    scheduled_for_ms: Number | None = msgspec.field(name="scheduledFor")
    clamped_delay_seconds: Number | None = None
    was_clamped: bool = False
    stopped: bool = False
    cancelled_wakeups: Number | None = None


def _read_wakeup(_arguments: object, text: str) -> ScheduleWakeupResult | None:
    """Read the delay; the text has a clock time without a day, so the moment is unknown."""
    if text.startswith("Loop stopped"):
        return ScheduleWakeupResult(None, stopped=True)
    match = _WAKEUP.match(text)
    return None if match is None else ScheduleWakeupResult(None, int(match[1]))


def _wakeup_parts(
    wakeup: ScheduleWakeupInput, result: ScheduleWakeupResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the prompt and its delay, or that the loop stopped."""
    yield from prose(wakeup.prompt)
    yield from input_fields(call, "prompt")
    if result is None:
        return
    if result.stopped:
        yield Note("Loop stopped")
    limited = result.clamped_delay_seconds if result.was_clamped else None
    yield from fields(
        ("Delay in seconds, limited", limited), ("Cancelled wakeups", result.cancelled_wakeups)
    )


SCHEDULE_WAKEUP: Final = Tool(
    names=("ScheduleWakeup",),
    input=ScheduleWakeupInput,
    result=ScheduleWakeupResult,
    label=lambda wakeup, _: wakeup.reason or wakeup.prompt,
    parts=_wakeup_parts,
    read_text=_read_wakeup,
)


class WebSocket(msgspec.Struct, frozen=True):
    """A socket to watch."""

    url: str
    protocols: tuple[str, ...] = ()


class MonitorInput(msgspec.Struct, frozen=True):
    """What to watch, and for how long."""

    description: str = ""
    command: str = ""
    ws: WebSocket | None = None
    timeout_ms: Number | None = None
    persistent: bool = False


class MonitorResult(msgspec.Struct, frozen=True, rename="camel"):
    """The task that watches."""

    task_id: str
    timeout_ms: Number | None = None
    persistent: bool = False


def _read_monitor(_arguments: object, text: str) -> MonitorResult | None:
    """Read the task's id and its time limit."""
    match = _MONITORING.match(text)
    if match is None:
        return None
    timeout_ms = None if match[2] is None else int(match[2])
    return MonitorResult(match[1], timeout_ms, match[3] is not None)


def _monitor_parts(
    monitor: MonitorInput, result: MonitorResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show what is watched, and by which task."""
    if monitor.command:
        yield Code(monitor.command, "bash", is_command=True)
    if monitor.ws is not None:
        yield Links((Link(monitor.ws.url, note=", ".join(monitor.ws.protocols)),))
    yield from input_fields(call, "command", "ws")
    if result is not None:
        limit = "" if result.timeout_ms is None else f", timeout {result.timeout_ms:.0f}ms"
        persistent = ", persistent" if result.persistent else ""
        yield Note(f"Monitor started (task {result.task_id}{limit}{persistent})")


MONITOR: Final = Tool(
    names=("Monitor",),
    input=MonitorInput,
    result=MonitorResult,
    label=lambda monitor, _: monitor.description or monitor.command,
    parts=_monitor_parts,
    read_text=_read_monitor,
)

"""Monitor: watch a command or a socket, and wake the model at each event."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Code, Link, Links, Note, Part
from clew.tools.pieces import options
from clew.tools.tool import Number, Tool

_STARTED: Final = re.compile(
    r"Monitor started \(task ([\w-]{1,100})(?:, timeout (\d{1,12})ms|, (persistent))?"
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


def read_text(_arguments: object, text: str) -> MonitorResult | None:
    """Read the task's id and its time limit."""
    match = _STARTED.match(text)
    if match is None:
        return None
    timeout_ms = None if match[2] is None else int(match[2])
    return MonitorResult(match[1], timeout_ms, match[3] is not None)


def parts(monitor: MonitorInput, result: MonitorResult | None, call: ToolCall) -> Iterator[Part]:
    """Show what is watched, and by which task."""
    if monitor.command:
        yield Code(monitor.command, "bash", is_command=True)
    if monitor.ws is not None:
        yield Links((Link(monitor.ws.url, note=", ".join(monitor.ws.protocols)),))
    yield from options(call, "command", "ws")
    if result is not None:
        limit = "" if result.timeout_ms is None else f", timeout {result.timeout_ms:.0f}ms"
        kept = ", persistent" if result.persistent else ""
        yield Note(f"Monitor started (task {result.task_id}{limit}{kept})")


MONITOR: Final = Tool(
    names=("Monitor",),
    input=MonitorInput,
    result=MonitorResult,
    label=lambda monitor, _: monitor.description or monitor.command,
    parts=parts,
    read_text=read_text,
)

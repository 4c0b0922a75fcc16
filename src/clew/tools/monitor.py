"""Monitor: watch a command or a socket, and wake the model at each event."""

import re
from typing import Final

import msgspec

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


MONITOR: Final = Tool(
    names=("Monitor",), input=MonitorInput, result=MonitorResult, read_text=read_text
)

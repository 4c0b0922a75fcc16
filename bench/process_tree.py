"""A running process → what it and those below it have spent so far, where the system tells."""

import os
from pathlib import Path
from typing import Final

import msgspec

_PROC: Final = Path("/proc")
# The fields of a status line behind the name: user, system, and both of the children that ended.
_TIMES: Final = slice(11, 15)


class Spent(msgspec.Struct, frozen=True):
    """The processor time of all processes, and the peak memory of the largest."""

    cpu_seconds: float = 0.0
    peak_bytes: int = 0


def spent_by(process_id: int) -> Spent:
    """Add up what a process and all below it have spent; nothing, if it has ended."""
    cpu_seconds, peak_bytes = 0.0, 0
    for each in process_tree(process_id):
        try:
            cpu_seconds += _cpu_seconds(each)
            peak_bytes = max(peak_bytes, _peak_bytes(each))
        except (OSError, ValueError, IndexError):
            continue
    return Spent(cpu_seconds, peak_bytes)


def process_tree(process_id: int) -> list[int]:
    """List a process and all that are below it."""
    found, waiting = [], [process_id]
    while waiting:
        each = waiting.pop()
        found.append(each)
        waiting += _children(each)
    return found


def _children(process_id: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in (_PROC / str(process_id) / "task").iterdir():
            found += map(int, (thread / "children").read_text("utf-8").split())
    except OSError:
        return found
    return found


def _cpu_seconds(process_id: int) -> float:
    told = (_PROC / str(process_id) / "stat").read_text("utf-8")
    times = told.rpartition(")")[2].split()[_TIMES]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def _peak_bytes(process_id: int) -> int:
    told = (_PROC / str(process_id) / "status").read_text("utf-8")
    return int(told.partition("VmHWM:")[2].split()[0]) * 1024

"""What a session's end depends on, once all before it has its rows: a cut, and the past behind it.

A session that grows is not read again from its beginning: the rows before a cut stay as they are,
those after it are made again. Nothing here is trusted across versions of the parser.
"""

from typing import Any, Final

import msgspec

from clew.store.entry_rows import Rows

# Rows of these tables stand in the order of the past and the tail; the tail's are replaced.
CUT_TABLES: Final = (
    "entry",
    "message",
    "block",
    "tool_call",
    "agent_run",
    "turn",
    "model_call",
    "file_change",
    "edge",
    "problem",
)


class OpenTurn(msgspec.Struct, frozen=True, kw_only=True):
    """The part before the cut of a turn that goes on after it."""

    index: int
    prompt_id: str
    message_count: int = 0
    tool_call_count: int = 0
    started_at: str = ""
    ended_at: str = ""


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """Where a session is cut, and what its tail must know of all that stands before.

    The tail begins at an offset of the session's transcript; the transcripts of `agents` belong to
    it as a whole. `first_ms` and `active_ms` are when the session began and how long someone
    worked up to the cut; `lone` are words that only the queue holds, `waiting` those still in it.
    """

    transcripts: tuple[str, ...]
    number: int
    offset: int
    line: int
    agents: tuple[str, ...] = ()
    entries: int
    messages: int
    calls: int
    turns: int
    open_turn: OpenTurn | None = None
    parent_id: str | None = None
    thread_id: str
    thread_messages: int
    epoch: int
    last_epoch: int
    time: str
    first_ms: int
    active_ms: int
    models: tuple[str, ...]
    prompts: int
    answers: int
    errors: int
    agent_runs: int
    began: str
    is_fork: bool
    lone: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    has_loose_runs: bool = False
    has_title_file: bool = False

    @property
    def path(self) -> str:
        """The session's own transcript."""
        return self.transcripts[self.number]


class Cut(msgspec.Struct, frozen=True):
    """A past, and how many rows of each table are its own.

    `names` and `said` are the names and the prompts that it adds to those of the cut before.
    """

    past: Past
    names: bytes = b""
    said: str = ""
    counts: dict[str, int] = {}


class Known(msgspec.Struct, frozen=True):
    """A session as the archive has it: its past, all names and prompts before it, and its row."""

    past: Past
    names: bytes
    said: str
    session: dict[str, Any]


def part(rows: Rows, tail: Rows) -> Rows | None:
    """Give the rows that are not the tail's; None when the tail has a row that is not there."""
    kept = len(rows) - len(tail)
    if kept >= 0 and rows[kept:] == tail:
        return rows[:kept]
    waiting: dict[tuple[Any, ...], int] = {}
    for row in tail:
        waiting[row] = waiting.get(row, 0) + 1
    before = []
    for row in rows:
        if waiting.get(row, 0):
            waiting[row] -= 1
        else:
            before.append(row)
    return None if any(waiting.values()) else before

"""The result of a query, how long it may take, and why there is none: the same on all databases."""

import time
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Final, TypeAlias

import msgspec

from clew.errors import ClewError

Value: TypeAlias = str | int | float | bytes | None
QueryRow: TypeAlias = tuple[Value, ...]

LISTED: Final = "`clew sql --schema` lists tables, views and functions"
READ_ONLY: Final = "queries are read-only: use SELECT or WITH"
SEVERAL: Final = "it has several statements; run one at a time"


class QueryRefusedError(ClewError):
    """The database cannot run the query, or it may not do what it asks for."""

    exit_code = 2

    def __init__(self, reason: str) -> None:
        super().__init__(f"cannot run the query: {reason}")


class QueryTimeoutError(ClewError):
    """The query took too long."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the query timed out after {seconds:g} s; narrow it down, or raise --timeout"
        )


class QueryResult(msgspec.Struct, frozen=True):
    """What a query gives: the names of its columns, and its rows as they are found.

    `faults` has, once the rows are read, the archived files that could not be read; the values from
    them are None.
    """

    columns: tuple[str, ...]
    rows: Iterator[QueryRow]
    faults: list[str] = msgspec.field(default_factory=list)


class QueryClock:
    """How much time is left, counted only while it runs."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.left = seconds
        self.started = time.monotonic()

    def start(self) -> None:
        """Let the time count from now on."""
        self.started = time.monotonic()

    def stop(self) -> None:
        """Let it count no longer."""
        self.left -= time.monotonic() - self.started

    def is_over(self) -> bool:
        """Tell whether no time is left."""
        return time.monotonic() - self.started > self.left

    def check(self) -> None:
        """Stop a query in which the database itself has little to do between two reads of a file.

        Raises:
            QueryTimeoutError: No time is left.
        """
        if self.is_over():
            raise QueryTimeoutError(self.seconds)


def suggest(message: str, name: str, known: Sequence[str]) -> str:
    """Add to a message what a name that the database does not know may have been meant for."""
    # A column of another table is no slip of the pen.
    close = [] if name.lower() in known else get_close_matches(name.lower(), known, 1)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{message}; {hint}{LISTED}"


def chain(first: QueryRow, rows: Iterator[QueryRow]) -> Iterator[QueryRow]:
    """Return a row, then others."""
    yield first
    yield from rows

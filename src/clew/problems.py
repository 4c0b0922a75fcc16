"""Problems in the data, as values: reading continues."""

from enum import StrEnum
from typing import Final

import msgspec


class Severity(StrEnum):
    """How much a problem matters to the person who owns the transcript."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Problem(msgspec.Struct, frozen=True, gc=False):
    """A problem in the data and its position: `text` describes structure, never quotes messages."""

    kind: str
    text: str = ""
    file: str = ""
    line: int = 0
    offset: int = 0


class ProblemKind(msgspec.Struct, frozen=True):
    """A kind of problem: its severity and meaning."""

    severity: Severity
    meaning: str


PROBLEM_KINDS: Final[dict[str, ProblemKind]] = {
    "broken": ProblemKind(Severity.ERROR, "a line that is not JSON; bytes preserved"),
    "glued": ProblemKind(Severity.ERROR, "two records on one line; both are read"),
    "torn": ProblemKind(Severity.ERROR, "a record cut off in the middle of the file"),
    "oversized": ProblemKind(
        Severity.ERROR, "a line larger than 64 MiB; bytes preserved, but not decoded"
    ),
    "cycle": ProblemKind(Severity.ERROR, "parent links that form a cycle; cut at its first record"),
    "unreadable": ProblemKind(Severity.ERROR, "a file or directory that cannot be opened"),
    "not_identical": ProblemKind(
        Severity.ERROR, "lines that do not join to the same file again; please report it"
    ),
    "shrunk": ProblemKind(Severity.WARNING, "a file that became shorter while it was read"),
    "encoding": ProblemKind(Severity.WARNING, "bytes that are not UTF-8 or half a surrogate pair"),
    "nul": ProblemKind(Severity.WARNING, "NUL bytes around a record, as after a crash"),
    "wrong_shape": ProblemKind(Severity.WARNING, "a field of an unexpected type; ignored"),
    "missing_field": ProblemKind(
        Severity.WARNING, "a record without a field that links it to others"
    ),
    "broken_sidecar": ProblemKind(Severity.WARNING, "a file beside a transcript that is not JSON"),
    "link_outside": ProblemKind(
        Severity.WARNING, "a symbolic link to a path outside the root; not followed"
    ),
    "duplicate_uuid": ProblemKind(Severity.WARNING, "the same uuid on two records of a session"),
    "unknown_type": ProblemKind(Severity.WARNING, "a record type that this version does not know"),
    "not_regular": ProblemKind(Severity.NOTE, "neither a file nor a directory; skipped"),
    "vanished": ProblemKind(Severity.NOTE, "a file that was deleted before it was read"),
    "foreign_session": ProblemKind(Severity.NOTE, "a record of another session in the file"),
    "unfinished": ProblemKind(Severity.NOTE, "a last line without a newline"),
    "blank": ProblemKind(Severity.NOTE, "an empty line"),
    "missing_parent": ProblemKind(Severity.NOTE, "a parent that is in none of the files"),
    "missing_transcript": ProblemKind(
        Severity.NOTE, "a missing transcript; its usage is not counted"
    ),
    "orphan_result": ProblemKind(Severity.NOTE, "a tool result whose call is in none of the files"),
    "odd_result": ProblemKind(
        Severity.NOTE, "a tool result that is neither text nor blocks; shown as JSON"
    ),
    "call_without_result": ProblemKind(Severity.NOTE, "a tool call without a result"),
    "clock_back": ProblemKind(
        Severity.NOTE, "a record with an earlier time than the one before it"
    ),
    "unknown_field": ProblemKind(Severity.NOTE, "a field that this version does not know"),
}


def severity_of(kind: str) -> Severity:
    """Return the severity of a kind of problem; an unlisted kind is a warning."""
    known = PROBLEM_KINDS.get(kind)
    return Severity.WARNING if known is None else known.severity

"""What is wrong in the data, as values: reading goes on."""

from enum import StrEnum
from typing import Final

import msgspec


class Severity(StrEnum):
    """How much a problem matters to the person who owns the transcript."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Problem(msgspec.Struct, frozen=True, gc=False):
    """One thing wrong in the data, and where: `text` describes structure, never quotes talk."""

    kind: str
    text: str = ""
    file: str = ""
    line: int = 0
    offset: int = 0


class ProblemKind(msgspec.Struct, frozen=True):
    """A kind of problem: how bad it is, what it means, what to do."""

    severity: Severity
    meaning: str


PROBLEM_KINDS: Final[dict[str, ProblemKind]] = {
    "broken": ProblemKind(Severity.ERROR, "a line that is not JSON; its bytes are kept"),
    "glued": ProblemKind(Severity.ERROR, "two records on one line; both are read"),
    "torn": ProblemKind(Severity.ERROR, "a record cut off in the middle of the file"),
    "oversized": ProblemKind(
        Severity.ERROR, "a line larger than 64 MiB; its bytes are kept, and it is not read"
    ),
    "cycle": ProblemKind(Severity.ERROR, "parent links that run in a circle; cut at one place"),
    "unreadable": ProblemKind(Severity.ERROR, "a file or folder that cannot be opened"),
    "not_identical": ProblemKind(
        Severity.ERROR, "lines that, joined again, are not the file; please report it"
    ),
    "shrunk": ProblemKind(Severity.WARNING, "a file that became shorter while it was read"),
    "encoding": ProblemKind(Severity.WARNING, "bytes that are not UTF-8 or half a surrogate pair"),
    "nul": ProblemKind(Severity.WARNING, "NUL bytes around a record, as after a crash"),
    "wrong_shape": ProblemKind(Severity.WARNING, "a field of an unexpected type, left out"),
    "missing_field": ProblemKind(Severity.WARNING, "a record without a field that links it"),
    "broken_sidecar": ProblemKind(Severity.WARNING, "a file beside a transcript that is not JSON"),
    "link_outside": ProblemKind(
        Severity.WARNING, "a link that leads out of the root; it is not followed"
    ),
    "duplicate_uuid": ProblemKind(Severity.WARNING, "one uuid on two records of a session"),
    "unknown_type": ProblemKind(Severity.WARNING, "a record type this version does not know"),
    "not_regular": ProblemKind(Severity.NOTE, "neither a file nor a folder; passed over"),
    "vanished": ProblemKind(Severity.NOTE, "a file that went away before it was read"),
    "foreign_session": ProblemKind(Severity.NOTE, "a record of another session in the file"),
    "unfinished": ProblemKind(Severity.NOTE, "a last line that still waits for its newline"),
    "blank": ProblemKind(Severity.NOTE, "a line with nothing on it"),
    "missing_parent": ProblemKind(Severity.NOTE, "a parent that stands in no file at hand"),
    "missing_transcript": ProblemKind(
        Severity.NOTE, "a transcript that is not there; what it cost is not counted"
    ),
    "orphan_result": ProblemKind(Severity.NOTE, "a tool result whose call is not at hand"),
    "odd_result": ProblemKind(
        Severity.NOTE, "a tool result that is neither text nor blocks; shown as JSON"
    ),
    "call_without_result": ProblemKind(Severity.NOTE, "a tool call that was never answered"),
    "clock_back": ProblemKind(Severity.NOTE, "a record older than the one before it"),
    "unknown_field": ProblemKind(Severity.NOTE, "a field this version does not name"),
}


def severity_of(kind: str) -> Severity:
    """Tell how bad problems of this kind are; an unlisted kind is a warning."""
    known = PROBLEM_KINDS.get(kind)
    return Severity.WARNING if known is None else known.severity

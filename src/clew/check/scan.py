"""One file → its findings, line by line."""

import re
from typing import Final

import msgspec

from clew.check.counters import ProblemCounter
from clew.check.findings import Findings
from clew.check.names import file_name
from clew.check.round_trip import RoundTripReader
from clew.check.transcript import TranscriptScan
from clew.problems import Problem
from clew.source import (
    LARGEST_LINE,
    TRANSCRIPT_KINDS,
    FileKind,
    SourceFile,
    read_lines,
    read_sidecar,
)

_ENTRY_KINDS: Final = TRANSCRIPT_KINDS | {FileKind.JOURNAL}
_is_uuid: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}").fullmatch
_JSON_KINDS: Final = frozenset(
    {FileKind.META, FileKind.WORKFLOW, FileKind.TITLE, FileKind.ARCHIVED, FileKind.INDEX}
)


def scan_file(file: SourceFile) -> Findings:
    """Read one file to its end and return the findings. Its content never raises."""
    name = file_name(file.relative)
    try:
        if file.kind in _ENTRY_KINDS:
            return _scan_transcript(file, name)
        return _scan_sidecar(file, name)
    except FileNotFoundError:
        return _unread(Problem("vanished", file=name))
    except OSError as error:
        return _unread(Problem("unreadable", error.strerror or type(error).__name__, name))


def check_round_trip(
    mirror: RoundTripReader, file: SourceFile, name: str, problems: ProblemCounter
) -> bool:
    """Return whether the lines are the file, and report it if not."""
    identical = mirror.is_identical()
    if not identical:
        problems.add(Problem("not_identical", file=name))
    if mirror.size_read < file.size:
        text = f"{file.size - mirror.size_read} bytes fewer than when it was listed"
        problems.add(Problem("shrunk", text, name))
    return identical


def _scan_transcript(file: SourceFile, name: str) -> Findings:
    scan = TranscriptScan(name, _own_session(file))
    with RoundTripReader(file.path) as mirror:
        for line in read_lines(file.path, file=name):
            mirror.add(line)
            scan.add(line)
        identical = check_round_trip(mirror, file, name, scan.problems)
    return scan.finish(identical=identical)


def _own_session(file: SourceFile) -> str:
    """Return the session that a file is of, by its path; a copy may have any name."""
    session_id = file.session_id or ""
    return session_id if _is_uuid(session_id) else ""


def _scan_sidecar(file: SourceFile, name: str) -> Findings:
    problems = ProblemCounter()
    with RoundTripReader(file.path) as mirror:
        for line in read_lines(file.path, file=name):
            mirror.add(line)
        identical = check_round_trip(mirror, file, name, problems)
    if file.kind in _JSON_KINDS and not _is_json(read_sidecar(file.path, LARGEST_LINE)):
        problems.add(Problem("broken_sidecar", f"a {file.kind} file", name))
    return Findings(
        file=name, identical=identical, problem_counts=problems.counts, problems=problems.first
    )


def _is_json(raw: bytes) -> bool:
    try:
        msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        return False
    return True


def _unread(problem: Problem) -> Findings:
    return Findings(file=problem.file, problem_counts={problem.kind: 1}, problems=[problem])

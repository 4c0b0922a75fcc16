"""Sessions with missing transcripts, among those that are counted from their files alone."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from clew.analytics.facts import MissingTranscript, missing_transcripts
from clew.analytics.file_scan import FileScan
from clew.analytics.fragments import MAIN, RunReport
from clew.analytics.line_scan import UNNAMED
from clew.conversation import build
from clew.sessions import SessionFiles, gather, group_sessions
from clew.source import FileKind, SourceFile

# An agent's transcript is at most so many folders below the folder of its session's own.
_DEPTH: Final = 5

Missing = Iterator[tuple[str, MissingTranscript]]


class _RunEvidence(msgspec.Struct):
    """What the transcripts of a session state about its runs.

    `with_transcript` are those with a transcript, and when these begin; `in_progress_rows` those in
    progress rows. Where it is not `is_plain`, only reading the whole session decides.
    """

    path: str
    with_transcript: dict[str, str] = {}
    in_progress_rows: set[str] = set()
    reports: dict[str, RunReport] = {}
    unnamed: int = 0
    inline: int = 0
    is_plain: bool = True

    def add(self, scan: FileScan) -> None:
        """Add the scan of a transcript."""
        if scan.problem or scan.inline_runs:
            self.is_plain = False
        self.unnamed += scan.unnamed_runs
        self.inline += scan.inline_runs
        if not scan.problem:
            self.with_transcript[scan.run] = scan.started_at
        self.in_progress_rows.update(scan.progress_runs)
        for report in scan.reports:
            if not report.at or report.run in self.reports:
                self.is_plain = False
            self.reports.setdefault(report.run, report)

    @property
    def lost(self) -> list[RunReport]:
        """The reports of runs that are not found anywhere else.

        Old clients write the runs of agents among the rows of the session.
        """
        runs = self.reports.keys() - self.with_transcript.keys() - self.in_progress_rows
        if len(runs - {UNNAMED}) + self.unnamed <= self.inline:
            return []
        return [self.reports[run] for run in runs]

    @property
    def is_clear(self) -> bool:
        """Whether no more need be read.

        Without the session's own transcript, the times of its runs must be known. With it, each
        run that is there must have a report of its own, so that others are of other runs.
        """
        if MAIN not in self.with_transcript:
            return self.is_plain and not self.lost and all(self.with_transcript.values())
        runs = (self.with_transcript.keys() | self.in_progress_rows) - {MAIN}
        return self.is_plain and runs <= self.reports.keys() - {UNNAMED}

    def missing(self, session_id: str) -> Iterator[MissingTranscript]:
        """Return what is missing of a session of which all is clear."""
        if MAIN not in self.with_transcript and not _is_there(session_id, Path(self.path)):
            yield from (MissingTranscript(at) for at in set(self.with_transcript.values()))
        for report in self.lost:
            yield MissingTranscript(report.at, report.run, report.message_id)


def find_missing(
    scans: list[FileScan],
    files: Iterable[SourceFile],
    owners: Mapping[str, str],
    *,
    with_agents: bool,
) -> Missing:
    """Return what is missing, with the session it is missing of.

    Where the reports in results leave something open, and for the names of agents, the session is
    read whole. `owners` are the sessions that made answers which several contain.
    """
    evidence: dict[str, _RunEvidence] = {}
    for one in scans:
        evidence.setdefault(one.session_id, _RunEvidence(one.path)).add(one)
    suspects = {
        name: own for name, own in evidence.items() if MAIN not in own.with_transcript or own.lost
    }
    clear = {
        name for name, own in suspects.items() if own.is_clear and not (with_agents and own.lost)
    }
    found = [(name, missing) for name in clear for missing in suspects[name].missing(name)]
    for name, missing in [*found, *_read_missing(suspects.keys() - clear, scans, files)]:
        if owners.get(missing.message_id or "", name) == name:
            yield name, missing


def _read_missing(
    suspects: set[str], scans: list[FileScan], files: Iterable[SourceFile]
) -> Missing:
    """Find out what is missing by reading sessions whole."""
    if not suspects:
        return
    paths = {one.path for one in scans if one.session_id in suspects}
    unreadable = {one.path for one in scans if one.problem}
    chosen = (f for f in files if f.session_id in suspects or str(f.path) in paths)
    for session in group_sessions(chosen):
        for missing in _missing_of(session, unreadable):
            yield session.session_id, missing


def _missing_of(session: SessionFiles, unreadable: set[str]) -> Iterator[MissingTranscript]:
    files = tuple(file for file in session.files if str(file.path) not in unreadable)
    is_apart = not any(file.kind is FileKind.SESSION for file in session.files)
    is_apart = is_apart and _is_there(session.session_id, session.files[0].path)
    for found in missing_transcripts(build(gather(SessionFiles(session.session_id, files)))):
        if found.agent_run_id is not None or not is_apart:
            yield found


def _is_there(session_id: str, agent: Path) -> bool:
    """Return whether a session's own transcript is there, though only an agent's was named."""
    return any((above / f"{session_id}.jsonl").is_file() for above in agent.parents[:_DEPTH])

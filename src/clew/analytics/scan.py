"""Transcripts → counted calls, directly from the files, for `clew usage PATH`.

Counts what the archive counts, by the same rules: the largest snapshot of each answer, once over
all files, for the session that made it. Most answers are in one file alone, and are summed where
they are found; files that share one are looked through again, call by call.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from clew.analytics.file_scan import FileScan, ScanTask
from clew.analytics.filters import FilterSet, accepts_session, given_filters
from clew.analytics.fragments import MAIN
from clew.analytics.incomplete import find_missing
from clew.analytics.owners import OwnedCall, resolve_owners, shared_names
from clew.analytics.parallel import scan_all
from clew.analytics.run_names import ANY_AGENT, RunNames
from clew.analytics.sums import HOUR, CallSum, SessionLabel, Sums, Window, missing_sum
from clew.analytics.transcript_facts import TranscriptFacts
from clew.sessions import SessionFiles, group_sessions
from clew.source import TRANSCRIPT_KINDS, FileKind, SourceFile, discover


class ScanOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a scan is to find out.

    Calls whose times begin with the same `letters` may be summed. The names of agents take longer
    where no row, and no file beside a transcript, has them. A filter by outcome needs
    `find_outcome`, which builds each session.
    """

    filters: FilterSet = FilterSet()
    letters: int = 16
    with_agents: bool = False
    find_outcome: Callable[[SessionFiles], str] | None = None

    @property
    def window(self) -> Window:
        """Which calls are summed, and how."""
        return Window(self.filters.since or "", self.filters.until, self.letters)


class Scan(msgspec.Struct):
    """The calls of the time and the tool that were requested, and what else came up.

    `labels` and the client's own costs are by session; `problems` are about unreadable files.
    `sources` are all files that were found, `files` is how many of them were counted, `owners` the
    sessions of these by path. `hours` are those of all calls, of any time and tool.
    """

    files: int
    sources: list[SourceFile]
    sums: list[CallSum]
    hours: set[str]
    labels: dict[str, SessionLabel]
    client_costs: dict[str, float]
    problems: list[str]
    owners: dict[str, str]


class _ScanFiles(msgspec.Struct, frozen=True):
    """The files to look through.

    A named transcript brings along the flat agents beside it, which may be of other sessions:
    `owners` are the sessions they must be of to count, by path.
    """

    files: list[SourceFile]
    owners: dict[str, str]

    def includes(self, scan: FileScan) -> bool:
        """Return whether a transcript is one of the requested ones."""
        return self.owners.get(scan.path, scan.session_id) == scan.session_id


class _ScannedSession(msgspec.Struct):
    """What the transcripts of a session state; `has_rows` if its own is one of them."""

    has_rows: bool = False
    project: str = ""
    title: str = ""
    client_cost_usd: float | None = None
    facts: TranscriptFacts = msgspec.field(default_factory=TranscriptFacts)


class _CallSums(msgspec.Struct):
    """What was summed, the hours of all calls, and the owners of answers that several contain."""

    sums: list[CallSum] = []
    hours: set[str] = set()
    owners: dict[str, str] = {}

    def add(self, own: OwnedCall) -> None:
        """Add the hour of a call, and its owner."""
        self.hours.add(own.call.at[:HOUR])
        self.owners[own.call.name] = own.session_id


def scan(
    paths: Iterable[Path], options: ScanOptions | None = None, workers: int | None = None
) -> Scan:
    """Count the calls in all transcripts at or below some paths.

    Raises:
        PathNotFoundError: Nothing exists at one of them.
    """
    return _scan(_find(paths), options or ScanOptions(), workers)


def scan_files(files: Iterable[SourceFile], options: ScanOptions) -> Scan:
    """Count the calls in some transcripts."""
    unique = {file.path: file for file in files}
    return _scan(_ScanFiles(list(unique.values()), {}), options, None)


def _scan(found: _ScanFiles, options: ScanOptions, workers: int | None) -> Scan:
    tasks = _tasks(found.files, options)
    scans = [one for one in scan_all(tasks, workers) if found.includes(one)]
    sessions = _sessions(scans)
    _find_outcomes(sessions, found.files, options)
    if options.with_agents:
        counted = _sum_named(scans, found.files, options.window)
    else:
        counted = _sum(scans, tasks, found.files, options.window)
    _add_missing(counted, scans, found.files, options)
    costs = {name: session.client_cost_usd for name, session in sessions.items()}
    return Scan(
        files=len(scans),
        sources=found.files,
        hours=counted.hours,
        sums=_complete(counted.sums, sessions, options.filters),
        labels={name: SessionLabel(own.title, own.project) for name, own in sessions.items()},
        client_costs={name: cost for name, cost in costs.items() if cost is not None},
        problems=[f"{_readable(one.path)}: {one.problem}" for one in scans if one.problem],
        owners={one.path: one.session_id for one in scans},
    )


def _find(paths: Iterable[Path]) -> _ScanFiles:
    files: dict[Path, SourceFile] = {}
    owners: dict[str, str] = {}
    for path in paths:
        beside = discover(path).files
        named = [file for file in beside if path.is_file() and file.path == path.absolute()]
        for file in beside:
            if named and named[0].session_id and file.session_id is None:
                owners.setdefault(str(file.path), _readable(named[0].session_id))
            files.setdefault(file.path, file)
    return _ScanFiles(list(files.values()), owners)


def _tasks(files: list[SourceFile], options: ScanOptions) -> list[ScanTask]:
    held: dict[str | None, set[str]] = {}
    for file in files:
        if file.agent_id and file.kind in TRANSCRIPT_KINDS:
            held.setdefault(file.session_id, set()).add(file.agent_id)
    runs = {session_id: frozenset(own) for session_id, own in held.items()}
    given = given_filters(options.filters)
    fields = frozenset(field for each, _ in given for field in each.row_fields)
    return [
        ScanTask(
            path=str(file.path),
            size=file.size,
            session_id=_readable(file.session_id or ""),
            run=MAIN if file.kind is FileKind.SESSION else file.agent_id or file.path.stem,
            runs_with_transcript=runs.get(file.session_id, frozenset()),
            window=None if options.with_agents else options.window,
            with_tools=options.filters.tool is not None,
            fields=fields,
        )
        for file in files
        if file.kind in TRANSCRIPT_KINDS
    ]


def _readable(name: str) -> str:
    """Return a name as it may be printed: that of a file may contain bytes that are no text."""
    return os.fsencode(name).decode("utf-8", "replace")


def _sessions(scans: list[FileScan]) -> dict[str, _ScannedSession]:
    """Gather what is known of each session: its own transcript has the first word."""
    sessions: dict[str, _ScannedSession] = {}
    for one in sorted(scans, key=lambda one: (one.run != MAIN, one.path)):
        session = sessions.setdefault(one.session_id, _ScannedSession())
        session.project = session.project or one.project
        if one.run == MAIN or not session.has_rows:
            session.facts.add_rows(one.facts)
        session.has_rows = session.has_rows or (one.run == MAIN and bool(one.project))
        session.title = session.title or one.title
        if one.client_cost_usd is not None:
            session.client_cost_usd = one.client_cost_usd
        session.facts.tools += one.facts.tools
    return sessions


def _find_outcomes(
    sessions: dict[str, _ScannedSession], files: list[SourceFile], options: ScanOptions
) -> None:
    """Find out what came of sessions, if that decides which of them count."""
    if options.filters.outcome is None:
        return
    if options.find_outcome is None:
        raise ValueError("a filter by outcome needs find_outcome")
    for own in group_sessions(files):
        if (session := sessions.get(_readable(own.session_id))) is not None:
            session.facts.outcome = options.find_outcome(own)


def _sum(
    scans: list[FileScan], tasks: list[ScanTask], files: list[SourceFile], window: Window
) -> _CallSums:
    """Take the sums of files that share no answer; resolve the owners of calls in the others."""
    shared = shared_names(scans)
    joint = {one.path for one in scans if not shared.isdisjoint(one.names)}
    again = [msgspec.structs.replace(task, window=None) for task in tasks if task.path in joint]
    sums = Sums(window)
    apart = [one for one in scans if one.path not in joint]
    counted = _CallSums(hours={hour for one in apart for hour in one.hours})
    for own in resolve_owners(scan_all(again), files):
        sums.add(own.session_id, own.call.run, own.call)
        counted.add(own)
    counted.sums = [*(total for one in apart for total in one.sums), *sums.finish()]
    for total in counted.sums:
        total.agent = total.agent and ANY_AGENT
    return counted


def _sum_named(scans: list[FileScan], files: list[SourceFile], window: Window) -> _CallSums:
    """Settle all calls, and find out which agents made them."""
    names = RunNames(files, scans)
    sums = Sums(window)
    counted = _CallSums()
    for own in resolve_owners(scans, files):
        agent = own.call.run and names.of(own.session_id, own.call)
        sums.add(own.session_id, agent, own.call)
        counted.add(own)
    counted.sums = sums.finish()
    return counted


def _add_missing(
    counted: _CallSums, scans: list[FileScan], files: list[SourceFile], options: ScanOptions
) -> None:
    """Add what is not known to the sums, so that they are lower bounds."""
    missing = find_missing(scans, files, counted.owners, with_agents=options.with_agents)
    for session_id, found in missing:
        counted.hours.add(found.at[:HOUR])
        if options.window.includes(found.at):
            counted.sums.append(missing_sum(found.at, session_id, found.agent))


def _complete(
    sums: list[CallSum], sessions: dict[str, _ScannedSession], filters: FilterSet
) -> list[CallSum]:
    """Add what is known of the sessions, and leave out those that do not match."""
    matching = {name for name, own in sessions.items() if accepts_session(filters, own.facts)}
    for total in sums:
        session = sessions[total.session_id]
        total.project = session.project
        total.branch = "".join(session.facts.last("git_branch"))
    return [total for total in sums if total.session_id in matching]

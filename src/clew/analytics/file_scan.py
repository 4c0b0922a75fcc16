"""One transcript → its counted calls, and what groups them."""

from pathlib import Path

import msgspec

from clew.analytics.fragments import MAIN, RunReport
from clew.analytics.line_scan import LineScanner
from clew.analytics.pricer import Pricer
from clew.analytics.session_notes import SessionNotes
from clew.analytics.sums import HOUR, CallSum, CountedCall, Sums, Window
from clew.analytics.transcript_facts import TranscriptFacts
from clew.clock import normal_time
from clew.source import read_lines


class ScanTask(msgspec.Struct, frozen=True):
    """A transcript to scan.

    `session_id` is empty where the lines must state it. `run` is the agent run whose transcript it
    is. The runs in `runs_with_transcript` have one: progress rows only repeat them. With a `window`
    the calls are summed, else listed one by one. Finding tools, and the `fields`
    of rows that filters need, takes longer.
    """

    path: str
    size: int = 0
    session_id: str = ""
    run: str = MAIN
    runs_with_transcript: frozenset[str] = frozenset()
    window: Window | None = None
    with_tools: bool = False
    fields: frozenset[str] = frozenset()


class FileScan(msgspec.Struct, gc=False):
    """What one transcript counts: its calls, or their names and sums, and what groups them.

    Of agent runs, `reports` are those that results of calls report, with one for all unnamed ones;
    `progress_runs` are in progress rows, and inline ones are among the rows of the session itself.
    """

    path: str
    session_id: str
    run: str
    calls: list[CountedCall] = []
    names: list[str] = []
    hours: frozenset[str] = frozenset()
    sums: list[CallSum] = []
    project: str = ""
    title: str = ""
    agent: str = ""
    started_at: str = ""
    reports: list[RunReport] = []
    progress_runs: tuple[str, ...] = ()
    unnamed_runs: int = 0
    inline_runs: int = 0
    client_cost_usd: float | None = None
    is_warmup: bool = False
    facts: TranscriptFacts = msgspec.field(default_factory=TranscriptFacts)
    problem: str = ""


def scan_file(task: ScanTask, pricer: Pricer) -> FileScan:
    """Scan a transcript; an unreadable one is a problem of the result, not an exception."""
    notes = SessionNotes(is_agent=bool(task.run), fields=task.fields)
    scanner = LineScanner(task.path, task.run, task.runs_with_transcript, notes)
    scanner.with_tools = task.with_tools
    try:
        for chunk in read_lines(Path(task.path)).chunks:
            if not chunk.oversize:
                scanner.scan(chunk.data, chunk.start, chunk.end)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return FileScan(task.path, task.session_id, task.run, problem=reason)
    return _finish(task, scanner, pricer)


def _finish(task: ScanTask, scanner: LineScanner, pricer: Pricer) -> FileScan:
    """Price what was counted, and sum it where the task asks for sums."""
    notes, fragments = scanner.notes, scanner.fragments
    stated = task.session_id or notes.session_id or fragments.session_id
    scan = FileScan(task.path, stated or Path(task.path).stem, task.run)
    scan.project, scan.title = notes.project, notes.title
    scan.client_cost_usd, scan.is_warmup = notes.client_cost_usd, notes.is_warmup
    scan.started_at = normal_time(notes.started_at)
    scan.agent, scan.progress_runs = fragments.agent, tuple(scanner.progress_runs)
    scan.facts = TranscriptFacts(tuple(scanner.tools), notes.facts.rows)
    scan.reports, scan.unnamed_runs = fragments.reports(), scanner.unnamed_runs
    scan.inline_runs = 0 if task.run else scanner.inline_runs
    scan.calls = fragments.price(pricer)
    if task.window is not None:
        _sum(scan, task.window)
    return scan


def _sum(scan: FileScan, window: Window) -> None:
    """Replace the calls of a scan by their names, hours and sums."""
    sums = Sums(window)
    for call in scan.calls:
        sums.add(scan.session_id, call.run, call)
    scan.names = [call.name for call in scan.calls]
    scan.hours = frozenset(call.at[:HOUR] for call in scan.calls)
    scan.calls, scan.sums = [], sums.finish()

"""A transcript's bytes → its counted calls, without reading the rest.

Most of a transcript is tool results, which count nothing. The first type on a line nearly always
tells what the line is, so most lines are passed over after a look at their beginning and end.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from clew.analytics.fragments import MAIN, Fragments, Report, normal_time
from clew.analytics.lean import (
    BAD,
    LeanTalk,
    compact,
    decode_progress,
    decode_progress_talk,
    decode_report,
    decode_row,
    decode_talk,
    to_lean,
)
from clew.analytics.pricer import Pricer
from clew.analytics.session_notes import SessionNotes
from clew.analytics.sums import HOUR, CallSum, Snapshot, Sums, Window
from clew.entries import Assistant, Marker, decode, result_links
from clew.source import LARGEST_LINE, Line, open_regular

UNNAMED: Final = "(unnamed)"
"""Stands for a run whose name is not told, or not plainly."""

_CHUNK: Final = 1 << 18
_KEY: Final = b'"type":"'
_KEY_LENGTH: Final = len(_KEY)
_LETTERS: Final = 4
_ANSWERS: Final = frozenset({b"assi", b"mess"})
_USER: Final = b"user"
_PROGRESS: Final = b"prog"
# Bookkeeping that tells about the session: titles, where it is, the client's own totals.
_NOTES: Final = frozenset({b"ai-t", b"cust", b"cost", b"relo", b"work"})
# Lines that begin so hold no count, unless another record is glued behind them.
_OTHERS: Final = frozenset(
    {b"user", b"syst", b"file", b"queu", b"summ", b"last", b"api-", b"prom", b"perm"}
)
# An answer's own type, and how often a result searched the web, are among the last keys of a row.
_TAIL: Final = 800
_ANSWER: Final = b'"type":"assistant"'
_SEARCHED: Final = b'"searchCount"'
_USAGE: Final = b'"usage"'
# Calls that started an agent name its run in their results, or at least report its totals. Most
# long results end as no such result does, and are passed over.
_RESULT: Final = b'"toolUseResult":{'
_LONG: Final = 3000
_END: Final = 600
_OTHER_ENDS: Final = (b'"isImage":', b'"totalLines":', b'"userModified":', b'"numLines":')
_RUN_NAMES: Final = (b'"agentId":', b'"totalTo')
# Old clients write the runs of agents among the rows of the session.
_FIRST_OF_RUN: Final = b'{"parentUuid":null,"isSidechain":true'
_FORKED: Final = b'"forkedFrom":{'
# Later than any time, as texts go.
_NEVER: Final = "~"
_ROWS: Final = frozenset({b"assi", b"mess", b"user", b"prog", b"syst"})
_PROGRESS_TYPE: Final = b'progress","data":{"type":"'
_AGENT_PROGRESS: Final = b"agent_progress"
_TOLD_ROWS: Final = (b'"message":{"type":"assistant"', b'"message":{"type":"user"')
_AGENT_ID: Final = b'"agentId":"'


class Work(msgspec.Struct, frozen=True):
    """A transcript to look through.

    `session_id` is empty where the lines must tell it. `run` is the agent run whose transcript it
    is. Of the runs in `held` there are transcripts, so that progress rows only repeat them. With a
    `window` its calls are summed, else told one by one. Its tools and its branch take longer.
    """

    path: str
    size: int = 0
    session_id: str = ""
    run: str = MAIN
    held: frozenset[str] = frozenset()
    window: Window | None = None
    with_tools: bool = False
    with_branch: bool = False


class FileScan(msgspec.Struct, gc=False):
    """What one transcript tells: its calls, or their names and sums, and what groups them.

    Of runs, `reports` are what results of calls say of them, with one for all unnamed ones;
    `told_runs` are in progress rows, and inline ones are among the rows of the session itself.
    """

    path: str
    session_id: str
    run: str
    calls: list[Snapshot] = []
    names: list[str] = []
    hours: frozenset[str] = frozenset()
    sums: list[CallSum] = []
    project: str = ""
    branch: str = ""
    title: str = ""
    agent: str = ""
    started_at: str = ""
    reports: list[Report] = []
    told_runs: tuple[str, ...] = ()
    unnamed_runs: int = 0
    inline_runs: int = 0
    client_cost_usd: float | None = None
    is_warmup: bool = False
    tools: tuple[str, ...] = ()
    problem: str = ""


def scan_file(work: Work, pricer: Pricer) -> FileScan:
    """Look through a transcript; that one cannot be read is told, not raised."""
    found = _Found(work)
    try:
        for data, start, end in _whole_lines(Path(work.path)):
            found.look(data, start, end)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return FileScan(work.path, work.session_id, work.run, problem=reason)
    return found.finish(pricer)


def find_claim(path: Path) -> tuple[bool, str]:
    """Tell whether a session says that it is a fork, and when it began to write bookkeeping."""
    is_fork, began = False, _NEVER
    for data, start, end in _whole_lines(path):
        for line in data[start:end].split(b"\n"):
            raw = line if _KEY in line else compact(line)
            is_fork = is_fork or _FORKED in raw
            word = raw.find(_KEY) + _KEY_LENGTH
            if raw[word : word + _LETTERS] not in _ROWS:
                began = min([began, *_marked_times(raw)])
    return is_fork, began


class _Found:
    """What was found in a transcript so far."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.fragments = Fragments(work.run)
        self.notes = SessionNotes(is_agent=bool(work.run), with_branch=work.with_branch)
        self.tools: dict[str, None] = {}
        self.told_runs: dict[str, None] = {}
        self.unnamed_runs = 0
        self.inline_runs = 0

    def look(self, data: bytes, position: int, size: int, *, is_compact: bool = False) -> None:
        """Look at whole lines. This loop is what a count without an archive waits for.

        What tells lines apart is searched for as clients write it, without spaces: a line that
        something else wrote is made like theirs first, once.
        """
        find, notes, add_line = data.find, self.notes, self.add_line
        while position < size:
            end = find(b"\n", position)
            if end < 0:
                end = size
            mark = find(_KEY, position, end)
            if mark < 0 and not is_compact:
                raw = compact(data[position:end])
                self.look(raw, 0, len(raw), is_compact=True)
                position = end + 1
                continue
            start = mark + _KEY_LENGTH
            word = data[start : start + _LETTERS]
            if notes.is_looking:
                notes.look(data[position:end])
            if word in _ANSWERS:
                add_line(data[position:end])
            elif word in _OTHERS:
                tail = max(position, end - _TAIL)
                if find(_ANSWER, tail, end) >= 0:
                    self.add_line(data[position:end])
                elif find(_SEARCHED, tail, end) >= 0:
                    self.fragments.add_search(data[position:end])
                elif word == _USER:
                    self.look_for_runs(data, position, end)
            elif word == _PROGRESS:
                if not _is_other_progress(data, start):
                    self.add_progress(data[position:end])
            elif word in _NOTES:
                self.add_thoroughly(data[position:end])
            elif find(_USAGE, position, end) >= 0:
                self.add_line(data[position:end])
            position = end + 1

    def look_for_runs(self, data: bytes, position: int, end: int) -> None:
        """Look whether a line is of a run: its first row, or what the call that started it says."""
        if end - position > _LONG:
            for name in _OTHER_ENDS:
                if data.find(name, end - _END, end) >= 0:
                    return
        result = data.find(_RESULT, position, end)
        if result < 0:
            self.inline_runs += data.startswith(_FIRST_OF_RUN, position)
        elif any(data.find(name, result, end) >= 0 for name in _RUN_NAMES):
            self.add_report(data[position:end])

    def add_report(self, raw: bytes) -> None:
        """Note the agent run that a call started, if its result tells of one."""
        try:
            row = decode_report(raw)
            links = result_links(row.tool_use_result)
        except BAD:
            self.fragments.add_report(UNNAMED, "")
            self.unnamed_runs += 1
            return
        has_totals = links.total_tokens is not None or links.total_tool_use_count is not None
        if not links.teammate_id and (links.agent_id or has_totals):
            asked = row.source_row or row.parent_uuid or ""
            self.fragments.add_report(links.agent_id or UNNAMED, asked)
            self.unnamed_runs += not links.agent_id

    def add_line(self, raw: bytes) -> None:
        """Count a line that may be an answer."""
        try:
            row = decode_row(raw)
        except BAD:
            self.add_thoroughly(raw)
            return
        if row.type == "assistant":
            self.fragments.add(row)
            if self.work.with_tools:
                self.add_tools(raw, decode_talk)
        elif row.type == "user":
            self.look_for_runs(raw, 0, len(raw))

    def add_thoroughly(self, raw: bytes) -> None:
        """Read a line that is bookkeeping, damaged, or two in one."""
        for entry in decode(Line(raw, self.work.path, 0, 0)):
            if isinstance(entry.body, Assistant):
                self.fragments.add(to_lean(entry.body))
            else:
                self.notes.add(entry.body)

    def add_progress(self, raw: bytes) -> None:
        """Count what a progress row tells of a run that has no transcript."""
        start = raw.rfind(_AGENT_ID) + len(_AGENT_ID)
        run = raw[start : raw.find(b'"', start)].decode("utf-8", "replace")
        if run in self.work.held:
            return
        self.told_runs[run if any(row in raw for row in _TOLD_ROWS) else UNNAMED] = None
        if _USAGE not in raw:
            return
        try:
            row = decode_progress(raw)
        except BAD:
            return
        told = row.data.message
        if told is not None and told.type == "assistant" and row.data.agent_id:
            self.fragments.add(told, row.data.agent_id, row.timestamp)
            if self.work.with_tools:
                self.add_tools(raw, _told_talk)

    def add_tools(self, raw: bytes, read: Callable[[bytes], LeanTalk]) -> None:
        """Note which tools an answer calls."""
        try:
            blocks = read(raw).message.content
        except BAD:
            return
        self.tools.update(dict.fromkeys(b.name for b in blocks if b.type == "tool_use"))

    def finish(self, pricer: Pricer) -> FileScan:
        """Price what was counted, and sum it where sums are wanted."""
        work, notes, fragments = self.work, self.notes, self.fragments
        told = work.session_id or notes.session_id or fragments.session_id
        scan = FileScan(work.path, told or Path(work.path).stem, work.run)
        scan.project, scan.title = notes.project, notes.title
        scan.client_cost_usd, scan.is_warmup = notes.client_cost_usd, notes.is_warmup
        scan.started_at = normal_time(notes.started_at)
        scan.agent, scan.branch = fragments.agent, notes.branch
        scan.tools, scan.told_runs = tuple(self.tools), tuple(self.told_runs)
        scan.reports, scan.unnamed_runs = fragments.reports(), self.unnamed_runs
        scan.inline_runs = 0 if work.run else self.inline_runs
        scan.calls = fragments.price(pricer)
        if work.window is not None:
            sums = Sums(work.window)
            for call in scan.calls:
                sums.add(scan.session_id, call.run, call)
            scan.names = [call.name for call in scan.calls]
            scan.hours = frozenset(call.at[:HOUR] for call in scan.calls)
            scan.calls, scan.sums = [], sums.finish()
        return scan


def _told_talk(raw: bytes) -> LeanTalk:
    return decode_progress_talk(raw).data.message


def _is_other_progress(data: bytes, start: int) -> bool:
    """Tell whether a progress row says at once that it is not about an agent run."""
    if not data.startswith(_PROGRESS_TYPE, start):
        return False
    return not data.startswith(_AGENT_PROGRESS, start + len(_PROGRESS_TYPE))


def _marked_times(raw: bytes) -> list[str]:
    bodies = [entry.body for entry in decode(Line(raw, "", 0, 0))]
    return [body.timestamp for body in bodies if isinstance(body, Marker) and body.timestamp]


def _whole_lines(path: Path) -> Iterator[tuple[bytes, int, int]]:
    """Give a file in pieces, each with where whole lines begin and end in it.

    A piece that stays in a core's cache is looked through faster than a larger one. Lines that are
    too large to be read are left out.
    """
    rest = _Rest()
    with open_regular(path) as stream:
        while chunk := stream.read(_CHUNK):
            start = chunk.find(b"\n") + 1 if rest.size else 0
            end = chunk.rfind(b"\n") + 1
            if start:
                rest.add(chunk[:start])
                yield from rest.finish()
            if start < end:
                yield chunk, start, end
            if end < len(chunk):
                rest.add(chunk[end:])
    yield from rest.finish()


class _Rest:
    """A line of which the end is still to come."""

    def __init__(self) -> None:
        self.size = 0
        self._pieces: list[bytes] = []

    def add(self, piece: bytes) -> None:
        self.size += len(piece)
        self._pieces.append(piece)
        if self.size > LARGEST_LINE:
            self._pieces.clear()

    def finish(self) -> Iterator[tuple[bytes, int, int]]:
        line = b"".join(self._pieces)
        self.size, self._pieces = 0, []
        if line:
            yield line, 0, len(line)

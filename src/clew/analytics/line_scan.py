"""The lines of a transcript → answers, notes and agent runs, without decoding all of them.

Most of a transcript is tool results, which count nothing. The first type on a line nearly always
says what the line is, so most lines are skipped after a look at their beginning and end.
"""

from collections.abc import Callable
from typing import Final

from clew.analytics.fragments import Fragments
from clew.analytics.session_notes import SessionNotes
from clew.analytics.usage_fields import (
    BAD,
    AnswerBlocks,
    answer_fields,
    compact,
    decode_answer,
    decode_blocks,
    decode_progress,
    decode_progress_blocks,
    decode_run_result,
)
from clew.entries import Assistant, decode, result_links
from clew.source import Line

UNNAMED: Final = "(unnamed)"
"""Stands for an agent run whose id is not stated, or not where it usually is."""

TYPE_KEY: Final = b'"type":"'
TYPE_SIZE: Final = 4
"""The number of letters that distinguish the types."""

_KEY_LENGTH: Final = len(TYPE_KEY)
_ANSWERS: Final = frozenset({b"assi", b"mess"})
_USER: Final = b"user"
_PROGRESS: Final = b"prog"
# Markers about the session: titles, where it works, the client's own totals.
_NOTES: Final = frozenset({b"ai-t", b"cust", b"cost", b"relo", b"work"})
# Lines that begin so have no count, unless another record is glued to their end.
_OTHERS: Final = frozenset(
    {b"user", b"syst", b"file", b"queu", b"summ", b"last", b"api-", b"prom", b"perm"}
)
# An answer's own type, and how often a result searched the web, are among the last keys of a row.
_TAIL: Final = 800
_ANSWER: Final = b'"type":"assistant"'
_SEARCHED: Final = b'"searchCount"'
_USAGE: Final = b'"usage"'
# Calls that started an agent name its run in their results, or at least report its totals. Most
# long results end as no such result does, and are skipped.
_RESULT: Final = b'"toolUseResult":{'
_LONG: Final = 3000
_END: Final = 600
_OTHER_ENDS: Final = (b'"isImage":', b'"totalLines":', b'"userModified":', b'"numLines":')
_RUN_NAMES: Final = (b'"agentId":', b'"totalTo')
# Old clients write the runs of agents among the rows of the session.
_FIRST_OF_RUN: Final = b'{"parentUuid":null,"isSidechain":true'
_PROGRESS_TYPE: Final = b'progress","data":{"type":"'
_AGENT_PROGRESS: Final = b"agent_progress"
_RUN_ROWS: Final = (b'"message":{"type":"assistant"', b'"message":{"type":"user"')
_AGENT_ID: Final = b'"agentId":"'


class LineScanner:
    """Collects what the lines of one transcript count.

    `run` is the agent run whose transcript it is. `runs_with_transcript` are those of the session:
    progress rows only repeat them.
    """

    def __init__(
        self, path: str, run: str, runs_with_transcript: frozenset[str], notes: SessionNotes
    ) -> None:
        self.notes = notes
        self.fragments = Fragments(run)
        self.with_tools = False
        self.tools: dict[str, None] = {}
        self.progress_runs: dict[str, None] = {}
        self.unnamed_runs = 0
        self.inline_runs = 0
        self._path = path
        self._runs_with_transcript = runs_with_transcript

    def scan(self, data: bytes, position: int, size: int, *, is_compact: bool = False) -> None:
        """Scan whole lines. Counting without an archive spends most of its time in this loop.

        It searches for keys as clients write them, without spaces. A line that another program
        wrote is rewritten that way first, once.
        """
        find, notes, add_line = data.find, self.notes, self._add_line
        while position < size:
            end = find(b"\n", position)
            if end < 0:
                end = size
            mark = find(TYPE_KEY, position, end)
            if mark < 0 and not is_compact:
                raw = compact(data[position:end])
                self.scan(raw, 0, len(raw), is_compact=True)
                position = end + 1
                continue
            start = mark + _KEY_LENGTH
            word = data[start : start + TYPE_SIZE]
            if notes.is_incomplete:
                notes.add_line(data[position:end])
            if word in _ANSWERS:
                add_line(data[position:end])
            elif word in _OTHERS:
                tail = max(position, end - _TAIL)
                if find(_ANSWER, tail, end) >= 0:
                    add_line(data[position:end])
                elif find(_SEARCHED, tail, end) >= 0:
                    self.fragments.add_search(data[position:end])
                elif word == _USER:
                    self._find_run(data, position, end)
            elif word == _PROGRESS:
                if not _is_other_progress(data, start):
                    self._add_progress(data[position:end])
            elif word in _NOTES:
                self._decode_line(data[position:end])
            elif find(_USAGE, position, end) >= 0:
                add_line(data[position:end])
            position = end + 1

    def _find_run(self, data: bytes, position: int, end: int) -> None:
        """Find a line of an agent run: its first row, or the result of the call that started it."""
        if end - position > _LONG:
            for name in _OTHER_ENDS:
                if data.find(name, end - _END, end) >= 0:
                    return
        result = data.find(_RESULT, position, end)
        if result < 0:
            self.inline_runs += data.startswith(_FIRST_OF_RUN, position)
        elif any(data.find(name, result, end) >= 0 for name in _RUN_NAMES):
            self._add_run_result(data[position:end])

    def _add_run_result(self, raw: bytes) -> None:
        """Add the agent run that a result reports, if it does."""
        try:
            row = decode_run_result(raw)
            links = result_links(row.tool_use_result)
        except BAD:
            self.fragments.add_report(UNNAMED, "")
            self.unnamed_runs += 1
            return
        has_totals = links.total_tokens is not None or links.total_tool_use_count is not None
        if not links.teammate_id and (links.agent_id or has_totals):
            caller = row.source_row or row.parent_uuid or ""
            self.fragments.add_report(links.agent_id or UNNAMED, caller)
            self.unnamed_runs += not links.agent_id

    def _add_line(self, raw: bytes) -> None:
        """Add a line that may be an answer."""
        try:
            row = decode_answer(raw)
        except BAD:
            self._decode_line(raw)
            return
        if row.type == "assistant":
            self.fragments.add(row)
            if self.with_tools:
                self._add_tools(raw, decode_blocks)
        elif row.type == "user":
            self._find_run(raw, 0, len(raw))

    def _decode_line(self, raw: bytes) -> None:
        """Decode a line in full: a marker, a damaged line, or two records on one."""
        for entry in decode(Line(raw, self._path, 0, 0)):
            if isinstance(entry.body, Assistant):
                self.fragments.add(answer_fields(entry.body))
            else:
                self.notes.add(entry.body)

    def _add_progress(self, raw: bytes) -> None:
        """Add a progress row of a run that has no transcript."""
        start = raw.rfind(_AGENT_ID) + len(_AGENT_ID)
        run = raw[start : raw.find(b'"', start)].decode("utf-8", "replace")
        if run in self._runs_with_transcript:
            return
        self.progress_runs[run if any(row in raw for row in _RUN_ROWS) else UNNAMED] = None
        if _USAGE not in raw:
            return
        try:
            row = decode_progress(raw)
        except BAD:
            return
        answer = row.data.message
        if answer is not None and answer.type == "assistant" and row.data.agent_id:
            self.fragments.add(answer, row.data.agent_id, row.timestamp)
            if self.with_tools:
                self._add_tools(raw, _decode_progress_answer)

    def _add_tools(self, raw: bytes, read: Callable[[bytes], AnswerBlocks]) -> None:
        """Add the tools that an answer calls."""
        try:
            blocks = read(raw).message.content
        except BAD:
            return
        self.tools.update(dict.fromkeys(b.name for b in blocks if b.type == "tool_use"))


def _decode_progress_answer(raw: bytes) -> AnswerBlocks:
    return decode_progress_blocks(raw).data.message


def _is_other_progress(data: bytes, start: int) -> bool:
    """Return whether a progress row is clearly not about an agent run."""
    if not data.startswith(_PROGRESS_TYPE, start):
        return False
    return not data.startswith(_AGENT_PROGRESS, start + len(_PROGRESS_TYPE))

"""The lines of one transcript → what is broken, missing or unknown in it."""

from clew.check.calls import Calls
from clew.check.counters import DriftCounter, ProblemCounter, count
from clew.check.findings import Findings, Ids, LooseEnds
from clew.check.graph import Graph
from clew.check.links import digests
from clew.check.names import short_name, short_path, short_text, type_name
from clew.check.times import TimeOrder
from clew.entries import (
    FLAT_ID,
    NULL,
    AnyBlock,
    Assistant,
    Body,
    Broken,
    Entry,
    Row,
    System,
    ToolResultBlock,
    ToolUseBlock,
    Unknown,
    User,
    decode,
    may_be_result,
    odd_content,
    unnamed,
)
from clew.problems import Problem
from clew.source import Line
from clew.tools import split_mcp_name, unnamed_fields


class TranscriptScan:
    """What is known of a transcript after the lines taken so far."""

    def __init__(self, file: str, session_id: str) -> None:
        self.problems = ProblemCounter()
        self._file = file
        self._session_id = session_id
        self._lines = 0
        self._entries = 0
        self._types: dict[str, int] = {}
        self._versions: dict[str, int] = {}
        self._drift = DriftCounter()
        self._times = TimeOrder()
        self._graph = Graph(file)
        self._calls = Calls(file)

    def add(self, line: Line) -> None:
        """Add the next line."""
        self._lines += 1
        entries = decode(line)
        if not entries:
            self.problems.add(Problem("blank", "", line.file, line.number, line.offset))
        for entry in entries:
            self._entries += 1
            count(self._types, type_name(entry.body))
            for problem in entry.problems:
                self._report(entry, problem.kind, short_text(problem))
            self._add_body(entry)
        if not line.ended and entries and not _is_unfinished(entries[-1]):
            self._report(entries[-1], "unfinished", "complete, except for the newline")

    def finish(self, *, identical: bool) -> Findings:
        """Return the findings, after the last line."""
        for cycle in self._graph.find_cycle_problems():
            self.problems.add(cycle)
        return Findings(
            file=self._file,
            identical=identical,
            lines=self._lines,
            entries=self._entries,
            types=self._types,
            versions=self._versions,
            drift=self._drift.by_version(next(iter(self._versions), "")),
            problem_counts=self.problems.counts,
            problems=self.problems.first,
            ids=Ids(
                digests(self._graph.nodes),
                digests(self._calls.calls),
                digests(self._calls.results),
            ),
            loose=LooseEnds(
                self._graph.find_loose(),
                self._calls.find_loose_results(),
                self._calls.find_loose_calls(),
            ),
        )

    def _add_body(self, entry: Entry) -> None:
        body = entry.body
        self._add_version(body)
        if isinstance(body, Row):
            self._add_row(entry, body)
        elif isinstance(body, Broken):
            self._add_link(entry, body.uuid, body.parent_uuid)
        self._add_time(entry, body.timestamp)
        if not isinstance(body, Broken):
            self._add_drift(entry)
        if isinstance(body, User | Assistant) and isinstance(body.message.content, list):
            self._add_blocks(entry, body.message.content)
        if isinstance(body, User) and body.tool_use_result is not NULL:
            self._add_result(entry, body)
        if isinstance(body, System) and may_be_result(body):
            self._calls.add_flat_result(entry, is_sure=False)

    def _add_version(self, body: Body) -> None:
        """Note which client wrote an entry: all rows say so, and some markers."""
        stated: str | None = getattr(body, "version", None)
        if stated:
            version = short_name(stated)
            count(self._versions, version)
            self._drift.set_version(version)

    def _add_row(self, entry: Entry, row: Row) -> None:
        if not isinstance(row, Unknown):
            self._require(entry, "uuid", row.uuid)
            self._require(entry, "timestamp", row.timestamp)
        self._add_link(entry, row.uuid, row.parent_uuid)
        if row.logical_parent_uuid:
            self._graph.add_logical(entry, row.logical_parent_uuid)
        self._add_session(entry, row.session_id)

    def _add_link(self, entry: Entry, uuid: str, parent: str | None) -> None:
        if uuid and not self._graph.add(entry, uuid, parent):
            self._report(entry, "duplicate_uuid", self._graph.describe_duplicate(entry, uuid))

    def _add_session(self, entry: Entry, session_id: str) -> None:
        self._session_id = self._session_id or session_id
        if session_id and session_id != self._session_id:
            self._report(entry, "foreign_session")

    def _add_time(self, entry: Entry, time: str | None) -> None:
        if not time:
            return
        back = self._times.step_back(time)
        if back is None:
            self._report(entry, "wrong_shape", "timestamp: not a time")
        elif back:
            self._report(entry, "clock_back", f"by {back:,} ms")

    def _add_drift(self, entry: Entry) -> None:
        for path in unnamed(entry):
            self._drift_at(entry, short_path(path))

    def _add_blocks(self, entry: Entry, blocks: list[AnyBlock]) -> None:
        for block in blocks:
            if isinstance(block, ToolUseBlock):
                self._add_call(entry, block)
            elif isinstance(block, ToolResultBlock) and block.tool_use_id == FLAT_ID:
                self._calls.add_flat_result(entry, is_sure=True)
            elif isinstance(block, ToolResultBlock):
                self._require(entry, "tool_use_id", block.tool_use_id)
                self._calls.add_result(entry, block.tool_use_id)
                if shape := odd_content(block.content):
                    self._report(entry, "odd_result", shape)

    def _add_call(self, entry: Entry, block: ToolUseBlock) -> None:
        self._require(entry, "id of a tool use", block.id)
        if block.id.startswith(FLAT_ID) and isinstance(entry.body, Row):
            self._calls.add_flat_call(entry, block.name, is_aborted=entry.body.is_aborted)
        else:
            self._calls.add_call(entry, block.id, block.name)
        for path in unnamed_fields(block.name, block.input, "input"):
            self._drift_at(entry, f"{_tool_name(block.name)}.input.{short_path(path)}")

    def _add_result(self, entry: Entry, user: User) -> None:
        blocks = user.message.content
        ids = [block.tool_use_id for block in blocks if isinstance(block, ToolResultBlock)]
        if len(ids) != 1 or not (tool := self._calls.tool_of(ids[0])):
            return
        for path in unnamed_fields(tool, user.tool_use_result, "result"):
            self._drift_at(entry, f"{_tool_name(tool)}.result.{short_path(path)}")

    def _drift_at(self, entry: Entry, path: str) -> None:
        self._drift.add(path)
        if not _is_type(path):
            self._report(entry, "unknown_field", path)

    def _require(self, entry: Entry, key: str, value: str) -> None:
        if not value:
            self._report(entry, "missing_field", key)

    def _report(self, entry: Entry, kind: str, text: str = "") -> None:
        line = entry.line
        self.problems.add(Problem(kind, text, line.file, line.number, entry.offset))


def _is_unfinished(entry: Entry) -> bool:
    return any(problem.kind == "unfinished" for problem in entry.problems)


def _is_type(path: str) -> bool:
    """Return whether a path of drift ends in a type: those are reported where they are decoded."""
    return "." not in path.rpartition("/")[2]


def _tool_name(name: str) -> str:
    # The rest of an MCP tool's name is whatever its server is called.
    return f"tool/{short_name(name) if split_mcp_name(name) is None else 'mcp'}"

"""Tool calls and results within a transcript: which have no counterpart here."""

from collections import deque
from collections.abc import Container

import msgspec

from clew.check.links import LooseEnd, digest
from clew.entries import FLAT_ID, Entry, Row
from clew.problems import Problem


class CallLocation(msgspec.Struct, frozen=True, gc=False):
    """The position of a call or result, and the tool (empty for a result)."""

    line: int
    offset: int
    tool: str = ""


class Calls:
    """The tool uses and tool results of one transcript, by id. The first of each id counts."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.calls: dict[str, CallLocation] = {}
        self.results: dict[str, CallLocation] = {}
        self._waiting: deque[str] = deque()

    def add_call(self, entry: Entry, call_id: str, tool: str) -> None:
        """Add a tool use."""
        if call_id not in self.calls:
            self.calls[call_id] = CallLocation(entry.number, entry.offset, tool)

    def add_result(self, entry: Entry, call_id: str) -> None:
        """Add a tool result."""
        if call_id not in self.results:
            self.results[call_id] = CallLocation(entry.number, entry.offset)

    def add_flat_call(self, entry: Entry, tool: str, *, is_aborted: bool) -> None:
        """Add a call of the flat dialect, which is named after its row."""
        uuid = entry.body.uuid if isinstance(entry.body, Row) else ""
        call_id = FLAT_ID + (uuid or f"{self._file}:{entry.offset}")
        if call_id in self.calls:
            return
        self.add_call(entry, call_id, tool)
        if is_aborted:
            self.add_result(entry, call_id)
        else:
            self._waiting.append(call_id)

    def add_flat_result(self, entry: Entry, *, is_sure: bool) -> None:
        """Add a result that names no call: the first that waits has it, as lines come.

        A row that may also be something else is a result only if a call waits.
        """
        if self._waiting:
            self.add_result(entry, self._waiting.popleft())
        elif is_sure:
            self.add_result(entry, f"{FLAT_ID}{self._file}:{entry.offset}")

    def tool_of(self, call_id: str) -> str:
        """Return the tool that a result is of, empty if its call was not seen."""
        call = self.calls.get(call_id)
        return "" if call is None else call.tool

    def find_loose_results(self) -> list[LooseEnd]:
        """List the results whose call is not in this transcript."""
        return self._loose("orphan_result", self.results, self.calls)

    def find_loose_calls(self) -> list[LooseEnd]:
        """List the calls whose result is not in this transcript."""
        return self._loose("call_without_result", self.calls, self.results)

    def _loose(
        self, kind: str, spots: dict[str, CallLocation], answers: Container[str]
    ) -> list[LooseEnd]:
        return [
            LooseEnd(digest(call_id), Problem(kind, "", self._file, spot.line, spot.offset))
            for call_id, spot in spots.items()
            if call_id not in answers
        ]

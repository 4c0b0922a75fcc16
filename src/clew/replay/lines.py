"""Which call wrote each line of a file, and which call removed each line that is gone."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from clew.replay.model import FileState, Version
from clew.tools import changed_blocks

# A line: its number in the text at the beginning, -1 if it is newer, and the call that wrote it.
_Line: TypeAlias = tuple[int, Version | None]


class LineTrace(msgspec.Struct, frozen=True):
    """The calls behind the lines of a text, compared with an earlier one.

    `writers` has one item for each line of the text at the end; None is a line that is older than
    all versions, or that was changed by nothing that a version shows. `removers` has one for each
    line at the beginning: the call that removed it, None if it is still there or if no call did.
    """

    writers: tuple[Version | None, ...]
    removers: tuple[Version | None, ...]


def split_lines(text: str | None) -> list[str]:
    """Split a text into its lines; one without a newline at its end differs from one with it."""
    if not text:
        return []
    lines = text.split("\n")
    last = lines.pop()
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def written_lines(version: Version) -> list[tuple[int, int]]:
    """Return the lines that a call wrote, as ranges of lines of the text that it left, from 0."""
    if not version.is_change or version.after.text is None:
        return []
    before, after = split_lines(version.before.text), split_lines(version.after.text)
    return [(start, end) for _, _, start, end in changed_blocks(before, after) if end > start]


def trace_lines(versions: Sequence[Version]) -> LineTrace:
    """Follow the lines of a file through versions, from what the first found to what the last left.

    What changed between two versions was written by nothing that is known.
    """
    if not versions:
        return LineTrace((), ())
    trace = _Trace(versions[0].before)
    for version in versions:
        if version.before.is_known:
            trace.move(version.before, None)
        if version.after.is_known and version.is_change:
            trace.move(version.after, version)
        elif version.after.is_known:
            trace.move(version.after, None)
    return LineTrace(tuple(writer for _, writer in trace.lines), tuple(trace.removers))


class _Trace:
    def __init__(self, base: FileState) -> None:
        self.text = base.text
        self.texts = split_lines(base.text)
        self.lines: list[_Line] = [(number, None) for number in range(len(self.texts))]
        self.removers: list[Version | None] = [None] * len(self.texts)

    def move(self, state: FileState, version: Version | None) -> None:
        """Go on to another text, which a version made."""
        if state.text == self.text:
            return
        new = split_lines(state.text)
        lines: list[_Line] = []
        at = 0
        for old_start, old_end, new_start, new_end in changed_blocks(self.texts, new):
            lines += self.lines[at:old_start]
            lines += [(-1, version)] * (new_end - new_start)
            self._remove(self.lines[old_start:old_end], version)
            at = old_end
        self.lines = lines + self.lines[at:]
        self.text, self.texts = state.text, new

    def _remove(self, lines: Iterable[_Line], version: Version | None) -> None:
        for number, _ in lines:
            if number >= 0:
                self.removers[number] = version

"""Whether a file's lines, joined again, are byte for byte the file."""

import io
import os
from pathlib import Path
from typing import Final, Self

from clew.source import Line, join_lines, open_regular

_PIECE_SIZE: Final = 1 << 20


class RoundTripReader:
    """A second look at a file that is being read: compares its lines, joined, with its bytes.

    Opened before the lines are read. A file may grow meanwhile: what came later is not missed.
    """

    def __init__(self, path: Path) -> None:
        file = open_regular(path)
        self.size_before = os.fstat(file.fileno()).st_size
        self.size_read = 0
        self._stream = io.BufferedReader(file, _PIECE_SIZE)
        self._lines: list[Line] = []
        self._waiting = 0
        self._same = True

    def __enter__(self) -> Self:
        """Return the mirror; leaving the block closes its file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._stream.close()

    def add(self, line: Line) -> None:
        """Add the next line; of one that is too large to be read, the beginning is compared."""
        if line.oversize:
            self._compare()
            self._compare_head(line)
            return
        self._lines.append(line)
        self._waiting += len(line.raw)
        if self._waiting >= _PIECE_SIZE:
            self._compare()

    def is_identical(self) -> bool:
        """Tell, after the last line, whether the lines gave all bytes of the file."""
        self._compare()
        reached_end = self.size_read >= self.size_before or not self._stream.read(1)
        return self._same and reached_end

    def _compare_head(self, line: Line) -> None:
        self._same = self._same and self._stream.read(len(line.raw)) == line.raw
        self.size_read += line.oversize + line.ended
        self._stream.seek(self.size_read)

    def _compare(self) -> None:
        joined = join_lines(self._lines)
        self.size_read += len(joined)
        self._same = self._same and self._stream.read(len(joined)) == joined
        self._lines.clear()
        self._waiting = 0

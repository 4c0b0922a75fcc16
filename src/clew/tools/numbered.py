"""File content as a model sees it: each line behind its number."""

import re
from typing import Final

import msgspec

_LINE: Final = re.compile(r" {0,16}(\d{1,12})(?:→|\t)(.*)", re.ASCII | re.DOTALL)


class NumberedText(msgspec.Struct, frozen=True):
    """A stretch of a file, without the numbers, and the line it starts at."""

    start_line: int
    content: str

    @property
    def line_count(self) -> int:
        """Count the lines, an empty last one included."""
        return self.content.count("\n") + 1


def read_numbered(text: str) -> NumberedText | None:
    """Read the numbered lines that `text` begins with; what follows them is not the file's."""
    start_line = 0
    lines: list[str] = []
    for line in text.split("\n"):
        match = _LINE.fullmatch(line)
        if match is None or (lines and int(match[1]) != start_line + len(lines)):
            break
        start_line = start_line if lines else int(match[1])
        lines.append(match[2])
    return NumberedText(start_line, "\n".join(lines)) if lines else None

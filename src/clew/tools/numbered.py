"""File content as a model sees it: each line behind its number."""

import re
from typing import Final

import msgspec

_LINE: Final = re.compile(r" {0,16}(\d{1,12})(?:→|\t)(.*)", re.ASCII | re.DOTALL)

_SIGNS: Final = ("→", "\t")
_MOST: Final = 16


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
    lines = text.split("\n")
    first = _LINE.fullmatch(lines[0])
    if first is None:
        return None
    start_line = int(first[1])
    contents: list[str] = []
    for number, line in enumerate(lines, start_line):
        content = _content(line, str(number))
        if content is None:
            break
        contents.append(content)
    return NumberedText(start_line, "\n".join(contents))


def _content(line: str, number: str) -> str | None:
    """Give what stands behind a number, without a search where it is written as it always is."""
    bare = line.lstrip(" ")
    end = len(number)
    if bare.startswith(number) and bare[end : end + 1] in _SIGNS and len(line) - len(bare) <= _MOST:
        return bare[end + 1 :]
    match = _LINE.fullmatch(line)
    return match[2] if match is not None and int(match[1]) == int(number) else None

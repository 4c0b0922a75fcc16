"""File content as a model sees it: each line after its number."""

import re
from functools import lru_cache
from typing import Final

import msgspec

_LINE: Final = re.compile(r" {0,16}(\d{1,12})(?:→|\t)(.*)", re.ASCII | re.DOTALL)
# How clients write a number and the separator after it.
_FORMS: Final = ("{:>6}→", "{}\t", "{:>6}\t")
_MOST_HEADS: Final = 4000


class NumberedText(msgspec.Struct, frozen=True):
    """Consecutive lines of a file without their numbers, and the number of the first."""

    start_line: int
    content: str

    @property
    def line_count(self) -> int:
        """Count the lines, an empty last one included."""
        return self.content.count("\n") + 1


def read_numbered(text: str) -> NumberedText | None:
    """Read the numbered lines that `text` begins with; the rest is not part of the file."""
    lines = text.split("\n")
    first = _LINE.fullmatch(lines[0])
    if first is None:
        return None
    start_line = int(first[1])
    heads = _heads(text, start_line, len(lines))
    if heads and all(map(str.startswith, lines, heads)):
        contents = list(map(str.removeprefix, lines, heads))
    else:
        contents = _contents(lines, start_line)
    return NumberedText(start_line, "\n".join(contents))


def is_numbered(text: str, content: str, start_line: int) -> bool:
    """Whether `text` is this content with line numbers, written as clients do."""
    lines = content.split("\n")
    heads = _heads(text, start_line, len(lines))
    if not heads:
        return False
    # To join all pieces at once takes half the time of making each line first.
    pieces = ["\n"] * (3 * len(lines) - 1)
    pieces[::3], pieces[1::3] = heads, lines
    return text == "".join(pieces)


def _heads(text: str, start_line: int, count: int) -> list[str]:
    """Return the prefixes of lines that start at this number; none for an unknown format."""
    first = start_line - 1
    if not 0 <= first <= _MOST_HEADS - count:
        return []
    for known in map(_known_heads, _FORMS):
        if text.startswith(known[first]):
            return known[first : first + count]
    return []


@lru_cache(maxsize=len(_FORMS))
def _known_heads(form: str) -> list[str]:
    return [form.format(number) for number in range(1, _MOST_HEADS + 1)]


def _contents(lines: list[str], start_line: int) -> list[str]:
    """Return the text after consecutive numbers, up to the first line without one."""
    contents: list[str] = []
    for number, line in enumerate(lines, start_line):
        match = _LINE.fullmatch(line)
        if match is None or int(match[1]) != number:
            break
        contents.append(match[2])
    return contents

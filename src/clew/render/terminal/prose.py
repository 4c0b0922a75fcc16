"""Prose, code and output as lines.

Answers are Markdown. Its marks stay, since they read well as they are: headings and code only
get a style, lists keep their indent, and code and tables are not wrapped between words.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, TypeVar

from clew.render.safe import safe_lines
from clew.render.terminal.lines import BLANK, Line, chop, wrap

PROSE_WIDTH: Final = 100
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_HEADING: Final = re.compile(r"#{1,6} ")
_ROW: Final = re.compile(r"\s*\|")
_LEAD: Final = re.compile(r"\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?|>\s?)?")
_MARKED: Final = re.compile(r"`[^`]+`|\*\*[^*]+\*\*")
_LONGEST_LINE: Final = 2000
# A single line is shown rather than counted.
_COUNT: Final = 1

Text = TypeVar("Text", str, Line)


def prose(text: str, width: int, style: str = "") -> Iterator[Line]:
    """Return a text's lines, wrapped between words; `width` is that of code and tables."""
    narrow = min(width, PROSE_WIDTH)
    in_code = False
    is_blank = True
    for line in trimmed(safe_lines(text)):
        if not line:
            if not is_blank or in_code:
                yield BLANK
            is_blank = not in_code
            continue
        is_blank = False
        if _FENCE.match(line):
            in_code = not in_code
            yield [(line[:width], "quiet")]
        elif in_code:
            yield from ([(piece, "code")] for piece in chop(line, width))
        else:
            yield from _paragraph(line, narrow, width, style)


def folded(text: str, width: int, most: int, style: str = "") -> Iterator[Line]:
    """Yield the first and last lines of a text longer than `most`, and count the others."""
    lines = trimmed(safe_lines(text))
    if len(lines) <= most + _COUNT:
        yield from _wrapped(lines, width, style)
        return
    last = most // 3
    first = most - last
    yield from _wrapped(lines[:first], width, style)
    yield _count(len(lines) - most)
    yield from _wrapped(lines[len(lines) - last :], width, style)


def fold(lines: list[list[Line]], most: int) -> list[Line]:
    """Keep the first and last of lines that are more than `most`, and count the others.

    Args:
        lines: Each line with its pieces, where it is longer than the terminal is wide.
        most: How many lines to keep.
    """
    if len(lines) > most + _COUNT:
        last = most // 3
        counted = [_count(len(lines) - most)]
        lines = [*lines[: most - last], counted, *lines[len(lines) - last :]]
    return list(chain.from_iterable(lines))


def trimmed(lines: list[Text]) -> list[Text]:
    """Take empty lines off both ends."""
    first, last = 0, len(lines)
    while first < last and not lines[first]:
        first += 1
    while last > first and not lines[last - 1]:
        last -= 1
    return lines[first:last]


def _count(left_out: int) -> Line:
    return [(f"… {left_out:,} lines …", "quiet")]


def _wrapped(lines: Sequence[str], width: int, style: str) -> Iterator[Line]:
    """Return lines as they are, broken between words; of one without an end, only the start."""
    for line in lines:
        kept = line[:_LONGEST_LINE]
        hang = len(kept) - len(kept.lstrip())
        yield from ([(piece, style)] for piece in wrap(kept, width, hang))
        if len(line) > _LONGEST_LINE:
            yield [(f"… {len(line) - _LONGEST_LINE:,} more characters", "quiet")]


def _paragraph(line: str, narrow: int, width: int, style: str) -> Iterator[Line]:
    if _ROW.match(line):
        yield from ([(piece, style)] for piece in chop(line, width))
        return
    if _HEADING.match(line):
        yield from ([(piece, "heading")] for piece in wrap(line, narrow))
        return
    lead = _LEAD.match(line)
    for piece in wrap(line, narrow, lead.end() if lead else 0):
        yield _marked(piece, style)


def _marked(text: str, style: str) -> Line:
    """Style code and bold text within a line."""
    line: Line = []
    position = 0
    for found in _MARKED.finditer(text):
        line.append((text[position : found.start()], style))
        line.append((found[0], "code" if found[0].startswith("`") else "strong"))
        position = found.end()
    line.append((text[position:], style))
    return [span for span in line if span[0]]

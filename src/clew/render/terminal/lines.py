"""Lines of a terminal: pieces of styled text, cut and wrapped by the columns they take."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from rich.cells import cell_len, chop_cells, set_cell_size

# A piece of text and the name of its style; see `paint` for the styles.
Span: TypeAlias = tuple[str, str]
Line: TypeAlias = list[Span]

BLANK: Final[Line] = []
_WORD: Final = re.compile(r"\S+|\s+")
_SMALLEST: Final = 8
_WIDE: Final = 2


def columns(line: Iterable[Span]) -> int:
    """Count the columns that a line takes."""
    return sum(cell_len(text) for text, _ in line)


def cut(text: str, width: int) -> str:
    """Cut a text that is too wide, with a mark where it was cut."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "…" if width > 0 else ""


def cut_front(text: str, width: int) -> str:
    """Cut the front of a text that is too wide: the end of a path is its name."""
    if cell_len(text) <= width:
        return text
    kept = text[max(len(text) - max(width - 1, 0), 0) :]
    while cell_len(kept) > width - 1 and kept:
        kept = kept[1:]
    return f"…{kept}"


def cut_line(line: Line, width: int) -> Line:
    """Cut a line that is too wide."""
    if columns(line) <= width:
        return line
    kept: Line = []
    for text, style in line:
        room = width - columns(kept)
        kept.append((cut(text, room), style))
        if cell_len(text) > room:
            break
    return kept


def spread(left: Line, right: Line, width: int) -> Line:
    """Put one line at both ends of the width; the left one is cut to make room."""
    if not right:
        return cut_line(left, width)
    right = cut_line(right, max(width - _SMALLEST - 2, 0))
    taken = columns(right)
    shown = cut_line(left, max(width - taken - 2, _SMALLEST))
    return [*shown, (" " * max(width - columns(shown) - taken, 2), ""), *right]


def wrap(text: str, width: int, hang: int = 0) -> Iterator[str]:
    """Break a text between words; lines after the first are indented by `hang`.

    A word that is wider than a line is broken where the line ends; Chinese text, which has no
    blanks, between any two characters.
    """
    if cell_len(text) <= width:
        yield text
        return
    width = max(width, _SMALLEST)
    hang = min(hang, width - _SMALLEST)
    line, used = "", 0
    for word in _words(text, width - hang):
        size = cell_len(word)
        if used + size > width and used > hang:
            yield line.rstrip()
            line, used = " " * hang, hang
            if word.isspace():
                continue
        line, used = line + word, used + size
    if line.strip():
        yield line.rstrip()


def chop(text: str, width: int) -> list[str]:
    """Break a text at the width exactly, as code is broken."""
    if cell_len(text) <= width:
        return [text]
    return chop_cells(text, max(width, _SMALLEST))


def chop_line(line: Line, width: int) -> Iterator[Line]:
    """Break a line of several styles at the width exactly."""
    if columns(line) <= width:
        yield line
        return
    width = max(width, _SMALLEST)
    kept: Line = []
    room = width
    for text, style in line:
        rest = text
        while rest:
            piece, rest = _split(rest, room)
            if piece:
                kept.append((piece, style))
            room -= cell_len(piece)
            if rest:
                yield kept
                kept, room = [], width
    if kept:
        yield kept


def indent(lines: Iterable[Line], prefix: Span) -> Iterator[Line]:
    """Put a prefix before every line."""
    return ([prefix, *line] for line in lines)


def spaced(lines: Iterable[Line]) -> Iterator[Line]:
    """Let no two empty lines follow each other, and none come first or last."""
    is_first, is_waiting = True, False
    for line in lines:
        if not line:
            is_waiting = not is_first
            continue
        if is_waiting:
            yield BLANK
        yield line
        is_first, is_waiting = False, False


def _split(text: str, width: int) -> tuple[str, str]:
    """Part a text where a line is full."""
    if cell_len(text) <= width:
        return text, ""
    first = chop_cells(text, width)[0] if width >= _WIDE else ""
    return first, text[len(first) :]


def _words(text: str, width: int) -> Iterator[str]:
    """Return words and the blanks between them, broken where no line has room for them."""
    for word in _WORD.findall(text):
        if cell_len(word) <= width:
            yield word
        else:
            yield from chop_cells(word, width if word.isascii() else _WIDE)

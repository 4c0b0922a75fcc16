"""Long texts, whose middle lines are folded."""

from functools import lru_cache
from typing import Final

import msgspec

from clew.parts import Code, Output, Words
from clew.render.ansi import PLAIN
from clew.render.html.ansi import draw_output
from clew.render.html.escaping import escape

_MOST_LINES: Final = 40
_FIRST_LINES: Final = 20
_LAST_LINES: Final = 10
_NUMBERED: Final = 4000


class LineRange(msgspec.Struct, frozen=True, gc=False):
    """Consecutive lines: their markup, their numbers, and whether they are folded."""

    text: str
    lines: int
    numbers: str = ""
    is_folded: bool = False


def code_ranges(code: Code) -> list[LineRange]:
    """Cut code, and number its lines where their numbers are known."""
    found, number = [], code.first_line
    for text, lines, is_folded in _cut(code.text):
        numbers = "" if number is None else _numbers(number, lines)
        found.append(LineRange(escape(text), lines, numbers, is_folded))
        number = None if number is None else number + lines
    return found


def output_ranges(output: Output | Words) -> list[LineRange]:
    """Cut what a program printed; a colour that is on at a cut goes on after it."""
    found, style = [], PLAIN
    for text, lines, is_folded in _cut(output.text):
        drawn, style = draw_output(text, style)
        found.append(LineRange(drawn, lines, is_folded=is_folded))
    return found


def text_ranges(words: Words) -> list[LineRange]:
    """Cut plain words; what a hook says may have colours."""
    if "\x1b" in words.text:
        return output_ranges(words)
    return [LineRange(escape(t), lines, is_folded=f) for t, lines, f in _cut(words.text)]


def _cut(text: str) -> list[tuple[str, int, bool]]:
    """Return stretches of lines with how many they are and whether they are to be folded."""
    text = text.removesuffix("\n")
    total = text.count("\n") + 1
    if total <= _MOST_LINES:
        return [(text, total, False)]
    head = tail = 0
    for _ in range(_FIRST_LINES):
        head = text.index("\n", head) + 1
    tail = len(text)
    for _ in range(_LAST_LINES):
        tail = text.rindex("\n", 0, tail)
    return [
        (text[: head - 1], _FIRST_LINES, False),
        (text[head:tail], total - _FIRST_LINES - _LAST_LINES, True),
        (text[tail + 1 :], _LAST_LINES, False),
    ]


def _numbers(first: int, count: int) -> str:
    """Write the numbers of lines below each other."""
    last = first + count
    if first < 1 or last > _NUMBERED:
        return "\n".join(map(str, range(first, last)))
    numbers, ends = _first_numbers()
    return numbers[ends[first - 1] : ends[last - 1] - 1]


@lru_cache(maxsize=1)
def _first_numbers() -> tuple[str, list[int]]:
    """Return the first numbers, one a line, and where each of them ends."""
    ends, end = [0], 0
    for number in range(1, _NUMBERED):
        end += len(str(number)) + 1
        ends.append(end)
    return "".join(f"{number}\n" for number in range(1, _NUMBERED)), ends

"""The text that detectors search, and the spans that they return."""

import re
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec

# Start and end of each.
Runs: TypeAlias = list[tuple[int, int]]

# A word may begin after a letter that belongs to an escape: `\n`, `%2F`, a terminal's colour.
_EDGE: Final = re.compile(
    r"(?<![^\W_])|(?<=\\[bfnrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})"
    r"|(?<=\x1b\[m)|(?<=\x1b\[\dm)|(?<=\x1b\[\d\dm)|(?<=\x1b\[\d;\d\dm)"
)

_SIGNS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/"
_TO_END: Final = re.compile(r"[\w+/-]*+", re.ASCII)
_TO_LONG: Final = {code: "a" if chr(code) in _SIGNS else " " for code in range(128)}
# The shortest part of a token that is found by its run.
SHORTEST_RUN: Final = 17
# How far to look back in a run.
_LOOKED_BACK: Final = 64


class SecretSpan(msgspec.Struct, frozen=True, gc=False):
    """A part of a text to mask; one with a `replacement` gets that instead of a mark."""

    start: int
    end: int
    rule: str
    replacement: str = ""


class AsciiView(msgspec.Struct, frozen=True, gc=False):
    """A text beside its ASCII form, sign for sign: that is searched many times faster.

    `low` is `plain` in lower case. What is not ASCII is there as a question mark.
    """

    text: str
    plain: str
    low: str


@lru_cache(maxsize=128)
def compiled(pattern: str, flags: re.RegexFlag = re.ASCII) -> re.Pattern[str]:
    """Compile a rule's pattern when it is first tried: most are not in the life of a process."""
    return re.compile(pattern, flags)


def ascii_view(text: str) -> AsciiView:
    """Prepare a text for the detectors."""
    plain = text if text.isascii() else text.encode("ascii", "replace").decode("ascii")
    return AsciiView(text, plain, plain.lower())


def find_all(needle: str, hay: str) -> list[int]:
    """Return every place of a needle, without overlaps."""
    positions = []
    position = hay.find(needle)
    while position >= 0:
        positions.append(position)
        position = hay.find(needle, position + len(needle))
    return positions


def start_of_run(plain: str, position: int, least: int = 0) -> int:
    """Return where the run of letters, digits and signs of base64 begins that ends here."""
    head = plain[max(least, position - _LOOKED_BACK) : position]
    return position - len(head) + len(head.rstrip(_SIGNS))


def end_of_run(plain: str, position: int) -> int:
    """Return where the run of letters, digits and signs of base64 ends that begins here."""
    found = _TO_END.match(plain, position)
    return found.end() if found else position


def find_runs(plain: str, shortest: int) -> Runs:
    """Return start and end of each long run of letters, digits and signs of base64."""
    letters, run = plain.translate(_TO_LONG), "a" * shortest
    found = []
    start = letters.find(run)
    while start >= 0:
        end = letters.find(" ", start)
        end = len(letters) if end < 0 else end
        found.append((start, end))
        start = letters.find(run, end)
    return found


def is_token_edge(text: str, position: int) -> bool:
    """Return whether a token may begin here: tokens are ASCII, and other scripts use no spaces."""
    before = text[position - 1 : position] if position else ""
    return not before.isascii() or is_edge(text, position)


def is_edge(text: str, position: int) -> bool:
    """Return whether a word may begin here, rather than go on."""
    return _EDGE.match(text, position) is not None


def merge(spans: list[SecretSpan]) -> list[SecretSpan]:
    """Join spans that overlap, so that nothing of either stays; the first and widest names it."""
    merged: list[SecretSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not merged or span.start >= merged[-1].end:
            merged.append(span)
        elif span.end > merged[-1].end:
            last = merged[-1]
            merged[-1] = SecretSpan(last.start, span.end, last.rule)
    return merged

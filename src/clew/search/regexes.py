"""Regular expressions over texts: here when that is surely quick, else in a process of their own.

Python's engine can go back and forth over a text for ages and cannot be stopped from within, and
the pattern is whatever someone typed. A process can be ended, but takes longer to start than most
patterns take to match.
"""

import marshal
import subprocess
import sys
from collections.abc import Sequence
from itertools import repeat
from pathlib import Path
from time import monotonic
from typing import Final

import msgspec

from clew.search.language import Regex
from clew.search.regex_child import compile_all, find_places
from clew.search.regex_shape import Shape, shape_of
from clew.search.snippets import Match

_CHILD: Final = Path(__file__).with_name("regex_child.py")
_MOST_MATCHES: Final = 50
_MOST_STEPS: Final = 40_000_000
"""So many steps of the engine take a fifth of a second at the very worst."""
_SECONDS_HERE: Final = 0.1
"""After so long the other process takes over, so that the threads of this one can go on."""
_places: Final = msgspec.json.Decoder(list[tuple[int, int, int]] | None)


class MatchedTexts(msgspec.Struct, frozen=True):
    """The matches in each text that was looked at, None for one that is not wanted.

    There are fewer than there were texts when time ran out.
    """

    matches: list[list[Match] | None]
    is_complete: bool


def match_texts(regexes: Sequence[Regex], texts: Sequence[str], seconds: float) -> MatchedTexts:
    """Match texts one after the other, for so long at most."""
    started = monotonic()
    found, left = _match_here(regexes, texts, started + min(_SECONDS_HERE, seconds))
    if not left:
        return MatchedTexts(found, is_complete=True)
    rest = [texts[place] for place in left]
    printed = _ask(_write(regexes, rest), started + seconds - monotonic())
    for place, line in zip(left, printed, strict=False):
        found[place] = _matches(_places.decode(line))
    if len(printed) < len(left):
        return MatchedTexts(found[: left[len(printed)]], is_complete=False)
    return MatchedTexts(found, is_complete=True)


def _match_here(
    regexes: Sequence[Regex], texts: Sequence[str], deadline: float
) -> tuple[list[list[Match] | None], list[int]]:
    """Match what is surely quick; return the matches, and the places of the texts left over."""
    shapes = [shape_of(regex) for regex in regexes]
    patterns = compile_all(_plain(regexes)) if None not in shapes else []
    found: list[list[Match] | None] = [None] * len(texts)
    left: list[int] = []
    for place in _likely(regexes, texts):
        text = texts[place]
        if monotonic() < deadline and all(map(_is_quick, regexes, shapes, repeat(text))):
            found[place] = _matches(find_places(patterns, text, _MOST_MATCHES))
        else:
            left.append(place)
    return found, left


def _likely(regexes: Sequence[Regex], texts: Sequence[str]) -> Sequence[int]:
    """Return the places of the texts that have what every match of each wanted pattern holds."""
    places: Sequence[int] = range(len(texts))
    for regex in regexes:
        shape = shape_of(regex) if regex.is_wanted else None
        for needles in (shape.needles, *shape.others) if shape and shape.needles else ():
            has = _has_in_any_case if regex.ignores_case else _has
            places = [place for place in places if has(needles, texts[place])]
    return places


def _has(needles: Sequence[str], text: str) -> bool:
    return any(needle in text for needle in needles)


def _has_in_any_case(needles: Sequence[str], text: str) -> bool:
    """Beyond ASCII, where a letter may have several others in the other case, always say yes."""
    if not text.isascii() or not all(map(str.isascii, needles)):
        return True
    return _has([needle.lower() for needle in needles], text.lower())


def _is_quick(regex: Regex, shape: Shape | None, text: str) -> bool:
    if shape is None:
        return False
    starts = len(text) if regex.ignores_case else _count_starts(shape.prefix, text)
    return len(text) + starts * shape.steps.at(len(text)) <= _MOST_STEPS


def _count_starts(prefix: str, text: str) -> int:
    """Count the places where a match may begin, or more: those that overlap are not told apart."""
    if not prefix:
        return len(text)
    return text.count(prefix) * (len(prefix) if prefix[0] in prefix[1:] else 1)


def _write(regexes: Sequence[Regex], texts: Sequence[str]) -> bytes:
    return marshal.dumps({"regexes": _plain(regexes), "texts": texts, "most": _MOST_MATCHES})


def _plain(regexes: Sequence[Regex]) -> list[tuple[str, str, bool]]:
    return [(regex.source, regex.flags, regex.is_wanted) for regex in regexes]


def _ask(asked: bytes, seconds: float) -> list[bytes]:
    """Return the lines that the child printed in the time it had."""
    with subprocess.Popen(  # noqa: S603 (our own program; what it gets, it only reads)
        # Isolated and without site packages, it starts in a few milliseconds.
        [sys.executable, "-I", "-S", str(_CHILD)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        try:
            printed = child.communicate(asked, timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            child.kill()
            printed = child.communicate()[0]
    return printed.split(b"\n")[:-1]


def _matches(places: Sequence[tuple[int, int, int]] | None) -> list[Match] | None:
    return None if places is None else [Match(*place) for place in places]

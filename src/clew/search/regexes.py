"""Regular expressions over texts, in a process that is ended when it takes too long.

Python's engine can go back and forth over a text for ages and cannot be stopped from within, and
the pattern is whatever someone typed.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from clew.search.language import Regex
from clew.search.snippets import Match

_CHILD: Final = Path(__file__).with_name("regex_child.py")
_MOST_MATCHES: Final = 50
_places: Final = msgspec.json.Decoder(list[tuple[int, int, int]] | None)


class Looked(msgspec.Struct, frozen=True):
    """The matches in each text that was looked at, None for one that is not wanted.

    There are fewer than there were texts when time ran out.
    """

    matches: list[list[Match] | None]
    is_complete: bool


def match_texts(regexes: Sequence[Regex], texts: Sequence[str], seconds: float) -> Looked:
    """Match texts one after the other, for so long at most."""
    asked = {
        "regexes": [(regex.source, regex.ignores_case, regex.is_wanted) for regex in regexes],
        "texts": texts,
        "most": _MOST_MATCHES,
    }
    printed = _ask(msgspec.json.encode(asked), seconds)
    found = [_decode(line) for line in printed.split(b"\n")[:-1]]
    return Looked(found, len(found) == len(texts))


def _ask(asked: bytes, seconds: float) -> bytes:
    """Give what the child printed in the time it had."""
    with subprocess.Popen(  # noqa: S603 (our own program; what it gets, it only reads)
        # Isolated and without site packages, it starts in a few milliseconds.
        [sys.executable, "-I", "-S", str(_CHILD)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        try:
            return child.communicate(asked, timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            child.kill()
            return child.communicate()[0]


def _decode(line: bytes) -> list[Match] | None:
    places = _places.decode(line)
    return None if places is None else [Match(*place) for place in places]

"""A text with colours or invisible characters → what detectors find in it without them."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

import msgspec
from ahocorasick_rs import BytesAhoCorasick, Implementation

from clew.redact.spans import AsciiView, Runs, SecretSpan, ascii_view

# How a colour begins: with a sign of its own, which JSON and shells write behind a backslash.
_BODY: Final = r"\[[\d;:?]{0,32}+[a-z]"
_COLOUR: Final = re.compile(rf"\x1b{_BODY}")
_ESCAPED: Final = tuple(re.compile(sign + _BODY) for sign in ("u001b", "x1b", "033"))
# What takes no room: joiners, soft hyphens, marks of direction, variation selectors; then tags.
_IGNORED: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u3164\ufeff\uffa0"
    + "".join(map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070))))
    + "".join(map(chr, range(0xFE00, 0xFE10)))
)
_TAGS: Final = b"\xf3\xa0"
_INVISIBLE: Final = re.compile(f"[{_IGNORED}\U000e0000-\U000e0fff]+")
_ESCAPED_INVISIBLE: Final = re.compile(
    r"\\u(?:00ad|034f|061c|180[b-f]|200[b-f]|202[a-e]|206[0-9a-f]|fe0[0-9a-f]|feff)"
)
# What is hidden in ASCII begins with one of these.
HIDDEN_HEADS: Final = (
    *("\x1b[", "u001b[", "x1b[", "033["),
    *(rf"\u{digits}" for digits in ("00ad", "034f", "061c", "180", "200", "202", "206", "fe")),
)
_NEIGHBOURS: Final = 2
_ASCII: Final = 128
_BACKSLASHES: Final = 4
_LONGEST: Final = 48
# Further from what is hidden than this, the text without it is the text.
_NEAR: Final = 256


def without_hidden(text: str) -> str:
    """Return a text as a reader sees it: without colours and invisible characters."""
    if text.isascii() and "[" not in text and "\\" not in text:
        return text
    runs = _find_hidden(ascii_view(text))
    ends, starts = [0, *(end for _, end in runs)], [*(start for start, _ in runs), len(text)]
    return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def find_through_hidden(
    view: AsciiView, find: Callable[[AsciiView], list[SecretSpan]]
) -> list[SecretSpan]:
    """Find in a text, and in what is left of it without what no reader sees.

    Programs colour names apart from their values, searches colour the middle of a word, and web
    pages put invisible characters where a long word may break.
    """
    return [*find(view), *find_without_hidden(view, find)]


def find_without_hidden(
    view: AsciiView, find: Callable[[AsciiView], list[SecretSpan]]
) -> Iterator[SecretSpan]:
    """Find in what is left of a text without what no reader sees; nothing where all is seen."""
    hidden = _find_hidden(view)
    if hidden:
        pieces = list(_pieces(view.plain, hidden))
        plain = ascii_view("".join(view.text[start:end] for start, end in pieces))
        yield from _put_back(find(plain), pieces)


def _find_hidden(view: AsciiView) -> Runs:
    """Return start and end of each colour and of what is invisible, in order."""
    low = view.low
    runs = [found.span() for found in _COLOUR.finditer(low)]
    others = [run for pattern in _ESCAPED for run in _find_escaped(low, pattern)]
    others += [found.span() for found in _ESCAPED_INVISIBLE.finditer(low)]
    if view.text is not view.plain and may_hide(view.text):
        others += _find_invisible(view)
    return sorted([*runs, *others]) if others else runs


@lru_cache(maxsize=1)
def _ignored_finder() -> BytesAhoCorasick:
    signs = [*(sign.encode() for sign in _IGNORED), _TAGS]
    return BytesAhoCorasick(signs, implementation=Implementation.DFA)


def may_hide(text: str) -> bool:
    """Return whether something invisible follows ASCII: many times faster than an expression."""
    data = text.encode("utf-8", "surrogatepass")
    found = _ignored_finder().find_matches_as_indexes(data)
    return any(data[start - 1] < _ASCII for _, start, _ in found if start)


def _find_invisible(view: AsciiView) -> Iterator[tuple[int, int]]:
    """Find what is invisible within an ASCII word: between others, scripts and pictures need it."""
    for found in _INVISIBLE.finditer(view.text):
        start, end = found.span()
        around = view.text[start - 1 : start] + view.text[end : end + 1]
        if len(around) == _NEIGHBOURS and around.isascii() and around.isprintable():
            yield start, end


def _find_escaped(low: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for found in pattern.finditer(low):
        head = low[max(0, found.start() - _BACKSLASHES) : found.start()]
        slashes = len(head) - len(head.rstrip("\\"))
        if slashes:
            yield found.start() - slashes, found.end()


def _pieces(plain: str, hidden: Runs) -> Iterator[tuple[int, int]]:
    """Return what is between hidden runs; of what is long, the lines at its ends."""
    last = 0
    for start, end in [*hidden, (len(plain), len(plain))]:
        cut = plain.find("\n", last + _NEAR, start) + 1
        again = plain.rfind("\n", cut, start - _NEAR) + 1 if cut else 0
        if again > cut:
            yield last, cut
            yield again, start
        else:
            yield last, start
        last = end


def _put_back(spans: Iterable[SecretSpan], pieces: Runs) -> Iterator[SecretSpan]:
    """Move spans to where they are in the text, what is hidden within them included."""
    starts = [0]
    for start, end in pieces:
        starts.append(starts[-1] + end - start)

    for span in spans:
        first = bisect_right(starts, span.start) - 1
        last = bisect_right(starts, span.end - 1) - 1
        start = pieces[first][0] + span.start - starts[first]
        end = pieces[last][0] + span.end - starts[last]
        # What reaches over lines that were left out is not one thing.
        if end - start <= span.end - span.start + _LONGEST * (last - first):
            yield msgspec.structs.replace(span, start=start, end=end)

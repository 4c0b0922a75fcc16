"""A text with a terminal's colours → what detectors find in it as if there were none."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec

from clew.redact.spans import Runs, Shadow, Span, cast_shadow

# How a colour begins: with a sign of its own, which JSON and shells write behind a backslash.
_BODY: Final = r"\[[\d;:?]{0,32}+[a-z]"
_COLOUR: Final = re.compile(rf"\x1b{_BODY}")
_ESCAPED: Final = tuple(re.compile(sign + _BODY) for sign in ("u001b", "x1b", "033"))
_BACKSLASHES: Final = 4
_LONGEST: Final = 48
# Further from a colour than this, the text without it is the text.
_NEAR: Final = 256


def without_colours(text: str) -> str:
    """Give a text as a terminal shows it, as far as colours go."""
    runs = _find_colours(text.lower()) if "[" in text else []
    ends, starts = [0, *(end for _, end in runs)], [*(start for start, _ in runs), len(text)]
    return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def find_through_colours(shadow: Shadow, find: Callable[[Shadow], list[Span]]) -> list[Span]:
    """Find in a text, and in what is left of it without colours.

    Programs colour names apart from their values, and searches colour the middle of a word.
    """
    spans = find(shadow)
    colours = _find_colours(shadow.low)
    if not colours:
        return spans
    pieces = list(_pieces(shadow.plain, colours))
    plain = cast_shadow("".join(shadow.text[start:end] for start, end in pieces))
    return [*spans, *_put_back(find(plain), pieces)]


def _find_colours(low: str) -> Runs:
    """Give start and end of each colour, in order."""
    runs = [found.span() for found in _COLOUR.finditer(low)]
    escaped = [run for pattern in _ESCAPED for run in _find_escaped(low, pattern)]
    return sorted([*runs, *escaped]) if escaped else runs


def _find_escaped(low: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for found in pattern.finditer(low):
        head = low[max(0, found.start() - _BACKSLASHES) : found.start()]
        slashes = len(head) - len(head.rstrip("\\"))
        if slashes:
            yield found.start() - slashes, found.end()


def _pieces(plain: str, colours: Runs) -> Iterator[tuple[int, int]]:
    """Give what stands between colours; of what is long, the lines at its ends."""
    last = 0
    for start, end in [*colours, (len(plain), len(plain))]:
        cut = plain.find("\n", last + _NEAR, start) + 1
        again = plain.rfind("\n", cut, start - _NEAR) + 1 if cut else 0
        if again > cut:
            yield last, cut
            yield again, start
        else:
            yield last, start
        last = end


def _put_back(spans: Iterable[Span], pieces: Runs) -> Iterator[Span]:
    """Move spans to where they stand in the text, colours within them included."""
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

"""The words around a hit: a text and its matches → a short cut of it with the matches marked."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

import msgspec

from clew.search.language import Phrase
from clew.search.words import Span, find_spans

SNIPPET_LENGTH: Final = 200
CONTEXT_LENGTH: Final = 200
_ELLIPSIS: Final = "…"
_JOINT: Final = f" {_ELLIPSIS} "
# A look at more of the matches of a long text makes no better snippet.
_MOST_MATCHES: Final = 200
_MOST_PIECES: Final = 3
# A word that goes on for longer than this is cut.
_LONGEST_WORD: Final = 24
_EDGE: Final = re.compile(r"\s")


class Match(msgspec.Struct, frozen=True, order=True):
    """A place in a text, and which of the things looked for stands there."""

    start: int
    end: int
    number: int = 0


class Snippet(msgspec.Struct, frozen=True):
    """A cut of a text, newlines as they stand there, and where in it the matches are."""

    text: str
    marks: tuple[Span, ...] = ()


def find_matches(phrases: Sequence[Phrase], text: str) -> list[Match]:
    """Return the first places of each phrase in a text, in order."""
    return sorted(
        Match(span.start, span.end, number)
        for number, phrase in enumerate(phrases)
        for span in islice(find_spans(phrase, text), _MOST_MATCHES)
    )


def cut_snippet(text: str, matches: Sequence[Match], length: int = SNIPPET_LENGTH) -> Snippet:
    """Cut out what shows most of the matches; without any, the text's beginning."""
    if not matches:
        return _join(text, [_whole_words(text, 0, min(len(text), length))], ())
    first = _densest(matches, length)
    anchors = [first, *_elsewhere(matches, first, length)][:_MOST_PIECES]
    room = max(length // len(anchors), 1)
    pieces = [_around(text, anchor, room) for anchor in sorted(anchors)]
    return _join(text, _merged(pieces), matches)


def context_lines(text: str, matches: Sequence[Match]) -> tuple[str, ...]:
    """Return the line of the first match with the one before and the one after, cut when long."""
    first = matches[0] if matches else Match(0, 0)
    start = text.rfind("\n", 0, first.start) + 1
    end = _line_end(text, first.start)
    lines = [_cut_line(text, start, end, first.start)]
    if start:
        before = text.rfind("\n", 0, start - 1) + 1
        lines.insert(0, _cut_line(text, before, start - 1, before))
    if end < len(text):
        lines.append(_cut_line(text, end + 1, _line_end(text, end + 1), end + 1))
    return tuple(lines)


def _densest(matches: Sequence[Match], length: int) -> Span:
    """Find the stretch that holds the most different matches, then the most of them."""
    best, best_found = Span(matches[0].start, matches[0].end), (0, 0)
    counts: dict[int, int] = {}
    left = 0
    for right, match in enumerate(matches):
        counts[match.number] = counts.get(match.number, 0) + 1
        while left < right and match.end - matches[left].start > length:
            gone = matches[left].number
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            left += 1
        found = (len(counts), right - left + 1)
        if found > best_found:
            best, best_found = Span(matches[left].start, match.end), found
    return best


def _elsewhere(matches: Sequence[Match], shown: Span, length: int) -> list[Span]:
    """Return the first place of each thing looked for that the shown stretch lacks."""
    seen = {match.number for match in matches if shown.start <= match.start < shown.end}
    found: list[Span] = []
    for match in matches:
        if match.number not in seen:
            seen.add(match.number)
            found.append(Span(match.start, min(match.end, match.start + length)))
    return found


def _around(text: str, anchor: Span, room: int) -> Span:
    spare = max(0, room - (anchor.end - anchor.start)) // 2
    start = max(0, anchor.start - spare)
    end = min(len(text), max(anchor.end, start + room))
    return _whole_words(text, max(0, min(start, end - room)), end)


def _whole_words(text: str, start: int, end: int) -> Span:
    """Move both ends inwards or outwards to where a word begins or ends, if one is near."""
    if start:
        nearby = max(0, start - _LONGEST_WORD)
        space = max(text.rfind(sign, nearby, start) for sign in " \n\t")
        start = space + 1 if space >= 0 else start
    if end < len(text):
        found = _EDGE.search(text, end, end + _LONGEST_WORD)
        end = found.start() if found else end
    return Span(start, end)


def _merged(pieces: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for piece in pieces:
        if merged and piece.start <= merged[-1].end + 1:
            last = merged.pop()
            merged.append(Span(last.start, max(last.end, piece.end)))
        else:
            merged.append(piece)
    return merged


def _join(text: str, pieces: Sequence[Span], matches: Sequence[Match]) -> Snippet:
    """Put pieces side by side, with an ellipsis wherever something is left out."""
    parts: list[str] = []
    marks: list[Span] = []
    length = 0
    for number, piece in enumerate(pieces):
        shown = _trimmed(text, piece)
        joint = _JOINT if number else _ELLIPSIS if text[: shown.start].strip() else ""
        length += len(joint)
        parts += [joint, text[shown.start : shown.end]]
        marks += _marks_in(matches, shown, length - shown.start)
        length += shown.end - shown.start
    if pieces and text[pieces[-1].end :].strip():
        parts.append(_ELLIPSIS)
    return Snippet("".join(parts), tuple(marks))


def _trimmed(text: str, piece: Span) -> Span:
    cut = text[piece.start : piece.end]
    start = piece.start + len(cut) - len(cut.lstrip())
    return Span(start, max(start, piece.end - (len(cut) - len(cut.rstrip()))))


def _marks_in(matches: Sequence[Match], piece: Span, shift: int) -> list[Span]:
    """Return the matches inside a piece, moved by `shift`; those that overlap become one."""
    marks: list[Span] = []
    for match in matches[bisect_left(matches, Match(piece.start, 0)) :]:
        if match.start >= piece.end:
            break
        mark = Span(match.start + shift, min(match.end, piece.end) + shift)
        if marks and mark.start <= marks[-1].end:
            last = marks.pop()
            mark = Span(last.start, max(last.end, mark.end))
        marks.append(mark)
    return marks


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _cut_line(text: str, start: int, end: int, shown: int) -> str:
    """Return a line, or of a long one the part around the place that must be shown."""
    if end - start <= CONTEXT_LENGTH:
        return text[start:end]
    first = max(start, min(shown - CONTEXT_LENGTH // 2, end - CONTEXT_LENGTH))
    last = first + CONTEXT_LENGTH
    opening = _ELLIPSIS if first > start else ""
    closing = _ELLIPSIS if last < end else ""
    return f"{opening}{text[first:last]}{closing}"

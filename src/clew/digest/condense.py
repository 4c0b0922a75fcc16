"""A conversation → texts for a model, each within a budget of tokens.

A session that is too long for one text makes several: epochs, or pieces of about equal size.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

import msgspec

from clew.conversation import Conversation
from clew.digest.excerpts import DEPTHS, Depth, ShownMessage, shorten, show_messages
from clew.digest.framing import BAR, LEFT_OUT, count_tokens, data_line, data_lines, frame
from clew.digest.model import DigestFacts
from clew.digest.quotes import Mask

MIN_BUDGET: Final = 1000
"""So many tokens a text may have at least: facts and its frame take some hundreds."""
MOST_PARTS: Final = 8
"""A session makes so many texts at most; of a longer one, less is shown."""
_FRAME_TOKENS: Final = 40
_FACT_LENGTH: Final = 100
_MOST_FACTS: Final = 4


class CondensedPart(msgspec.Struct, frozen=True):
    """What a model is shown of a session or of a part of it; parts are numbered from 1."""

    text: str
    number: int = 1
    count: int = 1

    @property
    def tokens(self) -> int:
        """How many tokens the text has, by an estimate."""
        return count_tokens(self.text)


class _Piece(msgspec.Struct, frozen=True):
    """The lines of a message, in the epoch that it belongs to."""

    lines: list[str]
    epoch: int

    @property
    def tokens(self) -> int:
        return count_tokens("\n".join(self.lines)) + 1


def condense(
    conversation: Conversation, facts: DigestFacts, budget_tokens: int, mask: Mask = str
) -> tuple[CondensedPart, ...]:
    """Return what a model is shown of a session; nothing if nobody said anything.

    Args:
        conversation: The session.
        facts: What is known of it.
        budget_tokens: So many tokens each text has at most.
        mask: Replaces the secrets in a text.
    """
    if budget_tokens < MIN_BUDGET:
        raise ValueError(f"a budget of {budget_tokens} tokens is too small; use {MIN_BUDGET}")
    shown = show_messages(conversation, facts, mask)
    if not any(message.speaker for message in shown):
        return ()
    known = fact_lines(facts, mask)
    room = budget_tokens - _FRAME_TOKENS - count_tokens("\n".join(known))
    parts = _fit(shown, room)
    return tuple(
        CondensedPart(_frame_part(known, lines, number, len(parts)), number, len(parts))
        for number, lines in enumerate(parts, 1)
    )


def fact_lines(facts: DigestFacts, mask: Mask = str) -> list[str]:
    """Return what is known of a session, in a few lines of limited length."""
    tests = [f"{run.command}: {run.result or run.has_passed}" for run in facts.tests[-1:]]
    named = {
        "last test run": tests,
        "open tasks": [task.text for task in facts.todos if task.is_open],
        "commits": [commit.subject or commit.hash for commit in facts.commits],
        "files changed": [file.path for file in facts.files],
    }
    lines = [_fact_line(name, values, mask) for name, values in named.items() if values]
    if facts.is_interrupted:
        lines.append("interrupted at its end")
    return ["[facts]", *data_lines("\n".join(lines))] if lines else []


def _fact_line(name: str, values: Sequence[str], mask: Mask) -> str:
    shown = [data_line(mask(value), _FACT_LENGTH) for value in values[:_MOST_FACTS]]
    count = f" ({len(values)})" if len(values) > _MOST_FACTS else ""
    return f"{name}{count}: {'; '.join(shown)}"


def _frame_part(known: Iterable[str], lines: Iterable[str], number: int, count: int) -> str:
    title = f"part {number} of {count}" if count > 1 else ""
    return frame([*known, *lines], title)


def _fit(shown: Sequence[ShownMessage], room: int) -> list[list[str]]:
    """Return the lines of each part, at the greatest depth that makes few enough parts."""
    parts: list[list[_Piece]] = []
    for depth in DEPTHS:
        parts = _split(_pieces(shown, depth, room), room)
        if len(parts) <= MOST_PARTS:
            break
    else:
        parts = [*parts[: MOST_PARTS // 2], *parts[-(MOST_PARTS - MOST_PARTS // 2) :]]
    return [[line for piece in part for line in piece.lines] for part in parts]


def _pieces(shown: Iterable[ShownMessage], depth: Depth, room: int) -> list[_Piece]:
    """Return the lines of each message; what is longer than a part is shortened."""
    lines = [(message.lines(depth), message.epoch) for message in shown]
    pieces = [_Piece(own, epoch) for own, epoch in lines if own]
    return [piece if piece.tokens <= room else _shortened(piece, room) for piece in pieces]


def _shortened(piece: _Piece, room: int) -> _Piece:
    """Leave out lines in the middle, and the ends of lines if that is not enough."""
    length = 2 * room
    while piece.tokens > room:
        heading, *lines = piece.lines
        body = "\n".join(line.removeprefix(BAR) for line in lines)
        shown = shorten(body, length) if length > len(LEFT_OUT) else LEFT_OUT
        piece = _Piece([heading, *data_lines(shown)], piece.epoch)
        length //= 2
    return piece


def _split(pieces: Sequence[_Piece], room: int) -> list[list[_Piece]]:
    """Put pieces into parts: all into one, else epochs, else about equal shares of an epoch."""
    if sum(piece.tokens for piece in pieces) <= room:
        return [list(pieces)]
    shares = [share for epoch in _epochs(pieces) for share in _equal_shares(epoch, room)]
    return _join_small(shares, room)


def _epochs(pieces: Iterable[_Piece]) -> Iterator[list[_Piece]]:
    for _, epoch in groupby(pieces, key=lambda piece: piece.epoch):
        yield list(epoch)


def _equal_shares(pieces: Sequence[_Piece], room: int) -> Iterator[list[_Piece]]:
    """Cut pieces into as few shares as there can be, none of them much smaller than the others."""
    left = sum(piece.tokens for piece in pieces)
    share: list[_Piece] = []
    size = 0
    for piece in pieces:
        # What is left, divided by the fewest shares that can take it.
        aim = (left + size) / -(-(left + size) // room)
        if share and (size + piece.tokens > room or size + piece.tokens / 2 > aim):
            yield share
            share, size = [], 0
        share.append(piece)
        size += piece.tokens
        left -= piece.tokens
    if share:
        yield share


def _join_small(parts: Iterable[list[_Piece]], room: int) -> list[list[_Piece]]:
    """Join neighbours that fit into one part."""
    joined: list[list[_Piece]] = []
    for part in parts:
        both = [*(joined[-1] if joined else ()), *part]
        if joined and sum(piece.tokens for piece in both) <= room:
            joined[-1] = both
        else:
            joined.append(part)
    return joined

"""What comes first: how well a text answers, where it stands, and how new it is."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final

import msgspec

from clew.clock import parse_time
from clew.search.filters import BlockFacts, SessionFacts
from clew.search.language import Field, Phrase
from clew.search.sessions import FileFacts
from clew.search.words import cut_words

HALF_LIFE_DAYS: Final = 30.0
"""After so long, half of what newness adds is gone."""
AGELESS: Final = 0.4
"""The share of a score that no age takes away."""
WEIGHTS: Final[dict[str, float]] = {
    Field.TITLE: 1.5,
    Field.PROMPT: 1.3,
    Field.DIGEST: 1.2,
    Field.ANSWER: 1.0,
    Field.FILE: 0.9,
    Field.INPUT: 0.8,
    Field.THINKING: 0.7,
    Field.RESULT: 0.7,
    Field.INJECTION: 0.5,
}
AS_TYPED: Final = 1.5
"""How much more a text counts that has an identifier or phrase exactly as it was typed."""
_TITLE: Final = -1
_DIGEST: Final = -2
_DAY_LENGTH: Final = len("2026-11-14")
_SECONDS_A_DAY: Final = 86_400.0


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """What may become a hit: a block, a file, a digest, or, with none of them, a session's title.

    `digest` is its text.
    """

    session: SessionFacts
    field: str
    at: str
    score: float
    block: BlockFacts | None = None
    file: FileFacts | None = None
    copies: int = 0
    digest: str = ""

    @property
    def place(self) -> tuple[str, int, str]:
        """What tells it from all others."""
        block, file = self.block, self.file
        number = block.id if block else _DIGEST if self.digest else _TITLE
        return self.session.id, number, file.path if file else ""


def score_of(field: str, relevance: float, at: str, now: datetime) -> float:
    """Put relevance, place and age into one number; more is better."""
    return relevance * WEIGHTS[field] * recency(at[:_DAY_LENGTH], now)


@lru_cache(maxsize=4096)
def recency(day: str, now: datetime) -> float:
    """Return 1 for now, falling by half-lives towards the ageless share, which is all of no day."""
    moment = parse_time(day)
    if moment is None:
        return AGELESS
    days = max(0.0, (now - moment).total_seconds() / _SECONDS_A_DAY)
    return float(AGELESS + (1 - AGELESS) * 0.5 ** (days / HALF_LIFE_DAYS))


def in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Sort by score; at the same score the newer comes first, else in the order given."""
    return sorted(candidates, key=lambda candidate: (candidate.score, candidate.at), reverse=True)


def is_as_typed(phrases: Sequence[Phrase], text: str) -> bool:
    """Tell whether one of these stands in a text exactly as it was typed, in either case."""
    folded = text.casefold()
    return any(phrase.text.casefold() in folded for phrase in phrases)


def joined(phrases: Sequence[Phrase]) -> list[Phrase]:
    """Return the phrases that the index knows as several words."""
    return [phrase for phrase in phrases if len(cut_words(phrase.text)) > 1]


class Copies:
    """Messages that forks and resumed sessions repeat, which are one hit."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, int, str]] = set()

    def leave_out(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Keep of each message the one in the oldest session, and none that was given before."""
        kept: dict[tuple[str, int, str], Candidate] = {}
        for candidate in candidates:
            block = candidate.block
            key = (block.message_id, block.ordinal, block.at) if block else candidate.place
            known = kept.setdefault(key, candidate)
            if known is not candidate:
                first = min(known, candidate, key=_age)
                kept[key] = msgspec.structs.replace(first, copies=known.copies + 1)
        fresh = [candidate for key, candidate in kept.items() if key not in self._seen]
        self._seen.update(kept)
        return fresh


def _age(candidate: Candidate) -> tuple[str, str]:
    return candidate.session.started_at, candidate.session.id

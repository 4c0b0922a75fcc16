"""A digest below the facts of a session: a line, and the claims of a model with their quotes."""

from collections.abc import Iterator
from typing import Final

from clew.digest import QuotedClaim, SessionDigest
from clew.render.digest_words import (
    QUOTED,
    STALE,
    TONES,
    apart_quote,
    claim_lists,
    origin_of,
    outcome_of,
    speaker_of,
)
from clew.render.formatting import day, local_time
from clew.render.safe import safe_line
from clew.render.terminal.context import TerminalContext
from clew.render.terminal.lines import BLANK, Line, wrap

_INDENT: Final = 2


def draw_digest(digest: SessionDigest, context: TerminalContext) -> Iterator[Line]:
    """Draw what came of a session; an extract says no more than that: the facts are above."""
    yield from _description(digest, context)
    if digest.is_extract:
        return
    for title, claims in claim_lists(digest):
        yield BLANK
        if title:
            yield [(title, "quiet")]
        for claim in claims:
            yield from _claim(claim, digest, context)
    yield BLANK
    made = day(local_time(digest.made_at or "", context.options.zone))
    words = " ".join((origin_of(digest), f"{made}." if made else "", QUOTED))
    yield from ([(piece, "quiet")] for piece in wrap(words, context.narrow))


def _description(digest: SessionDigest, context: TerminalContext) -> Iterator[Line]:
    outcome = outcome_of(digest)
    words = " · ".join(filter(None, (outcome, safe_line(digest.description))))
    first, *others = wrap(words, context.narrow) if words else [""]
    if first:
        yield [(outcome, TONES.get(outcome, "quiet")), (first.removeprefix(outcome), "")]
    yield from ([(piece, "")] for piece in others)
    if digest.is_stale:
        yield from ([(piece, "warn")] for piece in wrap(STALE, context.narrow))


def _claim(claim: QuotedClaim, digest: SessionDigest, context: TerminalContext) -> Iterator[Line]:
    """Draw a claim, and below it who said what it quotes."""
    width, margin = context.narrow - _INDENT, " " * _INDENT
    yield from ([(f"{margin}{piece}", "")] for piece in wrap(safe_line(claim.text), width))
    if claim.quote:
        quote = safe_line(apart_quote(claim, digest))
        said = f"quoted, {speaker_of(claim)}" + (f": “{quote}”" if quote else "")
        pieces = wrap(said, width - _INDENT)
        yield from ([(f"{margin * 2}{piece}", "quiet")] for piece in pieces)

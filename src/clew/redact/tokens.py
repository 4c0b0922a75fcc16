"""A text → the tokens of known issuers in it."""

import re
from collections.abc import Iterator
from typing import Final

from clew.redact.keywords import ANCHORS, Positions, find_anchors, find_needle, word_in
from clew.redact.rules import DOTTED_RULES, MIDDLE_RULES, TOKEN_RULES, MiddleRule, TokenRule
from clew.redact.shapes import has_digit_and_letter, is_placeholder, is_scrambled
from clew.redact.spans import (
    SHORTEST_RUN,
    AsciiView,
    SecretSpan,
    compiled,
    end_of_run,
    is_token_edge,
    start_of_run,
)

# An anchor may end in a dot and so come before the run: `SG.`, `dp.pt.`.
_BEFORE: Final = 8
_DOT: Final = "."
_READ_TWICE: Final = 200
_LOOKED_AT: Final = 512
_SHORTEST_PIECE: Final = 10


def _rules_of(anchor: str) -> tuple[TokenRule, ...]:
    """Return the rules of an anchor, and after them those of shorter anchors it begins with."""
    ends = range(len(anchor), 0, -1)
    return tuple(rule for end in ends for rule in TOKEN_RULES if anchor[:end] in rule.anchors)


def _either(anchors: list[str]) -> str:
    """Write a choice of anchors, the longest first, that is decided at the first letter."""
    firsts = sorted({anchor[0] for anchor in anchors})
    groups = ([anchor[1:] for anchor in anchors if anchor[0] == first] for first in firsts)
    return "|".join(
        f"{re.escape(first)}(?:{'|'.join(map(re.escape, group))})"
        for first, group in zip(firsts, groups, strict=True)
    )


_MIDDLES: Final = [
    (rule, rule.needle.lower(), word_in(rule.needle.lower())) for rule in MIDDLE_RULES
]
_RULES: Final = {anchor: _rules_of(anchor) for anchor in ANCHORS}
_ANCHOR: Final = re.compile(_either(ANCHORS[::-1]))
_DOTTED_REST: Final = re.compile(rf"\.(?:{'|'.join(rule.rest for rule in DOTTED_RULES)})", re.ASCII)


def find_tokens(view: AsciiView, words: Positions) -> Iterator[SecretSpan]:
    """Find tokens by their prefixes, within runs long enough to contain one."""
    text, plain, done = view.text, view.plain, 0
    refused = dict[str, int]()
    anchored = set(_anchored_runs(plain, find_anchors(plain, words)))
    dotted = set(_dotted_runs(plain))
    for start, end in sorted(anchored | dotted):
        if (start, end) in anchored:
            anchor = _ANCHOR.search(text, max(done, start - _BEFORE), end)
            while anchor:
                span, done = _try_rules(text, anchor, refused)
                if span:
                    yield span
                anchor = _ANCHOR.search(text, done, end)
        if (start, end) in dotted and start >= done:
            yield from _dotted_tokens(text, start, end)


def _anchored_runs(plain: str, positions: list[int]) -> Iterator[tuple[int, int]]:
    """Return the long runs with an anchor in them, or before the dot that they follow."""
    start = end = 0
    for position in positions:
        if position >= end:
            start, end = start_of_run(plain, position, end), end_of_run(plain, position)
            if end - start >= SHORTEST_RUN:
                yield start, end
        last = end
        while plain[last : last + 1] == _DOT and last + 1 - _BEFORE <= position:
            first, last = last + 1, end_of_run(plain, last + 1)
            if last - first >= SHORTEST_RUN:
                yield first, last


def _dotted_runs(plain: str) -> Iterator[tuple[int, int]]:
    """Return the long runs that have the rest of a token behind them."""
    for rest in _DOTTED_REST.finditer(plain):
        start, end = start_of_run(plain, rest.start()), rest.start()
        if end - start >= SHORTEST_RUN:
            yield start, end


def find_middles(view: AsciiView, words: Positions) -> Iterator[SecretSpan]:
    """Find tokens by what is in their middle."""
    for rule, needle, word in _MIDDLES:
        if word in words:
            yield from _middle_tokens(view.text, rule, find_needle(needle, view.low, words))


def _try_rules(
    text: str, anchor: re.Match[str], refused: dict[str, int]
) -> tuple[SecretSpan | None, int]:
    """Return the token that begins with this anchor, if one does, and where to look on.

    `refused` has the end of the last long run that a rule refused, which it does not read again.
    """
    at, after = anchor.span()
    for rule in _RULES[anchor[0]]:
        if refused.get(rule.name, 0) > at or not (rule.joins or is_token_edge(text, at)):
            continue
        found = compiled(rule.pattern).match(text, at)
        if found is None:
            continue
        if _is_token(rule, found, after):
            return SecretSpan(at, found.end(), rule.name), found.end()
        # A refused run may contain a real token further on, but a long one is not read repeatedly.
        if found.end() - at > _READ_TWICE:
            refused[rule.name] = found.end()
    return None, after


def _is_token(rule: TokenRule, found: re.Match[str], after: int) -> bool:
    if found.re.groups and found[1] is None:
        return False
    body = found.string[after : min(found.end(), after + _LOOKED_AT)]
    return not is_placeholder(body) and (not rule.checked or _holds_key(body))


def _holds_key(body: str) -> bool:
    """Keys have a piece that no name of a style or a branch has."""
    pieces = re.split(r"[-_]", body)
    return is_scrambled(body) or any(
        len(piece) >= _SHORTEST_PIECE and has_digit_and_letter(piece) for piece in pieces
    )


def _dotted_tokens(text: str, start: int, dot: int) -> Iterator[SecretSpan]:
    for rule in DOTTED_RULES:
        starts = (dot - size for size in rule.sizes if dot - size >= start)
        tries = (compiled(rule.pattern).match(text, at) for at in starts)
        found = next(
            (match for match in tries if match and is_token_edge(text, match.start())), None
        )
        if found and not is_placeholder(found[0]):
            yield SecretSpan(*found.span(), rule.name)
            return


def _middle_tokens(text: str, rule: MiddleRule, positions: list[int]) -> Iterator[SecretSpan]:
    done = 0
    for position in positions:
        # What is in a token is of it, and a long run is not read over and over.
        if position + len(rule.needle) <= done:
            continue
        starts = (position - back for back in rule.offsets if back <= position)
        tries = (compiled(rule.pattern).match(text, start) for start in starts)
        found = next(filter(None, tries), None)
        is_token = found and not is_placeholder(found[found.re.groups])
        if found and is_token:
            yield SecretSpan(*found.span(found.re.groups), rule.name)
        if found and (is_token or found.end() - position > _READ_TWICE):
            done = found.end()

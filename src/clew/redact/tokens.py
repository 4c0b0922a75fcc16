"""A text → the tokens in it that tell their maker."""

import re
from collections.abc import Iterator
from typing import Final

from clew.redact.rules import DOTTED_RULES, MIDDLE_RULES, TOKEN_RULES, MiddleRule, TokenRule
from clew.redact.shapes import has_digit_and_letter, is_placeholder, is_scrambled
from clew.redact.spans import Shadow, Span, find_all, is_edge

# An anchor may end in a dot and so stand before the run: `SG.`, `dp.pt.`.
_BEFORE: Final = 8
_DOT: Final = "."
_READ_TWICE: Final = 200
_LOOKED_AT: Final = 512
_SHORTEST_PIECE: Final = 10
MIDDLE_WORDS: Final = tuple(rule.needle.lower() for rule in MIDDLE_RULES)


def _rules_of(anchor: str) -> tuple[TokenRule, ...]:
    """Give the rules of an anchor, and after them those of shorter anchors it begins with."""
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


_ANCHORS: Final = sorted({anchor for rule in TOKEN_RULES for anchor in rule.anchors}, key=len)
_RULES: Final = {anchor: _rules_of(anchor) for anchor in _ANCHORS}
_ANCHOR: Final = re.compile(_either(_ANCHORS[::-1]))


def find_tokens(shadow: Shadow, runs: list[tuple[int, int]]) -> Iterator[Span]:
    """Find tokens by their prefixes, within runs long enough to hold one."""
    text, done = shadow.text, 0
    words = [text[start:end] for start, end in runs]
    # A word that stands there a thousand times is searched once.
    anchored = {word for word in set(words) if _ANCHOR.search(word)}
    for (start, end), word in zip(runs, words, strict=True):
        if word in anchored or text[start - 1 : start] == _DOT:
            anchor = _ANCHOR.search(text, max(done, start - _BEFORE), end)
            while anchor:
                span, done = _try_rules(text, anchor)
                if span:
                    yield span
                anchor = _ANCHOR.search(text, done, end)
        if text[end : end + 1] == _DOT and start >= done:
            yield from _dotted_tokens(text, start, end)


def find_middles(shadow: Shadow) -> Iterator[Span]:
    """Find tokens by what stands in their middle."""
    for rule in MIDDLE_RULES:
        if rule.needle in shadow.plain:
            yield from _middle_tokens(shadow, rule)


def _try_rules(text: str, anchor: re.Match[str]) -> tuple[Span | None, int]:
    """Give the token that begins with this anchor, if one does, and where to look on."""
    at, after = anchor.span()
    for rule in _RULES[anchor[0]]:
        if not (rule.joins or is_edge(text, at)):
            continue
        found = rule.pattern.match(text, at)
        if found is None:
            continue
        if _is_token(rule, found, after):
            return Span(at, found.end(), rule.name), found.end()
        # A refused run may hold a real token further on, but a long one is not read over and over.
        if found.end() - at > _READ_TWICE:
            after = found.end()
    return None, after


def _is_token(rule: TokenRule, found: re.Match[str], after: int) -> bool:
    if rule.pattern.groups and found[1] is None:
        return False
    body = found.string[after : min(found.end(), after + _LOOKED_AT)]
    return not is_placeholder(body) and (not rule.checked or _holds_key(body))


def _holds_key(body: str) -> bool:
    """Keys have a piece that no name of a style or a branch has."""
    pieces = re.split(r"[-_]", body)
    return is_scrambled(body) or any(
        len(piece) >= _SHORTEST_PIECE and has_digit_and_letter(piece) for piece in pieces
    )


def _dotted_tokens(text: str, start: int, dot: int) -> Iterator[Span]:
    for rule in DOTTED_RULES:
        # Most words before a dot are names of files and members.
        if not rule.rest.match(text, dot):
            continue
        starts = (dot - size for size in rule.sizes if dot - size >= start)
        tries = (rule.pattern.match(text, at) for at in starts)
        found = next((match for match in tries if match and is_edge(text, match.start())), None)
        if found and not is_placeholder(found[0]):
            yield Span(*found.span(), rule.name)
            return


def _middle_tokens(shadow: Shadow, rule: MiddleRule) -> Iterator[Span]:
    for place in find_all(rule.needle, shadow.plain):
        tries = (
            rule.pattern.match(shadow.text, place - back) for back in rule.offsets if back <= place
        )
        found = next(filter(None, tries), None)
        if found and not is_placeholder(found[rule.pattern.groups]):
            yield Span(*found.span(rule.pattern.groups), rule.name)

"""A tree before and after redaction → what was masked in it, each with the words around it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.redact.marks import MARK, MARK_HEAD
from clew.redact.personal import HOME
from clew.redact.tree import strings_of

_WORDS_AROUND: Final = 48


class MaskedText(msgspec.Struct, frozen=True):
    """One place where something was masked: its rule, and the masked text around it."""

    rule: str
    text: str


def find_masked_texts(before: Any, after: Any) -> Iterator[MaskedText]:
    """Yield what `redact_tree` masked in a tree, in its order.

    Marks that the tree had before are not among it: a transcript may quote them.
    """
    if before is after:
        return
    for old, new in zip(strings_of(before), strings_of(after), strict=False):
        if old != new:
            yield from _masked_in(old, new)


def _masked_in(old: str, new: str) -> Iterator[MaskedText]:
    known = Counter(found[0] for found in MARK.finditer(old))
    is_marked = False
    for found in MARK.finditer(new):
        known[found[0]] -= 1
        if known[found[0]] < 0:
            is_marked = True
            yield MaskedText(_rule(found[0]), _around(new, *found.span()))
    if not is_marked:
        # The name in the path of a home is replaced by a word, without a mark.
        start = next(
            (at for at, pair in enumerate(zip(old, new, strict=False)) if _differ(pair)), 0
        )
        yield MaskedText(HOME, _around(new, start, start))


def _differ(pair: tuple[str, str]) -> bool:
    return pair[0] != pair[1]


def _rule(mark: str) -> str:
    return mark[len(MARK_HEAD) : -1].partition(" ")[0]


def _around(text: str, start: int, end: int) -> str:
    first, last = max(0, start - _WORDS_AROUND), min(len(text), end + _WORDS_AROUND)
    words = " ".join(text[first:last].split())
    return f"{'…' if first else ''}{words}{'…' if last < len(text) else ''}"

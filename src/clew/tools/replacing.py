"""Replacements in a text, made as the client makes them."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]


def find_spans(text: str, old: str, new: str, *, replace_all: bool) -> list[Span]:
    """Find the stretches of a text that an edit replaces; none where it does not fit the text.

    An empty `old` stands for the whole text. An empty `new` removes the newline behind `old` too.
    """
    if not old:
        return [(0, len(text))]
    if not new and not old.endswith("\n") and f"{old}\n" in text:
        old = f"{old}\n"
    spans = _occurrences(text, old)
    return list(spans) if replace_all else [span for span, _ in zip(spans, "1", strict=False)]


def replace_spans(text: str, spans: Iterable[Span], new: str) -> str:
    """Put `new` in place of each stretch."""
    pieces, at = [], 0
    for start, end in spans:
        pieces.append(text[at:start])
        at = end
    return new.join((*pieces, text[at:]))


def _occurrences(text: str, part: str) -> Iterator[Span]:
    at = text.find(part)
    while at >= 0:
        end = at + len(part)
        yield at, end
        at = text.find(part, end)

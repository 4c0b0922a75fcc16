"""Words as the index cuts them: of a query, for full-text search, and found again in a text.

The index knows `fooBar` as `foo Bar` and each CJK sign and emoji as a word of its own. What is
found there is found here again with its place, in time linear in the text's length.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, assert_never

import msgspec

from clew.search.language import AllOf, AnyOf, Expression, Phrase
from clew.store.fulltext import ALONE, to_words

_FIRST_MARK: Final = "\u0300"
_LAST_MARK: Final = "\u036f"
_MARKS: Final = f"{_FIRST_MARK}-{_LAST_MARK}"
_WORD: Final = re.compile(r"[^\W_]+|[^\w\s]")
_SIGNS: Final = ("So", "Co")
_ALONE_CLASS: Final = ALONE.pattern[2:-2]
# A letter or digit that makes one word with the letters and digits beside it.
_JOINED: Final = rf"[^\W_{_ALONE_CLASS}]"
_CAMEL: Final = "(?<=[a-z0-9])(?=[A-Z])"
# Looked at behind a word's first sign, so that the search can run for that sign alone.
_BEGINS: Final = rf"(?:(?<!(?:{_JOINED}|[{_MARKS}])[\s\S])|(?<=[a-z0-9][A-Z]))"
_ENDS: Final = rf"(?:(?!{_JOINED})|{_CAMEL})"
_REST: Final = rf"{_JOINED}*?{_ENDS}"
_SPACE: Final = rf"(?:[^\w{_ALONE_CLASS}]|_)"
_BETWEEN: Final = rf"(?:{_SPACE}++|{_CAMEL})"
_BESIDE: Final = rf"{_SPACE}*+"
_NEVER: Final = r"(?!)"
_LATIN: Final = (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))


class Span(msgspec.Struct, frozen=True, order=True):
    """Where a match stands in a text."""

    start: int
    end: int


def cut_words(text: str) -> list[str]:
    """Cut a text into the words the index has of it: small letters, Latin ones without marks."""
    folded = "".join(_base(sign) for sign in to_words(clean(text)))
    return [word for word in _WORD.findall(folded) if word.isalnum() or _is_symbol(word)]


def stands_alone(word: str) -> bool:
    """Tell whether a word is one sign that is never joined with what stands beside it."""
    return ALONE.fullmatch(word) is not None or _is_symbol(word)


def clean(text: str) -> str:
    """Put another sign in place of each that cannot be stored: NUL, and half a surrogate pair."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def to_match(expression: Expression) -> str:
    """Write an expression for FTS5; every word stands in a string, so none can be an operator."""
    match expression:
        case Phrase(text, is_prefix):
            quoted = to_words(clean(text)).replace('"', " ")
            return f'"{quoted}" *' if is_prefix else f'"{quoted}"'
        case AnyOf(terms):
            return "(" + " OR ".join(to_match(term) for term in terms) + ")"
        case AllOf(terms, without):
            found = " AND ".join(to_match(term) for term in terms)
            if not without:
                return f"({found})"
            left_out = " OR ".join(to_match(term) for term in without)
            return f"(({found}) NOT ({left_out}))"
        case _:
            assert_never(expression)


def phrases_of(expression: Expression | None) -> Iterator[Phrase]:
    """Give the phrases that a hit shows: those that are not left out."""
    match expression:
        case None:
            return
        case Phrase():
            yield expression
        case AnyOf(terms) | AllOf(terms):
            for term in terms:
                yield from phrases_of(term)
        case _:
            assert_never(expression)


def matches(expression: Expression, text: str) -> bool:
    """Tell whether a text is what an expression asks for."""
    match expression:
        case Phrase():
            return _pattern(expression, text).search(text) is not None
        case AnyOf(terms):
            return any(matches(term, text) for term in terms)
        case AllOf(terms, without):
            return all(matches(term, text) for term in terms) and not any(
                matches(term, text) for term in without
            )
        case _:
            assert_never(expression)


def needles(expression: Expression) -> list[str]:
    """Give words of which every text that matches has at least one, as a part at least."""
    match expression:
        case Phrase(text):
            return [max(cut_words(text), key=len, default="")]
        case AnyOf(terms):
            return [word for term in terms for word in needles(term)]
        case AllOf(terms):
            return max((needles(term) for term in terms), key=lambda found: min(map(len, found)))
        case _:
            assert_never(expression)


def find_spans(phrase: Phrase, text: str) -> Iterator[Span]:
    """Give the places of a phrase in a text, from first to last."""
    for found in _pattern(phrase, text).finditer(text):
        yield Span(*found.span())


def _pattern(phrase: Phrase, text: str) -> re.Pattern[str]:
    return _compile(phrase, is_plain=text.isascii())


@lru_cache(maxsize=256)
def _compile(phrase: Phrase, *, is_plain: bool) -> re.Pattern[str]:
    """Make the pattern of a phrase; one for ASCII alone is much the faster.

    No two neighbouring parts can match the same sign, so a search never goes back over a text.
    """
    words = cut_words(phrase.text)
    # A symbol beside words counts as what stands between them: few of them are ever alone.
    words = [word for word in words if not _is_symbol(word) or ALONE.fullmatch(word)] or words
    if not words:
        return re.compile(_NEVER)
    mark = "" if is_plain else f"[{_MARKS}]*+"
    parts: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        if before:
            is_split = stands_alone(before) or stands_alone(word)
            parts.append(_BESIDE if is_split else _BETWEEN)
        begins = "" if before or stands_alone(word) else _BEGINS
        signs = [_sign_class(sign, is_plain=is_plain) for sign in word]
        parts.append(signs[0] + begins + mark + mark.join(signs[1:]) + mark * (len(signs) > 1))
    if not stands_alone(words[-1]):
        parts.append(_REST if phrase.is_prefix else _ENDS)
    return re.compile("".join(parts))


def _sign_class(sign: str, *, is_plain: bool) -> str:
    """Give the signs that are the same to the index: of either case, with or without marks."""
    if is_plain:
        return f"[{sign}{sign.upper()}]" if sign.isascii() and sign.isalpha() else re.escape(sign)
    same = {sign, *(other for other in (sign.upper(), sign.title()) if len(other) == 1)}
    return "[" + "".join(map(re.escape, sorted(same))) + _with_marks().get(sign, "") + "]"


@cache
def _with_marks() -> dict[str, str]:
    """Give for each small letter of ASCII the Latin letters that are it with a mark."""
    found: dict[str, str] = {}
    for code in _LATIN:
        base = _base(chr(code))
        if base.isascii():
            found[base] = found.get(base, "") + chr(code)
    return found


def _base(sign: str) -> str:
    """Give a sign as the index has it: small, and a Latin letter without its marks."""
    if sign.isascii():
        return sign.lower()
    base = unicodedata.normalize("NFD", sign)[0]
    if base.isascii() and base.isalpha():
        return base.lower()
    if _FIRST_MARK <= sign <= _LAST_MARK:
        return ""
    small = sign.lower()
    return small if len(small) == 1 else sign


def _is_symbol(word: str) -> bool:
    return len(word) == 1 and unicodedata.category(word) in _SIGNS

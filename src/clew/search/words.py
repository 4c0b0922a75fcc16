"""Words as the index cuts them: of a query, for full-text search, and found again in a text.

The index knows `fooBar` as `foo Bar`, `HTMLParser` as `HTML Parser`, and each CJK sign and emoji as
a word of its own. A word that may be two of them, as `foobar`, is looked for as both. What is found
there is found here again with its place, in time linear in the text's length, unless it lacks the
phrase's symbols; words that stand together in one identifier count here for the whole, however
many they are.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, assert_never

import msgspec

from clew.search.language import AllOf, AnyOf, Expression, Phrase
from clew.search.symbols import cut_at_symbols
from clew.storable import storable
from clew.store import ALONE, to_words

_FIRST_MARK: Final = "\u0300"
_LAST_MARK: Final = "\u036f"
_MARKS: Final = f"{_FIRST_MARK}-{_LAST_MARK}"
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_IN_WORDS: Final = re.compile(rf"[\w{_MARKS}]")
_NO_LETTERS: Final = re.compile("[^a-z0-9]+")
_WORD: Final = re.compile(r"[^\W_]+|[^\w\s]")
_SIGNS: Final = ("So", "Co")
_ALONE_CLASS: Final = ALONE.pattern[2:-2]
_CAMEL: Final = "(?:(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z][a-z]))"
_CAMEL_BEHIND: Final = "(?<=[a-z0-9][A-Z])|(?<=[A-Z][A-Z])(?=[a-z][a-z])"
_NEVER: Final = r"(?!)"
# Words in this range may be two, each of so many letters.
_LEAST_SPLIT: Final = 5
_MOST_SPLIT: Final = 30
_LEAST_HALF: Final = 2
_LATIN: Final = (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))


class _Edges(msgspec.Struct, frozen=True):
    """Patterns for where words begin and end, and for what stands between them."""

    begins: str
    ends: str
    rest: str
    between: str
    beside: str


def _make_edges(joined: str, marks: str, space: str) -> _Edges:
    """Make them of what is joined to one word, of marks on letters, and of what is neither."""
    ends = rf"(?:(?!{joined})|{_CAMEL})"
    return _Edges(
        # Looked at behind a word's first sign, so that the search can run for that sign alone.
        begins=rf"(?:(?<!(?:{joined}{marks})[\s\S])|{_CAMEL_BEHIND})",
        ends=ends,
        rest=rf"{joined}*?{ends}",
        between=rf"(?:{space}++|{_CAMEL})",
        beside=rf"{space}*+",
    )


_EDGES: Final = _make_edges(
    rf"[^\W_{_ALONE_CLASS}]", rf"|[{_MARKS}]", rf"(?:[^\w{_ALONE_CLASS}]|_)"
)
# For words in ASCII alone: the large classes above take long to compile.
_PLAIN_EDGES: Final = _make_edges("[A-Za-z0-9]", "", "[^A-Za-z0-9]")


class Span(msgspec.Struct, frozen=True, order=True):
    """Where a match stands in a text."""

    start: int
    end: int


def cut_words(text: str) -> list[str]:
    """Cut a text into the words the index has of it: small letters, Latin ones without marks."""
    folded = "".join(_base(sign) for sign in to_words(storable(text)))
    return [word for word in _WORD.findall(folded) if word.isalnum() or _is_symbol(word)]


def stands_alone(word: str) -> bool:
    """Tell whether a word is one sign that is never joined with what stands beside it."""
    return ALONE.fullmatch(word) is not None or _is_symbol(word)


def halves(phrase: Phrase) -> Iterator[tuple[str, str]]:
    """Return the ways in which a word of small letters may be one of two words, as `foobar` is."""
    word = phrase.text
    is_one = word.isascii() and word.isalnum() and word.islower() and not phrase.is_prefix
    if is_one and _LEAST_SPLIT <= len(word) <= _MOST_SPLIT:
        for length in range(_LEAST_HALF, len(word) - _LEAST_HALF + 1):
            yield word[:length], word[length:]


def phrases_of(expression: Expression | None) -> Iterator[Phrase]:
    """Return the phrases that a hit shows: those that are not left out."""
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
            return any(pattern.search(text) for pattern in _patterns(expression, text))
        case AnyOf(terms):
            return any(matches(term, text) for term in terms)
        case AllOf(terms, without):
            return all(matches(term, text) for term in terms) and not any(
                matches(term, text) for term in without
            )
        case _:
            assert_never(expression)


def needles(expression: Expression) -> list[str]:
    """Return words of which every text that matches has at least one, as a part at least."""
    match expression:
        case Phrase(text):
            return [max(cut_words(text), key=len, default="")]
        case AnyOf(terms):
            return [word for term in terms for word in needles(term)]
        case AllOf(terms):
            return max((needles(term) for term in terms), key=lambda found: min(map(len, found)))
        case _:
            assert_never(expression)


def bare_letters(text: str) -> str:
    """Return the Latin letters and digits of a text side by side, small and without marks.

    Any word of these that stands in the text, however it is split, is a part of what is given.
    """
    return _NO_LETTERS.sub("", unicodedata.normalize("NFD", text).lower())


def find_spans(phrase: Phrase, text: str) -> Iterator[Span]:
    """Return where a phrase is in a text, from first to last; or its halves, if it is not."""
    for pattern in _patterns(phrase, text):
        spans = [Span(*found.span()) for found in pattern.finditer(text)]
        if spans:
            yield from spans
            return


def _patterns(phrase: Phrase, text: str) -> Iterator[re.Pattern[str]]:
    """Return the pattern of a phrase, then, for whom it does not match, that of its halves."""
    is_plain = text.isascii() or (phrase.text.isascii() and _has_plain_words(text))
    yield _compile(phrase, is_plain=is_plain)
    if any(True for _ in halves(phrase)) and phrase.text in bare_letters(text):
        yield _compile_halves(phrase, is_plain=is_plain)


def _has_plain_words(text: str) -> bool:
    """Tell whether all signs beyond ASCII only stand between words, as dashes and arrows do."""
    beyond = "".join(_BEYOND_ASCII.findall(text))
    return not (_IN_WORDS.search(beyond) or ALONE.search(beyond))


@lru_cache(maxsize=256)
def _compile(phrase: Phrase, *, is_plain: bool) -> re.Pattern[str]:
    """Make the pattern of a phrase; one for words in ASCII alone is much the faster.

    No two neighbouring parts can match the same sign, so a search never goes back over a text.
    """
    pieces = cut_at_symbols(storable(phrase.text))
    parts: list[str] = []
    gaps: list[str] = []
    is_asked = False
    for number, run in enumerate(pieces.runs):
        symbols = pieces.before[number]
        is_asked = is_asked or bool(symbols)
        gaps.append(symbols or pieces.skipped[number])
        words = _shown_words(run)
        if words:
            is_prefix = phrase.is_prefix and number == len(pieces.runs) - 1 and not pieces.after
            between = _gap(is_plain=is_plain) if parts else ""
            parts.append("".join(gaps) if is_asked else between)
            parts.append(_write_pattern(words, is_plain=is_plain, is_prefix=is_prefix))
            gaps, is_asked = [], False
    if is_asked or pieces.after:
        parts += [*gaps, pieces.after]
    return re.compile("".join(parts) if any(map(_shown_words, pieces.runs)) else _NEVER)


def _shown_words(run: str) -> list[str]:
    """Cut a run into words; an emoji beside them is what stands between: few are ever alone."""
    words = cut_words(run)
    return [word for word in words if not _is_symbol(word) or ALONE.fullmatch(word)] or words


def _gap(*, is_plain: bool) -> str:
    return (_PLAIN_EDGES if is_plain else _EDGES).beside


@lru_cache(maxsize=256)
def _compile_halves(phrase: Phrase, *, is_plain: bool) -> re.Pattern[str]:
    """Make the pattern of a word that may be two, as in `foo_bar`; it is seldom needed."""
    ways = (_write_pattern(list(way), is_plain=is_plain, joint="[_-]") for way in halves(phrase))
    return re.compile("|".join(ways))


def _write_pattern(
    words: list[str], *, is_plain: bool, is_prefix: bool = False, joint: str = ""
) -> str:
    mark = "" if is_plain else f"[{_MARKS}]*+"
    edges = _PLAIN_EDGES if is_plain else _EDGES
    parts: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        if before:
            is_split = stands_alone(before) or stands_alone(word)
            parts.append(joint or (edges.beside if is_split else edges.between))
        begins = "" if before or stands_alone(word) else edges.begins
        signs = [_sign_class(sign, is_plain=is_plain) for sign in word]
        rest = "".join(f"{sign}{mark}" for sign in signs[1:])
        parts.append(signs[0] + begins + mark + rest)
    if not stands_alone(words[-1]):
        parts.append(edges.rest if is_prefix else edges.ends)
    return "".join(parts)


def _sign_class(sign: str, *, is_plain: bool) -> str:
    """Return the signs that are the same to the index: of either case, with or without marks."""
    if is_plain:
        return f"[{sign}{sign.upper()}]" if sign.isascii() and sign.isalpha() else re.escape(sign)
    same = {sign, *(other for other in (sign.upper(), sign.title()) if len(other) == 1)}
    return "[" + "".join(map(re.escape, sorted(same))) + _with_marks().get(sign, "") + "]"


@cache
def _with_marks() -> dict[str, str]:
    """Return for each small letter of ASCII the Latin letters that are it with a mark."""
    found: dict[str, str] = {}
    for code in _LATIN:
        base = _base(chr(code))
        if base.isascii():
            found[base] = found.get(base, "") + chr(code)
    return found


def _base(sign: str) -> str:
    """Return a sign as the index has it: small, and a Latin letter without its marks."""
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

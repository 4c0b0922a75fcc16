"""What to offer for a query that finds next to nothing: the same words, asked for less strictly."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, Literal

import msgspec

from clew.search.errors import QueryError
from clew.search.filter_terms import FilterTerm, filter_terms
from clew.search.tokens import FilterToken, Pattern, Sign, Token, Word, split
from clew.search.words import cut_words

NEARLY_NOTHING: Final = 2
"""So few hits are worth an offer of more."""
Wider = Literal["any_word", "everywhere", "as_text"]
_PUNCTUATION: Final = ".,;:!?"
# They are in nearly every text, and say nothing about the one that is looked for.
_STOP_WORDS: Final = frozenset(
    [
        "a",
        "about",
        "after",
        "again",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "done",
        "for",
        "from",
        "get",
        "got",
        "had",
        "has",
        "have",
        "he",
        "her",
        "here",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "instead",
        "into",
        "is",
        "it",
        "its",
        "just",
        "let",
        "like",
        "make",
        "may",
        "me",
        "might",
        "more",
        "most",
        "my",
        "no",
        "nor",
        "not",
        "of",
        "off",
        "on",
        "once",
        "one",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "please",
        "same",
        "she",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "too",
        "under",
        "until",
        "up",
        "us",
        "use",
        "used",
        "using",
        "very",
        "want",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


class WiderSearch(msgspec.Struct, frozen=True, kw_only=True):
    """A wider query and what it finds; `total` is at least that many unless it is exact.

    `kind` is `any_word` for the same words of which any will do, `everywhere` for the same query in
    tool results and injected text, too, and `as_text` for one that has the words that are left out,
    with their minus: `ls -la`.
    """

    kind: Wider
    query: str
    total: int
    is_exact: bool = True


def wider_queries(query: str) -> Iterator[tuple[Wider, str]]:
    """Return queries that find what this one does and more, as far as there are any."""
    as_text = query_of_options(query)
    if as_text:
        yield "as_text", as_text
    any_word = query_of_any_word(query)
    if any_word:
        yield "any_word", any_word
    if not any(map(_says_where, filter_terms(query))) and _can_be_read(query):
        yield "everywhere", f"{query.strip()} in:all"


def query_of_options(query: str) -> str:
    """Return a query in which words that are left out are looked for with their minus.

    It is empty if no word is left out.
    """
    try:
        tokens = split(query)
    except QueryError:
        return ""
    options = [
        (minus.position, word)
        for minus, word in pairwise(tokens)
        if isinstance(minus, Sign) and minus.sign == "-" and isinstance(word, Word)
    ]
    written = query
    for start, word in reversed(options):
        # What stands between quotation marks is meant as it is.
        if not query.startswith('"', start + 1):
            end = start + 1 + len(word.text)
            written = f'{written[:start]}"-{word.text}"{written[end:]}'
    return written if written != query else ""


def _says_where(term: FilterTerm) -> bool:
    """Tell whether a filter says what is searched: of errors, results are."""
    return term.name == "in" or (term.is_wanted and (term.name, term.value) == ("is", "error"))


def query_of_any_word(query: str) -> str:
    """Return a query for any of the words that say something; empty if there is none to offer.

    Filters, regular expressions and what is left out stay as they are. Somebody who writes OR or
    parentheses has said which words must be there.
    """
    try:
        tokens = split(query)
    except QueryError:
        return ""
    words: list[str] = []
    rest: list[str] = []
    is_wanted = True
    for number, token in enumerate(tokens):
        if isinstance(token, Sign) and token.sign in ("OR", "(", ")"):
            return ""
        if isinstance(token, Word) and is_wanted:
            words.append(_write(query, token))
        elif not isinstance(token, Sign):
            minus = "" if is_wanted else "-"
            end = tokens[number + 1].position if number + 1 < len(tokens) else len(query)
            rest.append(f"{minus}{query[token.position : end].strip()}".removesuffix("-").strip())
        is_wanted = not (isinstance(token, Sign) and token.sign == "-")
    telling = list(dict.fromkeys(word for word in words if _is_telling(word)))
    if len(words) == 1 or not telling:
        return ""
    either = " OR ".join(telling)
    return " ".join([f"({either})" if rest and len(telling) > 1 else either, *rest])


def _write(query: str, word: Word) -> str:
    """Write a word as a query has it; the end of a sentence is none of its last word."""
    star = "*" if word.is_prefix else ""
    if query.startswith('"', word.position):
        return f'"{word.text}"{star}'
    return f"{word.text.rstrip(_PUNCTUATION)}{star}"


def _is_telling(word: str) -> bool:
    return bool(cut_words(word)) and word.casefold() not in _STOP_WORDS


def _can_be_read(query: str) -> bool:
    try:
        tokens: list[Token] = split(query)
    except QueryError:
        return False
    return any(isinstance(token, Word | Pattern | FilterToken) for token in tokens)

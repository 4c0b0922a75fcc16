"""An `IndexQuery` → `tsquery`, in which every word is quoted, so that none is an operator."""

from collections.abc import Callable
from typing import assert_never

from clew.store.index_query import IndexAll, IndexAny, IndexPhrase, IndexQuery
from clew.store.postgres.vectors import OVERLAP, beginning_of, to_lexemes
from clew.store.tokenizer import tokenize

FindParts = Callable[[str], set[int]]
"""Finds the blocks that have a part which matches a `tsquery`."""
CheckPhrase = Callable[[list[str], bool, set[int]], set[int]]
"""Keeps those of some blocks that have a phrase, which may go over several parts."""


def write_tsquery(query: IndexQuery) -> str | None:
    """Write a query for texts of one part; None if it matches nothing, as one without words."""
    match query:
        case IndexPhrase(_, is_prefix):
            return _write_phrase(phrase_words(query), is_prefix=is_prefix)
        case IndexAny(terms):
            found = [text for text in map(write_tsquery, terms) if text]
            return "(" + " | ".join(found) + ")" if found else None
        case IndexAll(terms, without):
            wanted = [text for text in map(write_tsquery, terms) if text]
            if len(wanted) < len(terms):
                return None
            unwanted = [f"!{text}" for text in map(write_tsquery, without) if text]
            return "(" + " & ".join([*wanted, *unwanted]) + ")"
        case _:
            assert_never(query)


def find_in_parts(query: IndexQuery, find: FindParts, check: CheckPhrase) -> set[int]:
    """Find the blocks whose text is in several parts: no part knows of all words."""
    if is_decided_by_part(query):
        text = write_tsquery(query)
        return find(text) if text else set()
    match query:
        case IndexPhrase(_, is_prefix):
            words = phrase_words(query)
            beginning = _write_phrase(words[:OVERLAP], is_prefix=False)
            return check(words, is_prefix, find(beginning) if beginning else set())
        case IndexAny(terms):
            return set().union(*(find_in_parts(term, find, check) for term in terms))
        case IndexAll(terms, without):
            found = find_in_parts(terms[0], find, check)
            for term in terms[1:]:
                found = found & find_in_parts(term, find, check) if found else found
            for term in without:
                found = found - find_in_parts(term, find, check) if found else found
            return found
        case _:
            assert_never(query)


def is_decided_by_part(query: IndexQuery) -> bool:
    """Tell whether each part of a text can be judged by itself."""
    match query:
        case IndexPhrase():
            return len(phrase_words(query)) <= OVERLAP + 1
        case IndexAny(terms):
            return all(map(is_decided_by_part, terms))
        case IndexAll(terms, without):
            return len(terms) == 1 and not without and is_decided_by_part(terms[0])
        case _:
            assert_never(query)


def phrase_words(phrase: IndexPhrase) -> list[str]:
    """Return the words of a phrase as vectors have them."""
    words = tokenize(phrase.words.replace('"', " "))
    if phrase.is_prefix and words:
        return [*to_lexemes(words[:-1]), beginning_of(words[-1])]
    return to_lexemes(words)


def _write_phrase(words: list[str], *, is_prefix: bool) -> str | None:
    if not words:
        return None
    ending = ":*" if is_prefix else ""
    return "(" + " <-> ".join(f"'{word}'" for word in words) + ending + ")"

"""Expressions as the index understands them: what may match, and what surely does.

The index knows no symbols, and not what stands between words. So a text that it finds for `C#` or
for `passkey`, as `pass` and `key`, has to be looked at.
"""

from typing import assert_never

from clew.search.language import AllOf, AnyOf, Expression, Phrase
from clew.search.symbols import cut_at_symbols
from clew.search.words import clean, halves
from clew.store.fulltext import to_words


def to_match(expression: Expression) -> str:
    """Write for FTS5 what finds every text that matches, and maybe some others.

    Every word stands in a string, so that none can be an operator.
    """
    match expression:
        case Phrase(is_prefix=is_prefix):
            whole = _quote(expression)
            if is_prefix:
                return f"{whole} *"
            split = [f'"{front} {back}"' for front, back in halves(expression)]
            return _either([whole, *split])
        case AnyOf(terms):
            return _either([to_match(term) for term in terms])
        case AllOf(terms, without):
            left_out = [sure for term in without if (sure := sure_match(term))]
            return _all_but([to_match(term) for term in terms], left_out)
        case _:
            assert_never(expression)


def sure_match(expression: Expression) -> str | None:
    """Write for FTS5 what finds only texts that match; None where the index cannot tell."""
    match expression:
        case Phrase(text, is_prefix):
            if cut_at_symbols(clean(text)).has_symbols:
                return None
            return f"{_quote(expression)} *" if is_prefix else _quote(expression)
        case AnyOf(terms):
            found = [sure for term in terms if (sure := sure_match(term))]
            return _either(found) if found else None
        case AllOf(terms, without):
            found = [sure for term in terms if (sure := sure_match(term))]
            left_out = [to_match(term) for term in without]
            return _all_but(found, left_out) if len(found) == len(terms) else None
        case _:
            assert_never(expression)


def _quote(phrase: Phrase) -> str:
    words = to_words(clean(phrase.text)).replace('"', " ")
    return f'"{words}"'


def _either(ways: list[str]) -> str:
    return ways[0] if len(ways) == 1 else "(" + " OR ".join(ways) + ")"


def _all_but(terms: list[str], without: list[str]) -> str:
    found = "(" + " AND ".join(terms) + ")"
    return f"({found} NOT ({' OR '.join(without)}))" if without else found

"""A text → the secrets in it that can be told at a glance, for a warning.

Every export that masks nothing warns of secrets, so this search has to be fast. It leaves to
redaction the names and places where words are as likely as secrets, such as `key` and `auth`.
"""

from typing import Final

from clew.redact.assignments import find_assigned
from clew.redact.contexts import PLACE_RULES, ContextRule, find_by_rules, rarest_needle
from clew.redact.hidden import HIDDEN_HEADS, find_without_hidden, may_hide
from clew.redact.keywords import ANCHOR_WORDS, Positions, find_words, word_in
from clew.redact.private_keys import NEEDLES, find_private_keys
from clew.redact.rules import MIDDLE_RULES
from clew.redact.spans import AsciiView, SecretSpan
from clew.redact.tokens import find_middles, find_tokens

# What names of secrets contain, and few other words.
_NAMES: Final = (
    *("passw", "_pass", "_pw", "pwd", "secret", "token", "credential"),
    *("api_key", "api-key", "apikey", "access_key", "accesskey", "accountkey", "private_key"),
)
_SHORTEST: Final = 5
_PLACES: Final[tuple[tuple[ContextRule, str], ...]] = tuple(
    (rule, needle)
    for rule, needle in ((rule, rarest_needle(rule)) for rule in PLACE_RULES)
    if rule.sign or len(needle) >= _SHORTEST
)
_WORDS: Final = tuple(
    dict.fromkeys(
        (
            *HIDDEN_HEADS,
            *ANCHOR_WORDS,
            *NEEDLES,
            *_NAMES,
            *(needle for _, needle in _PLACES),
            *(word_in(rule.needle.lower()) for rule in MIDDLE_RULES),
        )
    )
)


def find_likely_secrets(view: AsciiView) -> list[SecretSpan]:
    """Find tokens of known issuers, private keys, and passwords that a name or a place reveals."""
    words = find_words(view.low, _WORDS)
    spans = _find_by_words(view, words)
    # One search for all words is faster than one more for each way to hide something.
    if not words.keys().isdisjoint(HIDDEN_HEADS) or (
        view.text is not view.plain and may_hide(view.text)
    ):
        spans += find_without_hidden(view, _find_visible)
    return spans


def _find_visible(view: AsciiView) -> list[SecretSpan]:
    return _find_by_words(view, find_words(view.low, _WORDS))


def _find_by_words(view: AsciiView, words: Positions) -> list[SecretSpan]:
    return [
        *find_tokens(view, words),
        *find_private_keys(view, words),
        *find_middles(view, words),
        *find_by_rules(view, words, _PLACES),
        *find_assigned(view, words, _NAMES),
    ]

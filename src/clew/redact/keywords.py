"""A text in lower case → the positions of keywords, and the anchors of tokens."""

from functools import lru_cache
from typing import Final, TypeAlias

from ahocorasick_rs import BytesAhoCorasick, Implementation

from clew.redact.rules import HASH_RULES, TOKEN_RULES

# Where each word is, in lower case; a word that is nowhere is not in it.
Positions: TypeAlias = dict[str, list[int]]

_KEYWORDS: Final = (
    *("pass", "pwd", "secret", "token", "key", "cred", "auth", "cookie", "hooks", "login", "sig"),
    *("bearer", "basic", "mysql", "curl", "redis-cli", "private-lines", ".atlasv1.", "8q~", ":aa"),
    *("pw", "sudo -s", "phpsessid", "jsessionid", "connect.sid", "securestring", "smbclient"),
    *("mongo", "@", ":*:", ":543", ":6432:"),
    *(rule.needle for rule in HASH_RULES),
)
# An anchor of two letters is in every other word; its token continues with a digit of base 16.
_SHORTEST: Final = 3
_DIGITS: Final = "0123456789abcdef"


def _finds(anchor: str) -> tuple[str, ...]:
    """Return the words that lead to an anchor."""
    low = anchor.lower()
    return (low,) if len(low) >= _SHORTEST else tuple(low + digit for digit in _DIGITS)


ANCHORS: Final = sorted({anchor for rule in TOKEN_RULES for anchor in rule.anchors}, key=len)
_ANCHOR_WORDS: Final = [(anchor, word) for anchor in ANCHORS for word in _finds(anchor)]
ANCHOR_WORDS: Final = tuple(dict.fromkeys(word for _, word in _ANCHOR_WORDS))
WORDS: Final = tuple(dict.fromkeys((*_KEYWORDS, *ANCHOR_WORDS)))


@lru_cache(maxsize=2)
def _finder(words: tuple[str, ...]) -> BytesAhoCorasick:
    encoded = [word.encode() for word in words]
    return BytesAhoCorasick(encoded, implementation=Implementation.DFA)


def find_words(low: str, words: tuple[str, ...] = WORDS) -> Positions:
    """Find all words in one pass over the text."""
    found: Positions = {}
    for which, start, _ in _finder(words).find_matches_as_indexes(low.encode(), overlapping=True):
        found.setdefault(words[which], []).append(start)
    return found


def find_anchors(plain: str, words: Positions) -> list[int]:
    """Return where anchors are as they are written, in order."""
    return sorted(
        {
            position
            for anchor, word in _ANCHOR_WORDS
            for position in words.get(word, ())
            if plain.startswith(anchor, position)
        }
    )


def find_needle(needle: str, low: str, words: Positions) -> list[int]:
    """Find a needle by the keyword that it is or contains, without another pass over the text."""
    if needle in words:
        return words[needle]
    word = word_in(needle)
    positions, back = words.get(word, []), needle.index(word)
    return [at - back for at in positions if at >= back and low.startswith(needle, at - back)]


@lru_cache(maxsize=64)
def word_in(needle: str) -> str:
    """Return the keyword that a needle is or contains."""
    return next(word for word in _KEYWORDS if word in needle)

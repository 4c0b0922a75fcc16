"""A word → what it looks like: a secret, a placeholder, a name, a hash."""

import re
from collections import Counter
from math import log2
from typing import Final

_PLACEHOLDER: Final = re.compile(
    r"[<{(\[]|\$[A-Z_][A-Z0-9_]*\Z|\$[A-Za-z_]+\Z|\$\$?[{(]|%\w+%\Z|%[sd(]|[*.•x_-]+\Z"
    r"|(?:vault|op|ssm|arn|env|secret|file|https?|keychain):"
    r"|(?:process|os|env|import|secrets?|var|vars|self|this|config|settings|ctx|data)\.",
    re.IGNORECASE,
)
_PLACEHOLDER_WORDS: Final = (
    *("example", "changeme", "change-me", "change_me", "placeholder", "place-holder", "redacted"),
    *(
        "your-",
        "your_",
        "yourkey",
        "dummy",
        "replaceme",
        "replace-",
        "replace_",
        "insert-",
        "insert_",
    ),
    *("process.env", "environ", "getenv", "${", "{{", "#{"),
    *("0123456789abcdef", "1234567890abcdef", "abcdefghijklmnop"),
)
_FILLER: Final = re.compile(r"[xX]{4,}|[*•]{3,}|\.{3,}|…+")
_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[^\W\d_]")
_EMPTY_WORDS: Final = """
any auto basic bearer bool boolean bytes credentials default disabled empty enabled false file
hidden int invalid key missing none null number object optional pass passphrase passwd password pwd
required secret secrets str string test text token true undefined unknown user username valid value
"""
_EMPTY: Final = frozenset(_EMPTY_WORDS.split())
_PIECE: Final = r"(?:(?:[A-Za-z]{3,}\d{1,2})*[A-Za-z]{2,}\d{0,2}|[A-Za-z]\d?|\d{1,4})"
_WORDY: Final = re.compile(rf"{_PIECE}(?:[ _\-./:@+]{{1,2}}{_PIECE})*")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX: Final = re.compile(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)")
_IDENTIFIED: Final = re.compile(
    r"(?:toolu|srvtoolu|msg|req|sess|session|agent|call|chatcmpl|resp|run|file|wf|cse|chunk|asst"
    r"|thread|evt|pi|cus|sub|price|prod|in|ch|pm|pk)_|sha(?:1|256|384|512)[-:]|Qm[1-9A-Z]|baf[yk]"
)
_PICTURE: Final = re.compile(r"iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0|PHN2Zy|Qk0|AAAA")
_SWITCH: Final = re.compile(r"[a-z][A-Z]|[A-Z][a-z](?=[A-Z0-9])|\d[A-Za-z]|[A-Za-z]\d")
_MOST: Final = 512
_LEFT_OVER: Final = 16
_FEWEST_SIGNS: Final = 3


def entropy(word: str) -> float:
    """Return Shannon's entropy of a word, in bits per character."""
    size = len(word)
    return -sum(n / size * log2(n / size) for n in Counter(word).values())


def is_placeholder(word: str) -> bool:
    """Return whether a word only is where a secret would: `<token>`, `xxxx`, `${TOKEN}`."""
    head = word[:_MOST]
    rest = _FILLER.sub("", head)
    # What is left of a secret that was cut short or joined to something is a secret still.
    if rest != head:
        if len(rest) < _LEFT_OVER or not has_digit_and_letter(rest):
            return True
        head = rest
    low = head.lower()
    return (
        low in _EMPTY
        or len(set(head)) < _FEWEST_SIGNS
        or _PLACEHOLDER.match(head) is not None
        or ("<" in head and ">" in head)
        or any(word in low for word in _PLACEHOLDER_WORDS)
    )


def is_wordy(word: str) -> bool:
    """Return whether a word is made of names and small numbers, as identifiers and paths are."""
    head = word[:_MOST]
    return _WORDY.fullmatch(head) is not None and not is_scrambled(head)


def is_scrambled(word: str) -> bool:
    """Return whether case and digits change as often as chance has it, unlike in camelCase."""
    return len(word) >= 12 and len(_SWITCH.findall(word)) * 4 >= len(word)  # noqa: PLR2004


def is_hex(word: str) -> bool:
    """Return whether a word is a number in base 16, as hashes are."""
    return _HEX.fullmatch(word) is not None


def is_known_id(word: str) -> bool:
    """Return whether a word is an id, a hash or a picture that says what it is."""
    return bool(_UUID.match(word) or _IDENTIFIED.match(word) or _PICTURE.match(word))


def has_digit_and_letter(word: str) -> bool:
    """Return whether a word mixes the two."""
    head = word[:_MOST]
    return _DIGIT.search(head) is not None and _LETTER.search(head) is not None


def is_random(word: str) -> bool:
    """Return whether a word of 32 characters or more looks random, with all kinds of characters."""
    if not 32 <= len(word) <= _MOST or is_known_id(word) or is_placeholder(word):  # noqa: PLR2004
        return False
    kinds = (str.islower, str.isupper, str.isdigit)
    return (
        all(any(kind(sign) for sign in word) for kind in kinds)
        and entropy(word) >= 4.2  # noqa: PLR2004 (English is near 4, base64 by lot near 5)
        and is_scrambled(word)
    )

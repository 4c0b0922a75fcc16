"""The strings of a tree, in order → private keys whose lines are strings of their own.

So are the lines of a diff and the fields of an input: no string alone looks like a key.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from clew.redact.hidden import without_hidden
from clew.redact.private_keys import BEGIN, BETWEEN, BODY, END, FILE, PUTTY, RULE
from clew.redact.spans import SecretSpan

_SIGNS: Final = ("PRIVATE KEY", "Private-Lines: ")
_HEADS: Final = ("-----BEGIN ", "Private-Lines: ")
_OPENS: Final = re.compile(rf"(?:{BEGIN}|{PUTTY}){BODY}{BETWEEN}")
_BETWEEN: Final = re.compile(BETWEEN)
_END: Final = re.compile(END)
_NAMED: Final = rf"(?:{FILE}(?=[A-Za-z0-9+/]{{16}}))?+"
_PIECE: Final = re.compile(rf"{_NAMED}{BODY}{BETWEEN}")
_SHORT_PIECE: Final = re.compile(rf"{BETWEEN}[A-Za-z0-9+/]{{1,15}}={{0,2}}{BETWEEN}")
_RUN: Final = re.compile(r"[A-Za-z0-9+/]{16}")
# Paths and constants have no such mixture.
_MIXED: Final = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)", re.DOTALL)
_GUTTER: Final = re.compile(rf"{_NAMED}(?:[\s\"'`+|>→#*,:-]|\d{{1,6}}(?=[\s→|:]))*+")
_TRAILING: Final = " \t\r\n\"'`+|>→#*,.;:-\\"
# Between two pieces there may be the name of a field, a language, a path.
_NAME: Final = re.compile(r"[\w .-]{0,40}")
_MOST_NAMES: Final = 6


def find_split_keys(strings: Sequence[str]) -> list[tuple[str, ...]]:
    """Find keys whose first or last line is a string, and return the strings with their bodies."""
    whole = "\0".join(strings)
    if not any(sign in whole for sign in _SIGNS):
        return []
    keys: list[tuple[str, ...]] = []
    known: set[str] = set()
    for at, text in enumerate(strings):
        pieces = _pieces_at(strings, at) if any(sign in text for sign in _SIGNS) else ()
        # A key with both lines is found from both of them.
        if not known.issuperset(pieces):
            keys.append(pieces)
            known.update(pieces)
    return keys


def span_of_piece(piece: str) -> SecretSpan:
    """Return the span of a piece to mask: without a gutter before it, such as that of a diff."""
    gutter, end = _GUTTER.match(piece), len(piece.rstrip(_TRAILING))
    start = gutter.end() if gutter and gutter.end() < end else 0
    return SecretSpan(start, end or len(piece), RULE)


def _pieces_at(strings: Sequence[str], at: int) -> tuple[str, ...]:
    text = without_hidden(strings[at])
    if _OPENS.fullmatch(text, max(0, *map(text.rfind, _HEADS))):
        return tuple(_pieces(strings, range(at + 1, len(strings))))
    if _closes(text):
        return tuple(_pieces(strings, range(at - 1, -1, -1)))[::-1]
    return ()


def _pieces(strings: Sequence[str], places: range) -> Iterator[str]:
    """Return the strings that are pieces of a key, up to the first that is no part of it."""
    is_first, names, all_names = True, 0, 0
    for at in places:
        text = without_hidden(strings[at])
        is_last = not (is_first or all_names) and _is_last(strings, at)
        if is_last or _is_piece(text, is_first=is_first):
            yield strings[at]
            is_first, names = False, 0
        elif names < _MOST_NAMES and _NAME.fullmatch(text):
            names, all_names = names + 1, all_names + 1
        else:
            return


def _is_piece(text: str, *, is_first: bool) -> bool:
    is_body = _RUN.search(text) and _PIECE.fullmatch(text)
    return bool(is_body and not (is_first and not _MIXED.match(text)))


def _is_last(strings: Sequence[str], at: int) -> bool:
    """Return whether this is the end of a body that the key's last line follows."""
    after = strings[at + 1] if at + 1 < len(strings) else ""
    is_short = _SHORT_PIECE.fullmatch(without_hidden(strings[at])) is not None
    return is_short and _closes(without_hidden(after))


def _closes(text: str) -> bool:
    end = text.find("-----END ")
    return end >= 0 and bool(_END.match(text, end) and _BETWEEN.fullmatch(text, 0, end))

"""A text → the blocks of private keys in it, whole or cut."""

import re
from collections.abc import Iterator
from typing import Final

from clew.redact.keywords import Positions, find_needle
from clew.redact.spans import AsciiView, SecretSpan, find_all

RULE: Final = "private-key"
BEGIN: Final = r"-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----"
END: Final = r"-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----"
PUTTY: Final = r"Private-Lines: \d{1,3}"
# What a search writes before a line: the name of its file, and the line's number.
FILE: Final = r"[\w./-]{1,120}+[:-](?:\d{1,6}[:-])?+"
# Between two lines of a key: line ends, also as escapes; quotes, gutters, signs of a diff.
BETWEEN: Final = (
    rf"(?:\\[nr]|(?<=\n){FILE}(?=[A-Za-z0-9+/]{{16}})|[\s\"'`+|>→#*,.;:-]|\d{{1,6}}(?=[\s→|:]))*+"
)
BODY: Final = (
    rf"(?:{BETWEEN}(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{{1,80}}+"
    r"|[A-Za-z0-9+/]{16,}+={0,2}|[A-Za-z0-9+/]{1,15}={1,2}))*+"
)
_BEGIN: Final = re.compile(BEGIN)
_BODY: Final = re.compile(BODY)
_END: Final = re.compile(END)
_HOLDS_BODY: Final = re.compile(r"[A-Za-z0-9+/]{16}")
_LINE: Final = re.compile(rf"(?:{FILE})?[\s\d→|+>\"'`,-]*[A-Za-z0-9+/]{{16,}}={{0,2}}[\s\"'`,+\\]*")
_GUTTER: Final = re.compile(rf"(?:{FILE})?[\s\d→|+>\"'`,-]*")
_PUTTY: Final = re.compile(PUTTY)
_LONGEST: Final = 20_000
NEEDLES: Final = ("private key", "private-lines: ")


def find_private_keys(view: AsciiView, words: Positions) -> Iterator[SecretSpan]:
    """Find blocks from first to last line; where one is missing, as far as the key goes."""
    block, putty = NEEDLES
    if find_needle(block, view.low, words):
        yield from _find_blocks(view.text, view.plain)
    last = 0
    for position in find_needle(putty, view.low, words):
        head = _PUTTY.match(view.text, position) if position >= last else None
        body = _BODY.match(view.text, head.end()) if head else None
        if body and body[0]:
            last = body.end()
            yield SecretSpan(body.start(), last, RULE)


def _find_blocks(text: str, plain: str) -> Iterator[SecretSpan]:
    begins = find_all("-----BEGIN ", plain)
    for begin, limit in zip(begins, [*begins[1:], len(plain)], strict=False):
        yield from _block_from(text, begin, limit)
    last = 0
    for end in find_all("-----END ", plain):
        yield from _block_up_to(text, max(last, end - _LONGEST), end)
        last = end


def _block_from(text: str, begin: int, limit: int) -> Iterator[SecretSpan]:
    head = _BEGIN.match(text, begin)
    if not head:
        return
    end = text.find("-----END ", head.end(), min(limit, head.end() + _LONGEST))
    tail = _END.match(text, end) if end >= 0 else None
    if tail and _HOLDS_BODY.search(text, head.end(), end):
        yield SecretSpan(begin, tail.end(), RULE)
        return
    body = _BODY.match(text, head.end(), limit)
    if body and _HOLDS_BODY.search(body[0]):
        yield SecretSpan(begin, body.end(), RULE)


def _block_up_to(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """Find what is left of a key whose first lines are cut off."""
    tail = _END.match(text, end)
    if not tail:
        return
    *lines, gutter = re.split(r"(?<=\n)|(?<=\\n)", text[start:end])
    if not _GUTTER.fullmatch(gutter):
        lines.append(gutter)
        gutter = ""
    first = last = end - len(gutter)
    for line in reversed(lines):
        if line and not _LINE.fullmatch(line):
            break
        first -= len(line)
    if first < last:
        yield SecretSpan(first, tail.end(), RULE)

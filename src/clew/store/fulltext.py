"""Text as the index wants it: identifiers and CJK runs cut into words that can be found.

`fooBar` is indexed as `foo Bar`, `HTMLParser` as `HTML Parser`, and each CJK sign and emoji stands
alone; a query is cut the same way, so that a whole is found as a phrase and a part as a word.
"""

import re
from itertools import pairwise
from typing import Final

_CLASSES: Final = (
    bytes(
        ord("a")
        if chr(code).islower()
        else ord("0")
        if chr(code).isdigit()
        else ord("A")
        if chr(code).isupper()
        else ord(" ")
        for code in range(128)
    )
    + b" " * 128
)
# Where a word begins within an identifier. Two small letters tell a word behind a run of capitals
# from a plural, as in `URLs`.
_SEAM: Final = re.compile(rb"A(?<=[aA0]A)(?:(?<!AA)|(?=aa))")
ALONE: Final = re.compile(
    "(["
    "\u3000-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U0001f000-\U0001faff\U00020000-\U0003ffff"
    "])"
)
# The first bytes of all these signs: a text without them need not be searched for them.
_ALONE_STARTS: Final = bytes(range(0xE3, 0xF5))
# How a file is printed for the model: each line behind its number.
_NUMBERED: Final = re.compile(r" *\d+[→\t]")
_NUMBERED_LINE: Final = re.compile(rf"\n{_NUMBERED.pattern}")


def result_words(text: str) -> str:
    """Cut a tool's result into words; the numbers of printed lines are nothing to search for."""
    first = _NUMBERED.match(text)
    return to_words(_NUMBERED_LINE.sub("\n", text[first.end() :]) if first else text)


def to_words(text: str) -> str:
    """Cut a text so that parts of identifiers, CJK signs and emoji become words."""
    raw = text.encode("utf-8", "replace")
    if len(raw) != len(text) and len(raw.translate(None, _ALONE_STARTS)) != len(raw):
        text = " ".join(ALONE.split(text))
        raw = text.encode("utf-8", "replace")
    cuts = [seam.start() for seam in _SEAM.finditer(raw.translate(_CLASSES))]
    if not cuts:
        return text
    words = [raw[start:end] for start, end in pairwise([0, *cuts, len(raw)])]
    return b" ".join(words).decode("utf-8", "replace")

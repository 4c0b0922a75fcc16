"""Text as the index wants it: identifiers and CJK runs cut into words that can be found.

`fooBar` is indexed as `foo Bar`, and each CJK sign and emoji stands alone; a query is cut the same
way, so that a whole is found as a phrase and a part as a word.
"""

import re
from typing import Final

_CLASSES: Final = (
    bytes(
        ord("a")
        if chr(code).islower() or chr(code).isdigit()
        else ord("A")
        if chr(code).isupper()
        else ord(" ")
        for code in range(128)
    )
    + b" " * 128
)
ALONE: Final = re.compile(
    "(["
    "\u3000-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U0001f000-\U0001faff\U00020000-\U0003ffff"
    "])"
)
# The first bytes of all these signs: a text without them need not be searched for them.
_ALONE_STARTS: Final = bytes(range(0xE3, 0xF5))


def to_words(text: str) -> str:
    """Cut a text so that parts of identifiers, CJK signs and emoji become words."""
    raw = text.encode("utf-8", "replace")
    if len(raw) != len(text) and len(raw.translate(None, _ALONE_STARTS)) != len(raw):
        text = " ".join(ALONE.split(text))
        raw = text.encode("utf-8", "replace")
    pieces = raw.translate(_CLASSES).split(b"aA")
    if len(pieces) == 1:
        return text
    words: list[bytes] = []
    start = 0
    # Each cut falls between the small and the capital letter, which the split took away.
    for piece in pieces[:-1]:
        end = start + len(piece) + (1 if not words else 2)
        words.append(raw[start:end])
        start = end
    words.append(raw[start:])
    return b" ".join(words).decode("utf-8", "replace")

"""Names of files as text that any program can keep.

A name may contain bytes that are not text; Python uses halves of surrogate pairs for them, which
neither a database nor JSON takes. Here each becomes a sign for private use, which no keyboard has.
A name that has such a sign of its own gets two in its place, one for each half of its pair in
UTF-16: halves side by side are always a pair, so no two names become the same text.
"""

import os
import re
from typing import Final

_HALVES: Final = range(0xD800, 0xE000)
_FIRST_SIGN: Final = 0x10F800
_TO_SIGNS: Final = {half: _FIRST_SIGN + number for number, half in enumerate(_HALVES)}
_OWN_SIGN: Final = re.compile("[\U0010f800-\U0010ffff]")
# The two first halves that these signs have in UTF-16, and any second half.
_PAIR: Final = re.compile("[\U0010fbfe\U0010fbff][\U0010fc00-\U0010ffff]")
# Where names are bytes, only these halves stand for any; archives from before names were told
# apart have other signs in names that contain them.
_ESCAPES: Final = _HALVES if os.name == "nt" else range(0xDC80, 0xDD00)
_TO_HALVES: Final = {_TO_SIGNS[half]: half for half in _ESCAPES}


def to_text(name: str) -> str:
    """Return a name or a path as text."""
    if name.isascii():
        return name
    return _OWN_SIGN.sub(lambda found: _halves(found[0]), name).translate(_TO_SIGNS)


def to_name(text: str) -> str:
    """Return the name or the path that a text means, as the system knows it."""
    if text.isascii():
        return text
    parts = _PAIR.split(text)
    own = [_joined(pair) for pair in _PAIR.findall(text)]
    names = [part.translate(_TO_HALVES) for part in parts]
    return "".join(name + sign for name, sign in zip(names, [*own, ""], strict=True))


def _halves(sign: str) -> str:
    raw = sign.encode("utf-16-be")
    return "".join(chr(int.from_bytes(raw[at : at + 2])) for at in (0, 2))


def _joined(pair: str) -> str:
    halves = (_HALVES[ord(sign) - _FIRST_SIGN] for sign in pair)
    return b"".join(half.to_bytes(2) for half in halves).decode("utf-16-be")

"""Text of a transcript → lines of a request that are plainly data.

Each line of it begins with a bar, and the request's own lines never do: whatever a transcript says,
it can neither end its frame nor pass for another message.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from clew.digest.plain import flatten
from clew.storable import storable

BAR: Final = "| "
LEFT_OUT: Final = "[…]"
"""Stands where text was left out."""
_TAG: Final = "transcript"
_FORGED: Final = re.compile(rf"<(?=\s*/?\s*{_TAG})", re.IGNORECASE)
_HIDDEN: Final = ("Cc", "Cf", "Cn", "Co", "Cs")


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text: one for four bytes."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def frame(lines: Iterable[str], title: str = "") -> str:
    """Put the lines of a request between tags that none of them can write."""
    opening = f"<{_TAG} {title}>" if title else f"<{_TAG}>"
    return "\n".join([opening, *lines, f"</{_TAG}>"])


def data_lines(text: str) -> list[str]:
    """Return the lines of a text, each behind a bar, without characters that nobody sees."""
    return [f"{BAR}{_clean(line)}".rstrip() for line in storable(text).strip().splitlines()]


def data_line(text: str, length: int) -> str:
    """Return a text on one line of limited length."""
    flat = _clean(flatten(text))
    return flat if len(flat) <= length else f"{flat[: length - 1]}…"


def _clean(line: str) -> str:
    seen = line.expandtabs(4)
    if not seen.isprintable():
        seen = "".join(sign for sign in seen if unicodedata.category(sign) not in _HIDDEN)
    return _FORGED.sub("\u2039", seen)

"""Names that people give: of organisations, members, projects and devices."""

import re
import unicodedata
from typing import Final

from clew.errors import UsageError

MAX_LABEL: Final = 200
_MEMBER: Final = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,99}")


class BadNameError(UsageError):
    """A name cannot be used."""


def member_name(text: str) -> str:
    """Return the name that a member logs in with: without regard to case.

    Few characters are allowed, so that no name can be mistaken for another.

    Raises:
        BadNameError: It has others, or is too long.
    """
    name = text.strip().lower()
    if _MEMBER.fullmatch(name) is None:
        raise BadNameError(
            f"{text[:100]!r} is not a name of a member; use letters a-z, digits and . _ @ + -"
        )
    return name


def label(text: str, what: str) -> str:
    """Return the name of something else: one line of text.

    Raises:
        BadNameError: It is empty, too long, or has characters that cannot be shown.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not 0 < len(name) <= MAX_LABEL or not name.isprintable():
        raise BadNameError(
            f"{text[:100]!r} is not a name of a {what}; use 1 to {MAX_LABEL} printable characters"
        )
    return name

"""Text as every database takes it.

PostgreSQL refuses NUL, and nothing can store half a surrogate pair. So rows, and whatever is
compared with them, have another character in place of each; archived bytes stay as they are.
"""

import re
from typing import Any, Final

import msgspec

_NUL: Final = "\0"
# It separates words, as NUL did.
_BLANK: Final = " "
ESCAPED_NUL: Final = "\\u0000"
"""A NUL in JSON."""
_HALF: Final = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """Replace each NUL and each half of a surrogate pair; the length stays the same."""
    if _NUL in text:
        text = text.replace(_NUL, _BLANK)
    if text.isascii():
        return text
    try:
        # The fastest encoding for most text.
        text.encode("utf-16-le")
    except UnicodeEncodeError:
        return _HALF.sub("\ufffd", text)
    return text


def storable_value(value: Any) -> Any:
    """Make all text in a value storable: that of lists, tuples and mappings too."""
    match value:
        case str():
            return storable(value)
        case list() | tuple():
            return type(value)(map(storable_value, value))
        case dict():
            return {storable_value(key): storable_value(item) for key, item in value.items()}
        case _:
            return value


def storable_json(text: str) -> str:
    """Make JSON storable: a database that decodes it refuses an escaped NUL as well."""
    text = storable(text)
    if ESCAPED_NUL not in text:
        return text
    try:
        return msgspec.json.encode(storable_value(msgspec.json.decode(text))).decode()
    except (msgspec.DecodeError, RecursionError):
        return text

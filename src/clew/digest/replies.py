"""The text of a model's reply → the JSON object in it."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.digest.errors import ReplyError

REPLY_LENGTH: Final = 200_000
"""So many characters of a reply are read; a longer one is refused."""
CLAIM_LISTS: Final = ("summary", "decisions", "open_items")
_FENCED: Final = re.compile(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL | re.IGNORECASE)


def read_reply(text: str) -> dict[str, Any]:
    """Return the object in a reply, alone, in a fence or among words, with lists where due.

    Raises:
        ReplyError: There is no object, or it has other keys or types than those asked for.
    """
    if len(text) > REPLY_LENGTH:
        raise ReplyError(f"it has more than {REPLY_LENGTH} characters")
    reply = next((value for value in map(_decode, _candidates(text)) if value is not None), None)
    if reply is None:
        raise ReplyError("there is no JSON object in it" if text.strip() else "it is empty")
    for name in CLAIM_LISTS:
        if not isinstance(reply.get(name, []), list | None):
            raise ReplyError(f"`{name}` is not a list")
    if not isinstance(reply.get("summary"), list):
        raise ReplyError("it has no `summary`")
    return reply


def _candidates(text: str) -> Iterator[str]:
    yield text
    if fenced := _FENCED.search(text):
        yield fenced[1]
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        yield text[start : end + 1]


def _decode(text: str) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

"""Short labels: names of fields and kinds in words, the first line of a text."""

import re
from functools import lru_cache
from typing import Final

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LONGEST_TITLE: Final = 200
_ACRONYMS: Final = frozenset(("api", "id", "ide", "json", "mcp", "url", "uuid"))
# A text may begin with pages of white space; nobody looks further for its first words.
_LOOK_AT: Final = 4000


@lru_cache(maxsize=256)
def humanize(name: str) -> str:
    """Write a name of the data as words: `hookEvent` and `hook_event` are "hook event"."""
    return _HUMP.sub(" ", name).replace("_", " ").replace("-", " ").strip().lower()


def field_label(name: str) -> str:
    """Write a name of the data as a label: `hookEvent` is "Hook event"."""
    first, _, rest = humanize(name).partition(" ")
    first = first.upper() if first in _ACRONYMS else first.capitalize()
    return f"{first} {rest}".rstrip()


def summary_line(text: str) -> str:
    """Return the first line that says something, cut where it is longer than a title."""
    line = text[:_LOOK_AT].lstrip().partition("\n")[0]
    words = " ".join(line.split())
    return words if len(words) <= _LONGEST_TITLE else f"{words[: _LONGEST_TITLE - 1]}…"

"""Short words for a line: names of fields and kinds, the beginning of a text."""

import re
from functools import lru_cache
from typing import Final

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LONGEST_TITLE: Final = 200
# A text may begin with pages of white space; nobody looks further for its first words.
_LOOK_AT: Final = 4000


@lru_cache(maxsize=256)
def humanize(name: str) -> str:
    """Write a name of the data as words: `hookEvent` and `hook_event` are "hook event"."""
    return _HUMP.sub(" ", name).replace("_", " ").replace("-", " ").strip().lower()


def summary_line(text: str) -> str:
    """Give the first line that says something, cut where it is longer than a title."""
    line = text[:_LOOK_AT].lstrip().partition("\n")[0]
    words = " ".join(line.split())
    return words if len(words) <= _LONGEST_TITLE else f"{words[: _LONGEST_TITLE - 1]}…"

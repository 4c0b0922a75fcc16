"""Tags that the client writes around commands and their output, taken out of what is shown."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from clew.search.snippets import Match

_TAG: Final = re.compile(
    r"</?(?:command-(?:name|message|args|contents)|skill-format|bash-(?:input|stdout|stderr)"
    r"|local-command-(?:stdout|stderr|caveat)|user-memory-input|system-reminder)>"
)


def without_tags(text: str, matches: Sequence[Match]) -> tuple[str, list[Match]]:
    """Put a space in place of each tag, and move the matches with their text."""
    tags = [(tag.start(), tag.end()) for tag in _TAG.finditer(text)]
    if not tags:
        return text, list(matches)
    starts = [start for start, _ in tags]
    removed = [0, *accumulate(end - start - 1 for start, end in tags)]

    def moved(place: int) -> int:
        """Where a place is now; one inside of a tag is where the tag was."""
        number = bisect_right(starts, place)
        if number and place < tags[number - 1][1]:
            return starts[number - 1] - removed[number - 1]
        return place - removed[number]

    shown = [Match(moved(one.start), moved(one.end), one.number) for one in matches]
    return _TAG.sub(" ", text), [one for one in shown if one.start < one.end]

"""Tags that the client writes around commands, news and messages, taken out of what is shown."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from clew.search.snippets import Match

_NAMES: Final = (
    r"command-(?:name|message|args|contents)|skill-format|bash-(?:input|stdout|stderr)"
    r"|local-command-(?:stdout|stderr|caveat)|user-memory-input|system-reminder"
    r"|(?:task|bash|agent)-notification|task-id|tool-use-id|output-file"
    r"|(?:teammate|agent|cross-session)-message|ide_(?:opened_file|selection|diagnostics)"
    r"|tool_use_error|persisted-output"
)
# Words that others use in tags too; only in news of tasks they are the client's.
_NEWS_NAMES: Final = "status|summary|result|usage|total_tokens|tool_uses|duration_ms"
_ATTRIBUTES: Final = r"(?:\s+[a-z_-]+=\"[^\"]*\")*\s*"
_TAG: Final = re.compile(rf"</?(?:{_NAMES}){_ATTRIBUTES}>")
_NEWS_TAG: Final = re.compile(rf"</?(?:{_NAMES}|{_NEWS_NAMES}){_ATTRIBUTES}>")
_NEWS: Final = "-notification>"


def without_tags(text: str, matches: Sequence[Match]) -> tuple[str, list[Match]]:
    """Put a space in place of each tag, and move the matches with their text."""
    tag_of = _NEWS_TAG if _NEWS in text else _TAG
    tags = [(tag.start(), tag.end()) for tag in tag_of.finditer(text)]
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
    return tag_of.sub(" ", text), [one for one in shown if one.start < one.end]

"""Find the text of a result that no part shows.

Most parts are made from structured data: a diff, a list, a status. The text that the model saw can
have more lines than these show; they are shown as well, so that nothing is lost.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, assert_never

from clew.parts import (
    Checklist,
    Code,
    Diff,
    Document,
    Fields,
    Fold,
    Image,
    Links,
    Listing,
    Note,
    Output,
    Part,
    Prose,
    Table,
    Words,
)
from clew.tools.result_text import is_numbered

_WORD: Final = re.compile(r"\w+")
# The tab behind the number of an empty last line may be cut off with the text's own blanks.
_NUMBERS: Final = re.compile(r"\n {0,16}\d{1,12}(?:→|\t|\Z)", re.ASCII)
_FEW: Final = 40


def find_unshown_lines(text: str, parts: Sequence[Part]) -> str:
    """Return the lines of `text` that no part shows, neither as a line nor word by word.

    If parts show lines of a file, line numbers in the text are ignored.
    """
    if any(_is_whole(text, part) for part in parts):
        return ""
    shown = "\n".join(part_texts(parts))
    bare = text.strip()
    if bare in shown:
        return ""
    if any(_has_numbers(part) for part in parts):
        bare = _NUMBERS.sub("\n", f"\n{text}").strip()
        if bare in shown:
            return ""
    lines = _without_lines(bare, shown) if "\n" in bare else [bare]
    words = _ShownWords(shown.casefold() if lines else "")
    return "\n".join([line for line in lines if not words.contain(line.casefold())])


def part_texts(parts: Iterable[Part]) -> Iterator[str]:
    """List all texts in parts, except image data."""
    for part in parts:
        yield from _texts(part)


class _ShownWords:
    """The words that parts show; they are split only for long lines."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words: set[str] | None = None

    def contain(self, line: str) -> bool:
        """Whether all words of a line are shown."""
        words = _WORD.findall(line)
        if len(words) <= _FEW:
            return all(word in self._text for word in words)
        if self._words is None:
            self._words = set(_WORD.findall(self._text))
        return self._words.issuperset(words)


def _is_whole(text: str, part: Part) -> bool:
    """Whether a part is exactly this text, as in most calls; cheaper than a search."""
    match part:
        case Output():
            return part.text == text
        case Code(first_line=int(first_line)):
            return is_numbered(text, part.text, first_line)
        case _:
            return False


def _without_lines(text: str, shown: str) -> list[str]:
    known = set(shown.split("\n"))
    return [line for line in text.split("\n") if line not in known and not line.isspace()]


def _has_numbers(part: Part) -> bool:
    return isinstance(part, Diff) or (isinstance(part, Code) and part.first_line is not None)


def _texts(part: Part) -> Iterator[str]:
    match part:
        case Prose() | Words() | Note():
            yield part.text
        case Code():
            yield from (part.path, part.text)
        case Output():
            yield from (part.name, part.text)
        case Diff():
            yield part.path
            yield from (line[1:] for hunk in part.hunks for line in hunk.lines)
        case Table():
            yield from part.columns
            yield from (cell for row in part.rows for cell in row)
        case Fields():
            yield from (word for pair in part.pairs for word in pair)
        case Listing():
            yield from part.items
        case Links():
            for link in part.links:
                yield from (link.url, link.title, link.note)
        case Checklist():
            for item in part.items:
                yield from (item.text, item.state, item.note, item.change)
        case Image():
            yield from (part.text, part.url)
        case Document():
            yield part.name
        case Fold():
            yield part.title
            yield from part_texts(part.parts)
        case _:
            assert_never(part)

"""Titles of digests: of words that were said in the session."""

import re
from collections.abc import Iterable
from typing import Final

from clew.digest.model import TITLE_LENGTH
from clew.digest.plain import cut, flatten, is_plain, strip_lead, strip_markdown
from clew.digest.quotes import Mask

_WORD: Final = re.compile(r"[^\W_]+")
_WITHOUT_SPACES: Final = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
# Words that say nothing by themselves; "no" and "not" are not among them.
_SMALL_WORDS: Final = frozenset(
    {"a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "into", "is", "it"}
    | {"its", "of", "on", "or", "the", "to", "via", "with"}
)


class SessionWords:
    """The words that were said in a session, without its secrets and the marks in their place."""

    def __init__(self, said: Iterable[str], masked: Iterable[str]) -> None:
        self._texts = tuple("\n".join(texts).casefold() for texts in (said, masked))
        said_words, masked_words = map(_WORD.findall, self._texts)
        self._words = frozenset(said_words).intersection(masked_words)

    def has_all(self, title: str) -> bool:
        """Return whether each word of a title was said, and one of them says something."""
        words = _WORD.findall(title.casefold())
        return not _SMALL_WORDS.issuperset(words) and all(map(self._has, words))

    def _has(self, word: str) -> bool:
        is_run = bool(_WITHOUT_SPACES.search(word))
        return word in self._words or (is_run and all(word in text for text in self._texts))


def check_title(value: object, words: SessionWords, mask: Mask) -> str:
    """Return a title in plain text; nothing if a word of it was not said."""
    if not isinstance(value, str) or len(value) > 2 * TITLE_LENGTH or "](" in value:
        return ""
    title = _clean(value, mask)
    return title if words.has_all(title) else ""


def first_title(titles: Iterable[str], mask: Mask) -> str:
    """Return the first of some titles that has words and no secrets, in plain text."""
    return next(filter(None, (_clean(title, mask) for title in titles)), "")


def _clean(title: str, mask: Mask) -> str:
    flat = strip_markdown(strip_lead(flatten(title))).strip("\"'\u201c\u201d\u2018\u2019. ")
    return cut(flat, TITLE_LENGTH) if is_plain(flat) and mask(flat) == flat else ""

"""The words of a text → literals of type `tsvector`, with a position for each word.

PostgreSQL's own parser would cut texts in another way than FTS5, so it never sees them. What a
`tsvector` cannot hold silently disappears from it: positions beyond 16,383, and all but 256
positions of a word. So a long text becomes several parts, each of which repeats the last words of
the one before it, for phrases.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain
from typing import Final, NamedTuple

OVERLAP: Final = 32
"""A phrase of one word more than this is always within one part."""
MOST_WORDS: Final = 16_000
_MOST_POSITIONS: Final = 255
# A vector ends at 1 MiB, of which positions take at most 100 KB.
_MOST_BYTES: Final = 900_000
# A word ends at 2,046 bytes.
_LONGEST: Final = 1_900
_MOST_BYTES_OF_A_SIGN: Final = 4
# FTS5 ignores what follows.
_FTS5_LONGEST: Final = 32_768
_ENDINGS: Final = tuple(f"':{position} '" for position in range(1, MOST_WORDS + 1))


class VectorPart(NamedTuple):
    """A part of a text: the number of its first word, whether it is all of it, its words."""

    first_word: int
    is_whole: bool
    vector: str


def to_parts(words: Sequence[str]) -> Iterator[VectorPart]:
    """Cut the words of a text into as few parts as possible."""
    start = end = 0
    while end < len(words):
        end = _end_of_part(words, start)
        yield VectorPart(start, end - start == len(words), _write_vector(words[start:end]))
        start = end - OVERLAP


def to_lexeme(word: str) -> str:
    """Return a word as vectors have it: a very long one as its beginning and its checksum."""
    if len(word) <= _LONGEST // _MOST_BYTES_OF_A_SIGN:
        return word
    raw = word.encode("utf-8", "replace")
    if len(raw) <= _LONGEST:
        return word
    return beginning_of(word) + sha256(raw[:_FTS5_LONGEST]).hexdigest()


def cut_word(word: str) -> str:
    """Return a word as FTS5 has it."""
    if len(word) <= _FTS5_LONGEST // _MOST_BYTES_OF_A_SIGN:
        return word
    return word.encode("utf-8", "replace")[:_FTS5_LONGEST].decode("utf-8", "ignore")


def beginning_of(word: str) -> str:
    """Return as much of a word as vectors have of it, whatever its length."""
    return word.encode("utf-8", "replace")[:_LONGEST].decode("utf-8", "ignore")


def to_lexemes(words: list[str]) -> list[str]:
    """Return words as vectors have them."""
    if not words or len(max(words, key=len)) <= _LONGEST // _MOST_BYTES_OF_A_SIGN:
        return words
    return [to_lexeme(word) for word in words]


def _write_vector(words: Sequence[str]) -> str:
    """Write words with their positions; they have only letters, digits and signs, no quotes."""
    return ("'" + "".join(chain.from_iterable(zip(words, _ENDINGS, strict=False))))[:-1]


def _end_of_part(words: Sequence[str], start: int) -> int:
    """Return up to which word a part can go: mostly to the end, which is quick to see."""
    some = words[start : start + MOST_WORDS]
    is_varied = len(some) <= _MOST_POSITIONS or max(Counter(some).values()) <= _MOST_POSITIONS
    if is_varied and sum(map(len, some)) * _MOST_BYTES_OF_A_SIGN <= _MOST_BYTES:
        return start + len(some)
    return start + _count_fitting(some)


def _count_fitting(words: Sequence[str]) -> int:
    counts: Counter[str] = Counter()
    size = 0
    for number, word in enumerate(words):
        counts[word] += 1
        size += len(word) * _MOST_BYTES_OF_A_SIGN
        if counts[word] > _MOST_POSITIONS or size > _MOST_BYTES:
            return number
    return len(words)

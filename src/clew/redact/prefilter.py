"""Many texts → those among them in which something may be found.

A page has thousands of texts, most of them short and nearly all without a secret. They are joined
and searched as one; only those in which something is found that way are worth a look each.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Final

from clew.redact.spans import AsciiView, SecretSpan, ascii_view

# A line's end ends every value, and the other signs end every gap: no rule reads so far into the
# next text that it would pass over something there.
_BETWEEN: Final = "\n;\0\n;\0\n"
_AT_ONCE: Final = 1 << 20


def prefilter_texts(
    texts: Iterable[str], find: Callable[[AsciiView], Iterable[SecretSpan]]
) -> set[str]:
    """Return all texts in which `find` finds something, and perhaps a few others."""
    distinct = dict.fromkeys(texts)
    # Joined with others, ASCII would lose the speed of it.
    plain = [text for text in distinct if text.isascii()]
    others = [text for text in distinct if not text.isascii()]
    batches = (batch for group in (plain, others) for batch in _batches(group))
    return {text for batch in batches for text in _candidates_of(batch, find)}


def _batches(texts: list[str]) -> Iterator[list[str]]:
    """Put texts together, so that no copy of them all is made at once."""
    ends = list(accumulate(map(len, texts)))
    first = reached = 0
    while first < len(texts):
        last = bisect_left(ends, reached + _AT_ONCE)
        yield texts[first : last + 1]
        first, reached = last + 1, ends[min(last, len(ends) - 1)]


def _candidates_of(
    batch: list[str], find: Callable[[AsciiView], Iterable[SecretSpan]]
) -> Iterable[str]:
    """A text that has no company is not worth two looks."""
    if len(batch) == 1:
        return batch
    spans = list(find(ascii_view(_BETWEEN.join(batch))))
    starts = [*accumulate(len(text) + len(_BETWEEN) for text in batch)] if spans else []
    ranges = ((bisect_right(starts, at.start), bisect_left(starts, at.end) + 1) for at in spans)
    return [text for first, end in ranges for text in batch[first:end]]

"""The symbols of a phrase, which a text must contain: those of `C#`, `a->b`, `--flag`, `@types`.

The index knows words alone. Marks that people leave out or that an identifier is joined with mean
nothing: quotation marks, stars, underscores, a dash between letters, and punctuation at the end of
a word.
"""

import re
from functools import lru_cache
from typing import Final

import msgspec

_SYMBOL: Final = r"(?:[!#$%&()+,./:;<=>?@\[\\\]^{|}~]|(?<![^\W_])-|-(?![^\W_]))"
_GAP: Final = re.compile(rf"(\s*{_SYMBOL}(?:\s|{_SYMBOL})*)")
_ENDS: Final = re.compile(r"([.,;:!?]+)(?=\s)")
_ANY_END: Final = r"[.,;:!?]*+"
_PUNCTUATION: Final = r"[.,;:!?\s]*+"
_LAST: Final = re.compile(r"[.,;:!?]+\s*$")
_MARKS: Final = r"(?:[_'\"`*]|[^\w\s\x00-\x7f])*+"
_SPACED_MARKS: Final = r"(?:[_'\"`*\s]|[^\w\s\x00-\x7f])*+"
_FIRST_MARKS: Final = re.compile(r"^[\W_]+")
_LAST_MARKS: Final = re.compile(r"[\W_]+$")
_SPACE: Final = re.compile(r"(\s+)")


class PhraseParts(msgspec.Struct, frozen=True):
    """A phrase cut at its symbols: `before` each of the `runs` some must come, `after` the last.

    They are patterns, and empty where nothing is asked for. `skipped` is for what the phrase has
    there nevertheless, which matters where a run has no words, as in `a. _/b`.
    """

    runs: tuple[str, ...]
    before: tuple[str, ...]
    skipped: tuple[str, ...]
    after: str

    @property
    def has_symbols(self) -> bool:
        """Whether there are any to look for."""
        return bool(self.after or any(self.before))


@lru_cache(maxsize=256)
def cut_at_symbols(text: str) -> PhraseParts:
    """Cut a phrase at the symbols that a text must contain."""
    first, *rest = _GAP.split(text)
    runs, before, skipped = [first], [""], [""]
    for gap, run in zip(rest[::2], rest[1::2], strict=True):
        symbols = _to_pattern(gap, is_last=not run)
        around = _marks(_LAST_MARKS.findall(runs[-1])), _marks(_FIRST_MARKS.findall(run))
        # Marks that mean nothing may stand beside symbols, if the phrase has some there.
        before.append(symbols.join(around) if symbols else "")
        skipped.append(_PUNCTUATION.join(around))
        runs.append(run)
    after = ""
    if rest and not runs[-1]:
        runs.pop()
        skipped.pop()
        after = before.pop()
    # A phrase that begins with symbols has nothing before them.
    start = int(len(runs) > 1 and not first)
    return PhraseParts(tuple(runs[start:]), tuple(before[start:]), tuple(skipped[start:]), after)


def _to_pattern(gap: str, *, is_last: bool) -> str:
    """Let punctuation at the end of a word be there or not; all other symbols must be."""
    symbols = _LAST.sub("", gap) if is_last else gap
    wanted = _ENDS.split(symbols)
    if not "".join(wanted[::2]).strip():
        return ""
    return _ANY_END.join("".join(map(_piece_pattern, _SPACE.split(piece))) for piece in wanted[::2])


def _marks(found: list[str]) -> str:
    marks = "".join(found)
    if not marks:
        return ""
    return _SPACED_MARKS if _SPACE.search(marks) else _MARKS


def _piece_pattern(piece: str) -> str:
    if piece.isspace():
        return r"\s*"
    # A path is written with either slash, and doubled where it is quoted.
    return "".join(r"[/\\]+" if sign in "/\\" else re.escape(sign) for sign in piece)

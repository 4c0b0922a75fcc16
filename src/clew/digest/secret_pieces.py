"""Pieces of the secrets that were said in a session: a claim may not spread one over its words."""

from collections.abc import Iterator, Sequence
from typing import Final

_LENGTH: Final = 8
"""So many letters and digits in a row are a piece; fewer occur by chance."""


class SecretPieces:
    """Letters and digits in a row that only what was masked has, whatever stands between them."""

    def __init__(self, said: Sequence[str], masked: Sequence[str]) -> None:
        changed = [(text, left) for text, left in zip(said, masked, strict=True) if text != left]
        hidden = {word for text, left in changed for word in set(text.split()) - set(left.split())}
        shown = "\n".join(map(_bare, masked)) if hidden else ""
        self._pieces = {
            piece for word in hidden for piece in _pieces(_bare(word)) if piece not in shown
        }

    def occur_in(self, text: str) -> bool:
        """Return whether a text has a piece of a secret."""
        return bool(self._pieces) and not self._pieces.isdisjoint(_pieces(_bare(text)))


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _pieces(bare: str) -> Iterator[str]:
    return (bare[start : start + _LENGTH] for start in range(len(bare) - _LENGTH + 1))

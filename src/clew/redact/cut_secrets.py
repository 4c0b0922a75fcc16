"""Secrets that were found whole → their beginnings at the end of texts that were cut.

A title is cut after so many letters, also within a token, whose beginning has the form of none.
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from clew.redact.spans import SecretSpan

CUT: Final = "…"
_SHORTEST: Final = 6
_LONGEST: Final = 120
_MOST: Final = 20_000
# Names are words that many texts contain, and so are their beginnings.
_PLAIN: Final = ("user-name",)


class CutSecrets:
    """Remembers secrets, to find their beginnings."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = {}
        self._sorted: list[str] = []

    def add(self, span: SecretSpan, secret: str) -> None:
        """Remember a secret that was found."""
        is_wanted = not span.replacement and span.rule not in _PLAIN and len(secret) > _SHORTEST
        if is_wanted and len(self._rules) < _MOST:
            self._rules.setdefault(secret, span.rule)

    def find(self, text: str) -> Iterator[SecretSpan]:
        """Find the longest beginning of a secret that is at the end of a text that was cut."""
        if not text.endswith(CUT) or not self._rules:
            return
        end = len(text) - len(CUT)
        for start in range(max(0, end - _LONGEST), end - _SHORTEST + 1):
            # A secret begins where a word does.
            if start and text[start - 1].isalnum():
                continue
            secret = self.identify(text[start:end])
            if secret:
                yield SecretSpan(start, end, self._rules[secret])
                return

    def identify(self, beginning: str) -> str:
        """Return the secret that begins like this, if one does."""
        if len(self._sorted) != len(self._rules):
            self._sorted = sorted(self._rules)
        place = bisect_left(self._sorted, beginning)
        found = self._sorted[place : place + 1]
        return found[0] if found and found[0].startswith(beginning) else ""

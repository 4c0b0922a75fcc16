"""Candidates → those that regular expressions want, for as long as there is time."""

from collections.abc import Sequence
from time import monotonic
from typing import Final, TypeAlias

from clew.search.language import Regex
from clew.search.ranking import Candidate
from clew.search.regexes import match_texts
from clew.search.snippets import Match
from clew.search.texts import Texts

Place: TypeAlias = tuple[str, int, str]
Marked: TypeAlias = tuple[str, list[Match]]

_READ_AT_ONCE: Final = 50
_NOT_BEHIND: Final = "(?!"


class Matching:
    """What was found so far, `marked` with its matches.

    Beginnings are tried first, which the database has at hand. The rest of a long text has to be
    read from the archive, so the `long` ones wait until it is clear that they are needed. Of
    those that are `unread` the rest is not there, or time was up; then some are `skipped`.
    """

    def __init__(self, regexes: Sequence[Regex], texts: Texts, seconds: float) -> None:
        self.regexes = regexes
        self.texts = texts
        self.deadline = monotonic() + seconds
        self.long: list[Candidate] = []
        self.unread: list[Candidate] = []
        self.skipped = 0
        self.marked: dict[Place, Marked] = {}
        self.is_late = False
        self._wanted = {number for number, regex in enumerate(regexes) if regex.is_wanted}
        # What must not stand in a text, or behind a place in it, may stand at its end.
        self._needs_ends = len(self._wanted) < len(regexes) or any(
            _NOT_BEHIND in regex.source for regex in regexes
        )

    def allow(self, seconds: float) -> None:
        """Stop after so long from now, or earlier if that was said before."""
        self.deadline = min(self.deadline, monotonic() + seconds)

    def try_beginnings(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Look at what the database has of some texts, and return those that match."""
        self.texts.load(candidates)
        now = [one for one in candidates if not (self._needs_ends and self.texts.is_cut(one))]
        found, tried = self._try(now, [self.texts.beginning(candidate) for candidate in now])
        self.skipped += sum(not self.texts.is_cut(one) for one in now[tried:])
        left = [one for one in candidates if one.place not in found]
        self.long += [one for one in left if self.texts.is_cut(one)]
        self.texts.forget([one for one in left if not self.texts.is_cut(one)])
        return [one for one in candidates if one.place in found]

    def try_long(self) -> list[Candidate]:
        """Read the next long texts whole, the newest first, and return those that match."""
        some, self.long = self.long[:_READ_AT_ONCE], self.long[_READ_AT_ONCE:]
        found, tried = self._try(some, [self.texts.read(candidate) for candidate in some])
        self.unread += [one for one in some[:tried] if self.texts.is_cut(one)]
        self.unread += some[tried:]
        self.texts.forget([one for one in some if one.place not in found])
        return [one for one in some if one.place in found]

    def _try(self, candidates: Sequence[Candidate], texts: Sequence[str]) -> tuple[set[Place], int]:
        """Look for matches; return where some were found, and how many texts were tried."""
        looked = match_texts(self.regexes, texts, max(0.0, self.deadline - monotonic()))
        found = set()
        for candidate, text, matches in zip(candidates, texts, looked.matches, strict=False):
            if matches is not None and self._is_sure(candidate, text, matches):
                found.add(candidate.place)
                self.marked[candidate.place] = text, matches
        self.is_late = self.is_late or not looked.is_complete or monotonic() >= self.deadline
        return found, len(looked.matches)

    def _is_sure(self, candidate: Candidate, text: str, matches: Sequence[Match]) -> bool:
        """Tell whether each match would be one with the rest of a text that is cut."""
        if not self.texts.is_cut(candidate):
            return True
        return self._wanted == {match.number for match in matches if match.end < len(text)}

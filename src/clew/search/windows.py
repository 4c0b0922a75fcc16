"""Candidates in windows: from the newest texts to the oldest, some hundreds at a time.

Each window is ranked by itself. So the order of all hits is fixed, however many pages of them are
read, and no page needs more than the windows up to its end.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from clew.search.blocks import Blocks, relevance_of
from clew.search.coverage import Coverage
from clew.search.fetched_sessions import FetchedSessions
from clew.search.filters import BlockFacts, SessionFacts
from clew.search.language import Field, Query
from clew.search.matches import MATCHED, AllMatches, Matches
from clew.search.matching import Matching
from clew.search.ranking import Candidate, score_of
from clew.search.sessions import (
    LoadedSessions,
    Sessions,
    find_digests,
    find_files,
    find_titles,
    names_files,
)
from clew.search.step_matches import StepMatches
from clew.store import SearchIndex

_MATCHED_THEN: Final = 10_000


class Windows:
    """The candidates of one search; `blocks` tells how far it has come."""

    def __init__(
        self,
        index: SearchIndex,
        query: Query,
        now: datetime,
    ) -> None:
        self.index = index
        self.query = query
        self.now = now
        self.sessions, matches = _find(index, query)
        self.blocks = Blocks(index.database, query, self.sessions, matches)

    def of_words(self) -> Iterator[list[Candidate]]:
        """Return what has the words, with a score of its place and age alone."""
        blocks = self.blocks.next_window()
        are_many = not self.blocks.is_done
        yield [*self._titles_and_files(are_many=are_many), *self._of_blocks(blocks)]
        while not self.blocks.is_done:
            yield self._of_blocks(self.blocks.next_window())

    def of_matches(self, matching: Matching) -> Iterator[list[Candidate]]:
        """Return what regular expressions match, until time is up: whole texts, then long ones."""
        blocks = self.blocks
        others = self._titles_and_files(are_many=blocks.matches.total > MATCHED)
        found = matching.try_beginnings(others)
        while not (blocks.is_done or matching.is_late):
            some = self._of_blocks(blocks.next(_MATCHED_THEN if blocks.matches.looked else MATCHED))
            yield [*found, *matching.try_beginnings(some)]
            found = []
        yield found
        while matching.long and not matching.is_late:
            yield matching.try_long()

    def weigh(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Let the blocks count more that hold the words best, and everything that has the most."""
        if coverage := self.blocks.matches.coverage:
            return [_covered(one, coverage) for one in candidates]
        if self.blocks.matches.is_common:
            return list(candidates)
        blocks = [one.block for one in candidates if one.block is not None]
        relevance = relevance_of(self.index, self.query, blocks)
        return [_weighed(one, relevance) for one in candidates]

    def _titles_and_files(self, *, are_many: bool) -> list[Candidate]:
        """Look for titles, for digests, and for files unless the words are too common for them."""
        titles = [
            self._candidate(session, Field.TITLE, session.ended_at)
            for session in find_titles(self.query, self.sessions)
        ]
        titles += self._digests()
        if are_many and not names_files(self.query):
            return titles
        found = find_files(self.index.database, self.query, self.sessions)
        known = self.sessions.of({file.session_key for file in found})
        files = [
            msgspec.structs.replace(
                self._candidate(known[file.session_key], Field.FILE, file.at, file.relevance),
                file=file,
            )
            for file in found
        ]
        return [*titles, *files]

    def _digests(self) -> list[Candidate]:
        found = find_digests(self.index, self.query, self.sessions)
        known = self.sessions.of({one.session_key for one in found})
        pairs = [(known[one.session_key], one.text) for one in found]
        return [
            msgspec.structs.replace(
                self._candidate(session, Field.DIGEST, session.ended_at), digest=text
            )
            for session, text in pairs
        ]

    def _of_blocks(self, blocks: Sequence[BlockFacts]) -> list[Candidate]:
        known = self.sessions.of({block.session_key for block in blocks})
        return [
            Candidate(
                known[block.session_key],
                block.field,
                block.at,
                score_of(block.field, 1.0, block.at, self.now),
                block=block,
            )
            for block in blocks
        ]

    def _candidate(
        self, session: SessionFacts, field: str, at: str, relevance: float = 1.0
    ) -> Candidate:
        return Candidate(session, field, at, score_of(field, relevance, at, self.now))


def _find(index: SearchIndex, query: Query) -> tuple[Sessions, Matches]:
    """Find sessions and blocks, in steps where there may be too many to find them at once."""
    if index.in_steps is None:
        loaded = LoadedSessions(index.database, query)
        return loaded, AllMatches(index, query, loaded.latest_first)
    sessions = FetchedSessions(index.database, query)
    return sessions, StepMatches(index, index.in_steps, query, sessions)


def _weighed(candidate: Candidate, relevance: Mapping[int, float]) -> Candidate:
    block = candidate.block
    if block is None or block.id not in relevance:
        return candidate
    return msgspec.structs.replace(candidate, score=candidate.score * relevance[block.id])


def _covered(candidate: Candidate, coverage: Coverage) -> Candidate:
    """Let what has more of the words come before what is newer."""
    if candidate.block is not None:
        share = coverage.of_block(candidate.block.id)
    else:
        path = candidate.file.path if candidate.file else ""
        share = coverage.of_text(candidate.digest or path or candidate.session.title)
    return msgspec.structs.replace(candidate, score=candidate.score * share**2)

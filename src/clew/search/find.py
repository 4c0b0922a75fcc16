"""search: a query over the archive's database → hits, the best first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final

import apsw
import msgspec

from clew.search.blocks import Blocks, Found, find_blocks, relevance_of
from clew.search.filters import BlockFacts, SessionFacts
from clew.search.language import DEFAULT_FIELDS, Field, Query
from clew.search.matching import Matching
from clew.search.ranking import (
    AS_TYPED,
    Candidate,
    in_order,
    is_as_typed,
    joined,
    score_of,
    without_copies,
)
from clew.search.sessions import (
    FileFacts,
    find_files,
    find_titles,
    load_sessions,
    names_files,
)
from clew.search.snippets import Match, Snippet, context_lines, cut_snippet, find_matches
from clew.search.texts import ReadText, Texts
from clew.search.words import phrases_of
from clew.store.queries import statement

REGEX_SECONDS: Final = 2.0
"""Looking with a regular expression is stopped after so long."""
MATCHED: Final = 2500
"""So many of the newest texts a regular expression is tried on, however many it finds."""
_MATCHED_THEN: Final = 10_000
"""So many more each time that there are too few hits, down to the oldest."""
_HUNDRED: Final = 100
"""Whoever turns pages gets all of so many hits from the same texts."""
_TYPED: Final = 100
"""So many of the best are looked at for words exactly as they were typed."""


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """One answer: where it stands, and the words around it.

    A title has no message. `copies` is in how many other sessions the same message stands.
    """

    session_id: str
    title: str
    project: str
    field: Field
    kind: str
    role: str = ""
    message_id: str | None = None
    message_ordinal: int | None = None
    block_ordinal: int | None = None
    agent_run_id: str | None = None
    at: str
    score: float
    snippet: Snippet
    context: tuple[str, ...] = ()
    copies: int = 0


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """A page of hits; `total` is at least that many unless it is exact.

    `is_sampled` says that only the newest of what was found are ranked, and `notes` tell why.
    """

    schema: str = "clew.search/1"
    query: str
    hits: tuple[Hit, ...] = ()
    total: int = 0
    is_exact: bool = True
    is_sampled: bool = False
    notes: tuple[str, ...] = ()


def search(
    connection: apsw.Connection,
    query: Query,
    *,
    now: datetime,
    limit: int = 20,
    offset: int = 0,
    read_text: ReadText | None = None,
) -> Results:
    """Find what a query asks for.

    Args:
        connection: An archive's database, open for reading.
        query: From `parse_query`.
        now: From when on things are old.
        limit: How many hits to give.
        offset: How many of the best to leave out before them.
        read_text: Gives whole texts, where the database has only the beginning.
    """
    with _one_look(connection):
        found = _Search(connection, _meant(query), now, Texts(connection, read_text))
        return found.run(max(0, limit), max(0, offset))


@contextmanager
def _one_look(connection: apsw.Connection) -> Iterator[None]:
    """Let all statements see the same rows, whatever is written meanwhile."""
    with connection:
        yield


class _Looked(msgspec.Struct, frozen=True):
    """What may become hits, how many there are in all, and whether that is known for sure."""

    candidates: list[Candidate]
    total: int
    is_exact: bool
    is_sampled: bool


class _Search:
    """One search from its beginning to its end."""

    def __init__(
        self, connection: apsw.Connection, query: Query, now: datetime, texts: Texts
    ) -> None:
        self.connection = connection
        self.query = query
        self.now = now
        self.texts = texts
        self.phrases = list(phrases_of(query.expression))
        self.matching = Matching(query.regexes, texts, REGEX_SECONDS)
        self.notes: list[str] = []

    def run(self, limit: int, offset: int) -> Results:
        """Find, rank, and show one page."""
        sessions = load_sessions(self.connection, self.query)
        if self.query.regexes:
            looked = self._look_for_matches(sessions, offset + limit)
        else:
            looked = self._look_for_words(sessions)
        ranked = self._typed_first(in_order(looked.candidates))
        page = ranked[offset : offset + limit]
        self.texts.load(page)
        return Results(
            query=self.query.text,
            hits=tuple(self._hit(candidate) for candidate in page),
            total=looked.total,
            is_exact=looked.is_exact,
            is_sampled=looked.is_sampled,
            notes=tuple(self.notes),
        )

    def _look_for_words(self, sessions: Sequence[SessionFacts]) -> _Looked:
        found = find_blocks(self.connection, self.query, sessions)
        others = self._titles_and_files(sessions, are_many=found.is_sampled)
        relevance: Mapping[int, float] = {}
        if not found.is_common:
            relevance = relevance_of(self.connection, self.query, found.blocks)
        blocks = self._of_blocks(sessions, found.blocks, relevance)
        candidates = [*others, *without_copies(blocks)]
        total = len(candidates)
        if found.is_sampled:
            total = found.total + len(others)
            self.notes.append(_sampling(found))
        return _Looked(candidates, total, found.is_exact, found.is_sampled)

    def _look_for_matches(self, sessions: Sequence[SessionFacts], wanted: int) -> _Looked:
        """Look at the newest texts, and at older ones until there are enough or time is up."""
        matching = self.matching
        blocks = Blocks(self.connection, self.query, sessions)
        matching.try_beginnings(self._titles_and_files(sessions, are_many=blocks.total > MATCHED))
        wanted = -(-wanted // _HUNDRED) * _HUNDRED
        while blocks.looked < blocks.total and not matching.is_late:
            if blocks.looked and len(matching.found) >= wanted:
                break
            some = blocks.next(_MATCHED_THEN if blocks.looked else MATCHED)
            matching.try_beginnings(self._of_blocks(sessions, some, {}))
        if len(matching.found) < wanted:
            matching.try_long()
        self._tell_what_was_left_out(blocks)
        found = matching.found if blocks.is_common else self._weighed(matching.found)
        found = without_copies(found)
        is_sampled = blocks.looked < blocks.total
        is_exact = not (is_sampled or matching.is_late or matching.long)
        return _Looked(found, len(found), is_exact, is_sampled)

    def _tell_what_was_left_out(self, blocks: Blocks) -> None:
        seen = f"{blocks.looked:,} of {blocks.total:,} texts were looked at"
        if self.matching.is_late:
            self.notes.append(
                f"it took too long and was stopped: {seen}, the newest first; "
                "add a word to find, or make the regular expression simpler"
            )
        elif blocks.looked < blocks.total:
            self.notes.append(f"{seen}, the newest first")
        if self.matching.long:
            long = len(self.matching.long)
            self.notes.append(f"of {long:,} long texts only the beginning was looked at")

    def _titles_and_files(
        self, sessions: Sequence[SessionFacts], *, are_many: bool
    ) -> list[Candidate]:
        """Look for titles, and for files unless the words are so common that they ask for none."""
        by_key = {session.key: session for session in sessions}
        titles = [
            Candidate(
                session, Field.TITLE, session.ended_at, self._score(Field.TITLE, session.ended_at)
            )
            for session in find_titles(self.query, sessions)
        ]
        if are_many and not names_files(self.query):
            return titles
        files = [
            Candidate(
                by_key[file.session_key],
                Field.FILE,
                file.at,
                self._score(Field.FILE, file.at, file.relevance),
                file=file,
            )
            for file in find_files(self.connection, self.query, sessions)
        ]
        return [*titles, *files]

    def _of_blocks(
        self,
        sessions: Sequence[SessionFacts],
        blocks: Iterable[BlockFacts],
        relevance: Mapping[int, float],
    ) -> list[Candidate]:
        by_key = {session.key: session for session in sessions}
        return [
            Candidate(
                by_key[block.session_key],
                block.field,
                block.at,
                self._score(block.field, block.at, relevance.get(block.id, 1.0)),
                block=block,
            )
            for block in blocks
        ]

    def _weighed(self, found: list[Candidate]) -> list[Candidate]:
        """Let the blocks count more that hold the words best."""
        blocks = [one.block for one in found if one.block is not None]
        relevance = relevance_of(self.connection, self.query, blocks)
        return [
            msgspec.structs.replace(one, score=one.score * relevance[one.block.id])
            if one.block and one.block.id in relevance
            else one
            for one in found
        ]

    def _score(self, field: str, at: str, relevance: float = 1.0) -> float:
        return score_of(field, relevance, at, self.now)

    def _typed_first(self, ranked: list[Candidate]) -> list[Candidate]:
        """Let texts that have an identifier exactly as it was typed come before others."""
        typed = joined(self.phrases)
        if not typed:
            return ranked
        best = ranked[:_TYPED]
        self.texts.load(best)
        raised = [
            msgspec.structs.replace(candidate, score=candidate.score * AS_TYPED)
            if is_as_typed(typed, self.texts.beginning(candidate))
            else candidate
            for candidate in best
        ]
        return [*in_order(raised), *ranked[_TYPED:]]

    def _hit(self, candidate: Candidate) -> Hit:
        session, block = candidate.session, candidate.block
        text, matches = self._shown(candidate)
        hit = Hit(
            session_id=session.id,
            title=session.title,
            project=session.project,
            field=Field(candidate.field),
            kind=block.kind if block else candidate.field,
            at=candidate.at,
            score=round(candidate.score, 6),
            snippet=cut_snippet(text, matches),
            context=context_lines(text, matches),
            copies=candidate.copies,
        )
        if block is not None:
            return msgspec.structs.replace(
                hit,
                role=block.role,
                message_id=block.message_id,
                message_ordinal=block.message_ordinal,
                block_ordinal=block.ordinal,
                agent_run_id=block.agent_run_id,
            )
        return hit if candidate.file is None else self._with_call(hit, candidate.file)

    def _with_call(self, hit: Hit, file: FileFacts) -> Hit:
        """Say which call read or changed a file."""
        values = {"session_key": file.session_key, "call_id": file.tool_call_id}
        row = self.connection.execute(statement("search_call"), values).fetchone()
        if row is None:
            return hit
        return msgspec.structs.replace(
            hit,
            message_id=row[0],
            message_ordinal=row[1],
            block_ordinal=row[2],
            role=row[3],
            agent_run_id=file.agent_run_id,
        )

    def _shown(self, candidate: Candidate) -> tuple[str, list[Match]]:
        """Give a text and what matches in it; the whole of it when the match stands further on."""
        if candidate.place in self.matching.marked:
            text, found = self.matching.marked[candidate.place]
            first = len(self.phrases)
            matches = [Match(one.start, one.end, first + one.number) for one in found]
            return text, sorted([*matches, *find_matches(self.phrases, text)])
        text = self.texts.beginning(candidate)
        matches = find_matches(self.phrases, text)
        if self.phrases and not matches and self.texts.is_cut(candidate):
            text = self.texts.read(candidate)
            matches = find_matches(self.phrases, text)
        return text, matches


def _meant(query: Query) -> Query:
    """A filter for files alone asks for the files; the words of their sessions are not meant."""
    is_alone = query.expression is None and not query.regexes and query.filters.file.wanted
    if is_alone and query.fields == DEFAULT_FIELDS:
        return msgspec.structs.replace(query, fields=frozenset({Field.FILE}))
    return query


def _sampling(found: Found) -> str:
    if found.is_exact:
        return f"{found.total:,} texts were found; the newest {len(found.blocks):,} are ranked"
    return f"of the newest texts {len(found.blocks):,} were found; older ones were not looked at"

"""search: a query over the archive's database → hits, the best first."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final

import apsw
import msgspec

from clew.search.blocks import Found, find_blocks, relevance_of
from clew.search.filters import SessionFacts
from clew.search.language import DEFAULT_FIELDS, Field, Query
from clew.search.ranking import (
    AS_TYPED,
    Candidate,
    in_order,
    is_as_typed,
    joined,
    score_of,
    without_copies,
)
from clew.search.regexes import match_texts
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
"""A regular expression that takes longer than this is stopped."""
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
        self.marked: dict[tuple[str, int, str], list[Match]] = {}
        self.notes: list[str] = []

    def run(self, limit: int, offset: int) -> Results:
        """Find, rank, and show one page."""
        sessions = load_sessions(self.connection, self.query)
        found = find_blocks(self.connection, self.query, sessions)
        candidates = self._candidates(sessions, found)
        is_exact, total = found.is_exact, len(candidates)
        if found.is_sampled:
            total = found.total + sum(one.block is None for one in candidates)
            self.notes.append(_sampling(found))
        if self.query.regexes:
            candidates, is_complete = self._matching(candidates)
            is_exact, total = is_complete and not found.is_sampled, len(candidates)
        ranked = self._typed_first(in_order(candidates))
        page = ranked[offset : offset + limit]
        self.texts.load(page)
        return Results(
            query=self.query.text,
            hits=tuple(self._hit(candidate) for candidate in page),
            total=total,
            is_exact=is_exact,
            is_sampled=found.is_sampled,
            notes=tuple(self.notes),
        )

    def _candidates(self, sessions: Sequence[SessionFacts], found: Found) -> list[Candidate]:
        by_key = {session.key: session for session in sessions}
        relevance: dict[int, float] = {}
        if not found.is_common:
            relevance = relevance_of(self.connection, self.query, found.blocks)
        titles = [
            Candidate(
                session, Field.TITLE, session.ended_at, self._score(Field.TITLE, session.ended_at)
            )
            for session in find_titles(self.query, sessions)
        ]
        files = [
            Candidate(
                by_key[file.session_key],
                Field.FILE,
                file.at,
                self._score(Field.FILE, file.at, file.relevance),
                file=file,
            )
            for file in self._files(sessions, found)
        ]
        blocks = [
            Candidate(
                by_key[block.session_key],
                block.field,
                block.at,
                self._score(block.field, block.at, relevance.get(block.id, 1.0)),
                block=block,
            )
            for block in found.blocks
        ]
        return [*titles, *files, *without_copies(blocks)]

    def _files(self, sessions: Sequence[SessionFacts], found: Found) -> list[FileFacts]:
        """Look for files, unless the words are so common that they ask for none."""
        if found.is_sampled and not names_files(self.query):
            return []
        return find_files(self.connection, self.query, sessions)

    def _score(self, field: str, at: str, relevance: float = 1.0) -> float:
        return score_of(field, relevance, at, self.now)

    def _matching(self, candidates: Sequence[Candidate]) -> tuple[list[Candidate], bool]:
        """Keep what the regular expressions want; tell whether everything was looked at."""
        self.texts.load(candidates)
        texts = [self.texts.whole(candidate) for candidate in candidates]
        looked = match_texts(self.query.regexes, texts, REGEX_SECONDS)
        kept = []
        for candidate, matches in zip(candidates, looked.matches, strict=False):
            if matches is not None:
                kept.append(candidate)
                self.marked[candidate.place] = matches
        if not looked.is_complete:
            self.notes.append(
                f"the regular expression took too long: {len(looked.matches):,} of "
                f"{len(texts):,} texts were looked at; make it simpler, or add a word to find"
            )
        cut = sum(map(self.texts.is_cut, candidates))
        if cut:
            self.notes.append(f"of {cut:,} long texts only the beginning was looked at")
        return kept, looked.is_complete and not cut

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
        text = self.texts.beginning(candidate)
        matches = find_matches(self.phrases, text)
        if candidate.place in self.marked:
            text = self.texts.whole(candidate)
            first = len(self.phrases)
            found = self.marked[candidate.place]
            matches = [Match(one.start, one.end, first + one.number) for one in found]
            return text, sorted([*matches, *find_matches(self.phrases, text)])
        if self.phrases and not matches and self.texts.is_cut(candidate):
            text = self.texts.whole(candidate)
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

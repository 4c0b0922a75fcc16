"""search: a query over the archive's database → hits, the best first."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from time import monotonic
from typing import Final

import msgspec

from clew.search.filters import BlockFacts
from clew.search.language import DEFAULT_FIELDS, Field, Query
from clew.search.matching import Matching
from clew.search.notes import describe_matches, describe_words
from clew.search.page import HitPage
from clew.search.ranking import AS_TYPED, Candidate, Copies, in_order, is_as_typed, joined
from clew.search.sessions import FileFacts
from clew.search.snippets import Match, Snippet, context_lines, cut_snippet, find_matches
from clew.search.tags import without_tags
from clew.search.texts import ReadText, Texts
from clew.search.tokens import describe_unknown_filters
from clew.search.windows import Windows
from clew.search.words import matches, phrases_of
from clew.store import SearchIndex

REGEX_SECONDS: Final = 2.0
"""Looking for one page with a regular expression is stopped after so long."""
_LATER_PAGES_SECONDS: Final = 20.0
"""So long it may take to come to a page that is not the first."""
_WORD_SECONDS: Final = 0.05
"""After so long a page that has any hits need not be full."""
_READ_AHEAD: Final = 40
"""So many long texts behind a page are read, to tell how many hits there are."""
_TYPED: Final = 100
"""So many of the best are looked at for words exactly as they were typed."""


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """One answer: where it stands, and the words around it.

    A title has no message. `tool_call_id` is the call that has the text, or touched the file.
    `copies` is in how many other sessions the same message stands. On a
    team's server, `member` is whose session it is.
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
    tool_call_id: str | None = None
    at: str
    score: float
    snippet: Snippet
    context: tuple[str, ...] = ()
    copies: int = 0
    member: str | msgspec.UnsetType = msgspec.UNSET


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """A page of hits; `total` is at least that many unless it is exact.

    `next_offset` is where the next page begins, None after the last. `is_sampled` says that not
    everything was searched yet, and `notes` say what was. `hidden_sessions` were not
    searched, since nobody said anything in them.
    """

    schema: str = "clew.search/1"
    query: str
    hits: tuple[Hit, ...] = ()
    total: int = 0
    is_exact: bool = True
    is_sampled: bool = False
    next_offset: int | None = None
    notes: tuple[str, ...] = ()
    hidden_sessions: int = 0


def search(
    index: SearchIndex,
    query: Query,
    *,
    now: datetime,
    limit: int = 20,
    offset: int = 0,
    read_text: ReadText | None = None,
) -> Results:
    """Find what a query asks for.

    Args:
        index: The index of an archive.
        query: From `parse_query`.
        now: From when on things are old.
        limit: How many hits to give.
        offset: How many of the best to leave out before them.
        read_text: Gives whole texts, where the database has only the beginning.
    """
    with index.database.snapshot():
        found = _Search(index, _meant(query), now, Texts(index.database, read_text))
        return found.run(max(0, limit), max(0, offset))


class _Called(msgspec.Struct, frozen=True, gc=False):
    """The message and the block in which a tool was called."""

    message_id: str
    message_ordinal: int
    block_ordinal: int
    role: str


class _Search:
    """One search from its beginning to its end."""

    def __init__(self, index: SearchIndex, query: Query, now: datetime, texts: Texts) -> None:
        self.database = index.database
        self.query = query
        self.texts = texts
        self.phrases = list(phrases_of(query.expression))
        self.windows = Windows(index, query, now)
        self.copies = Copies()
        self.calls: dict[tuple[int, str], _Called] = {}
        self.reads = 0

    def run(self, limit: int, offset: int) -> Results:
        """Find, rank, and show one page."""
        page = HitPage(offset, limit)
        seconds = _LATER_PAGES_SECONDS if offset else REGEX_SECONDS
        self.matching = Matching(self.query.regexes, self.texts, seconds)
        if self.query.regexes:
            self._fill(page, self.windows.of_matches(self.matching), REGEX_SECONDS)
            is_complete = page.is_done and not (self.matching.is_late or self.matching.unread)
            notes = describe_matches(self.windows.blocks, self.matching, page)
        else:
            self._fill(page, self.windows.of_words(), _WORD_SECONDS)
            is_complete = page.is_done
            notes = describe_words(self.windows.blocks, page)
        if not page.found and (unknown := describe_unknown_filters(self.query.text)):
            notes = (*notes, unknown)
        self.texts.load(page.hits)
        self._load_calls(page.hits)
        return Results(
            query=self.query.text,
            hits=tuple(self._hit(candidate) for candidate in page.hits),
            total=page.found,
            is_exact=is_complete and not page.unverified,
            is_sampled=not is_complete,
            next_offset=page.next_offset,
            notes=notes,
            hidden_sessions=self.windows.sessions.count_hidden(),
        )

    def _fill(self, page: HitPage, windows: Iterator[list[Candidate]], seconds: float) -> None:
        """Take windows until the page is full, or has some hits and time is up."""
        deadline: float | None = None
        for window in windows:
            self._take(page, self.copies.leave_out(window))
            if page.has_hits and deadline is None:
                deadline = monotonic() + seconds
                self.matching.allow(seconds)
            if page.is_full or (deadline is not None and monotonic() >= deadline):
                break
        page.is_done = self.windows.blocks.is_done and not self.matching.long

    def _take(self, page: HitPage, candidates: list[Candidate]) -> None:
        """Add a window's candidates in their order, as far as they match."""
        unsure = [one for one in candidates if self._is_unsure(one)]
        if not unsure and page.skip(len(candidates)):
            return
        self.texts.load(unsure)
        before = self.reads
        for candidate in self._ranked(candidates):
            is_ahead = page.is_full and self.reads - before >= _READ_AHEAD
            if is_ahead and self._is_unsure(candidate) and self.texts.is_cut(candidate):
                page.unverified += 1
            elif self._holds(candidate):
                page.add(candidate)

    def _ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        return self._typed_first(in_order(self.windows.weigh(candidates)))

    def _is_unsure(self, candidate: Candidate) -> bool:
        return (
            candidate.block is not None
            and candidate.block.id in self.windows.blocks.matches.uncertain
        )

    def _holds(self, candidate: Candidate) -> bool:
        """Tell whether a text is what the words ask for, which the index may not know."""
        expression = self.query.expression
        if expression is None or not self._is_unsure(candidate):
            return True
        if not self.texts.is_cut(candidate):
            return matches(expression, self.texts.beginning(candidate))
        self.reads += 1
        return matches(expression, self.texts.read(candidate))

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
        text, places = without_tags(*self._shown(candidate))
        hit = Hit(
            session_id=session.id,
            title=session.title,
            project=session.project,
            field=Field(candidate.field),
            kind=block.kind if block else candidate.field,
            at=candidate.at,
            score=round(candidate.score, 6),
            snippet=cut_snippet(text, places),
            context=context_lines(text, places),
            copies=candidate.copies,
            member=session.member or msgspec.UNSET,
        )
        if block is not None:
            return msgspec.structs.replace(
                hit,
                role=block.role,
                message_id=block.message_id,
                message_ordinal=block.message_ordinal,
                block_ordinal=block.ordinal,
                agent_run_id=block.agent_run_id,
                tool_call_id=self._known_call(block),
            )
        return hit if candidate.file is None else self._with_call(hit, candidate.file)

    def _with_call(self, hit: Hit, file: FileFacts) -> Hit:
        """Say which call read or changed a file."""
        called = self.calls.get((file.session_key, file.tool_call_id))
        if called is None:
            return hit
        return msgspec.structs.replace(
            hit,
            message_id=called.message_id,
            message_ordinal=called.message_ordinal,
            block_ordinal=called.block_ordinal,
            role=called.role,
            agent_run_id=file.agent_run_id,
            tool_call_id=file.tool_call_id,
        )

    def _known_call(self, block: BlockFacts) -> str | None:
        """Return the call of a block, unless it is missing in the transcript."""
        call_id = block.tool_call_id
        return call_id if (block.session_key, call_id) in self.calls else None

    def _load_calls(self, hits: Iterable[Candidate]) -> None:
        """Find the calls of all hits at once."""
        places = [hit.block or hit.file for hit in hits]
        wanted = [(place.session_key, place.tool_call_id) for place in places if place is not None]
        keys = {key for key, call_id in wanted if call_id}
        calls = {call_id for _, call_id in wanted if call_id}
        if not calls:
            return
        values = {"keys": sorted(keys), "calls": sorted(calls)}
        for key, call_id, *place in self.database.rows("search_called", values):
            self.calls.setdefault((key, call_id), _Called(*place))

    def _shown(self, candidate: Candidate) -> tuple[str, list[Match]]:
        """Return a text and its matches; the whole text if the match is not in its beginning."""
        if candidate.place in self.matching.marked:
            text, found = self.matching.marked[candidate.place]
            first = len(self.phrases)
            places = [Match(one.start, one.end, first + one.number) for one in found]
            return text, sorted([*places, *find_matches(self.phrases, text)])
        text = self.texts.beginning(candidate)
        places = find_matches(self.phrases, text)
        if self.phrases and not places:
            text = self.texts.read(candidate)
            places = find_matches(self.phrases, text)
        return text, places


def _meant(query: Query) -> Query:
    """A filter for files alone asks for the files; the words of their sessions are not meant."""
    is_alone = query.expression is None and not query.regexes and query.filters.file.wanted
    if is_alone and query.fields == DEFAULT_FIELDS:
        return msgspec.structs.replace(query, fields=frozenset({Field.FILE}))
    return query

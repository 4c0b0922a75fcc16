"""The sessions that a query may find hits in, their titles, and the files they touched."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary

import msgspec

from clew.analytics import FilterSet
from clew.search.filters import (
    SessionFacts,
    accepted_paths,
    concerns_blocks,
    is_between,
    lasts_into,
    narrows_sessions,
    select_tools,
    session_conditions,
)
from clew.search.language import DEFAULT_FIELDS, Condition, Field, Names, Query
from clew.search.words import bare_letters, find_spans, matches, needles, phrases_of
from clew.store import Database, SearchIndex, find_matching_sessions

# Words that stand in more paths than this do not ask for a file, unless files are asked for.
_MOST_PATHS: Final = 50
_MOST_TOUCHES: Final = 5000
_MOST_DIGESTS: Final = 20_000
_ELSEWHERE: Final = 0.5
_PROMPT_TITLES: Final = ("first_prompt", "plan")
# What was read of the sessions, for as long as a database is open.
_held: Final[WeakKeyDictionary[Database, tuple[int, list[SessionFacts]]]] = WeakKeyDictionary()


class FileFacts(msgspec.Struct, frozen=True, gc=False):
    """The last time a session read or changed a file, and how well its path answers."""

    relevance: float
    session_key: int
    path: str
    tool_call_id: str
    at: str
    agent_run_id: str | None


class DigestText(msgspec.Struct, frozen=True, gc=False):
    """What the digest of a session says, or else the line that describes it."""

    session_key: int
    text: str


class Sessions(Protocol):
    """The sessions that a query may find hits in."""

    def of(self, keys: Collection[int]) -> Mapping[int, SessionFacts]:
        """Return those that pass by their keys: of some sessions at least."""

    def with_titles(self) -> Sequence[SessionFacts]:
        """Return those whose title may match, the latest first."""

    def count_hidden(self) -> int:
        """Count the sessions that are left out: silent ones, and those the reader has hidden."""


class LoadedSessions:
    """All sessions that the filters let through, the latest first."""

    def __init__(self, database: Database, query: Query) -> None:
        self._database = database
        self._query = query
        self.latest_first = _load_sessions(database, query)
        self._by_key = {session.key: session for session in self.latest_first}

    def of(self, _keys: Collection[int]) -> Mapping[int, SessionFacts]:
        """Return all of them."""
        return self._by_key

    def with_titles(self) -> Sequence[SessionFacts]:
        """Return all of them."""
        return self.latest_first

    def count_hidden(self) -> int:
        """Count the sessions that are left out: silent ones, and those the reader has hidden."""
        return sum(not is_shown(self._query, one) for one in _all_sessions(self._database))


class KeyCondition(msgspec.Struct, frozen=True):
    """Keys of which a session must be one, or must not be."""

    keys: frozenset[int]
    is_wanted: bool = True


def is_shown(query: Query, session: SessionFacts) -> bool:
    """Tell whether a session may be found, unless filters leave it out."""
    if query.with_hidden:
        return True
    return bool(session.is_talk) and (not session.is_hidden or names_hidden(query))


def names_hidden(query: Query) -> bool:
    """Tell whether a query says if sessions that the reader has hidden are found."""
    return bool(query.filters.of("hidden"))


def key_conditions(database: Database, query: Query) -> Iterator[KeyCondition]:
    """Return what filters other than times say of whole sessions."""
    for condition in session_conditions(query.filters):
        yield from _matching(database, condition)
    yield from _touching(database, query.filters.file)
    yield from _likely(database, query)


def _load_sessions(database: Database, query: Query) -> list[SessionFacts]:
    sessions = _all_sessions(database)
    sessions = [session for session in sessions if is_shown(query, session)]
    if narrows_sessions(query.filters):
        sessions = [session for session in sessions if lasts_into(query.filters, session)]
    for one in key_conditions(database, query):
        sessions = [session for session in sessions if (session.key in one.keys) is one.is_wanted]
    return sessions


def _all_sessions(database: Database) -> list[SessionFacts]:
    """Return all sessions, read again only when somebody has written since."""
    version = database.version()
    held = _held.get(database)
    if held is None or held[0] != version:
        rows = database.rows("search_sessions")
        held = _held[database] = (version, [SessionFacts(*row) for row in rows])
    return held[1]


def find_titles(query: Query, searched: Sessions) -> list[SessionFacts]:
    """Return the sessions whose title is what the query asks for."""
    if Field.TITLE not in query.fields or concerns_blocks(query.filters):
        return []
    expression, filters, sessions = query.expression, query.filters, searched.with_titles()
    if query.fields == DEFAULT_FIELDS and (expression is not None or query.regexes):
        # The prompt that a title was taken from is found anyway.
        sessions = [session for session in sessions if session.title_source not in _PROMPT_TITLES]
    if expression is not None:
        words = needles(expression)
        sessions = [
            session
            for session in sessions
            if _may_hold(words, session.title) and matches(expression, session.title)
        ]
    is_timed = filters.after or filters.before
    return [
        session
        for session in sessions
        if session.title and (not is_timed or is_between(filters, session.ended_at))
    ]


def find_digests(index: SearchIndex, query: Query, sessions: Sessions) -> list[DigestText]:
    """Return what digests and descriptions of these sessions say, if it is what a query asks for.

    A description is searched where no model wrote a digest.
    """
    if Field.DIGEST not in query.fields or concerns_blocks(query.filters):
        return []
    expression = query.expression
    words = needles(expression) if expression and index.in_steps is not None else []
    patterns = [f"%{word}%" for word in words] if all(map(str.isascii, words)) else []
    values = {"patterns": patterns or None, "most": _MOST_DIGESTS}
    found = [DigestText(*row) for row in index.database.rows("search_digests", values)]
    known = sessions.of({one.session_key for one in found})
    is_timed = query.filters.after or query.filters.before
    return [
        one
        for one in found
        if one.session_key in known
        and (expression is None or matches(expression, one.text))
        and (not is_timed or is_between(query.filters, known[one.session_key].ended_at))
    ]


def names_files(query: Query) -> bool:
    """Tell whether a query asks for files: by saying so, or with words that look like a path."""
    return query.fields != DEFAULT_FIELDS or any(
        sign in phrase.text for phrase in phrases_of(query.expression) for sign in "./\\"
    )


def find_files(database: Database, query: Query, sessions: Sessions) -> list[FileFacts]:
    """Return the files of these sessions whose path is what the query asks for, each once."""
    if Field.FILE not in query.fields or concerns_blocks(query.filters):
        return []
    paths = _matching_paths(database, query)
    if len(paths) > _MOST_PATHS and query.fields == DEFAULT_FIELDS:
        return []
    relevance = {path: _relevance(query, path) for path in paths}
    is_timed = query.filters.after or query.filters.before
    found: dict[tuple[int, str], FileFacts] = {}
    values = {"paths": paths, "most": _MOST_TOUCHES}
    rows = list(database.rows("search_touches", values))
    known = sessions.of({row[0] for row in rows})
    for row in rows:
        touch = FileFacts(relevance[row[1]], *row)
        if touch.session_key in known and (not is_timed or is_between(query.filters, touch.at)):
            found.setdefault((touch.session_key, touch.path), touch)
    return list(found.values())


def _matching_paths(database: Database, query: Query) -> list[str]:
    expression, names = query.expression, query.filters.file
    paths = [path for (path,) in _likely_paths(database, query)]
    if names:
        paths = accepted_paths(names, paths)
    return [path for path in paths if expression is None or matches(expression, path)]


def _likely_paths(database: Database, query: Query) -> list[tuple[Any, ...]]:
    """Let the database leave out most paths, except for letters of which it knows no case.

    What a filter names depends on all paths.
    """
    expression = query.expression
    patterns = [f"%{word}%" for word in needles(expression)] if expression else []
    if patterns and all(map(str.isascii, patterns)) and not query.filters.file:
        return list(database.rows("search_paths_like", {"patterns": patterns}))
    return list(database.rows("known_paths"))


def _may_hold(words: Sequence[str], text: str) -> bool:
    """Leave out quickly what cannot match."""
    folded = text.lower()
    for word in words:
        if word in folded:
            return True
    # Letters with marks may be those of a word; the ellipsis at the end of a cut title may not.
    if text.rstrip("…").isascii():
        return False
    letters = bare_letters(text)
    return any(word in letters or not word.isascii() for word in words)


def _relevance(query: Query, path: str) -> float:
    """A file whose own name is asked for answers better than one in a folder of that name."""
    name_at = path.replace("\\", "/").rfind("/") + 1
    phrases = list(phrases_of(query.expression))
    named = any(span.end > name_at for phrase in phrases for span in find_spans(phrase, path))
    return 1.0 if named or not phrases else _ELSEWHERE


def _matching(database: Database, condition: Condition) -> Iterator[KeyCondition]:
    """Sessions match a value that is wanted, and none that is not."""
    values = condition.values
    for patterns, is_wanted in ((values.wanted, True), (values.unwanted, False)):
        if patterns:
            given = [FilterSet(**{condition.name: pattern}) for pattern in patterns]
            found = (key for each in given for key in find_matching_sessions(database, each))
            yield KeyCondition(frozenset(found), is_wanted)


def _touching(database: Database, names: Names) -> Iterator[KeyCondition]:
    """Sessions touched a file that is wanted, and none that is not."""
    if not names:
        return
    paths = [str(row[0]) for row in database.rows("known_paths")]
    for values, is_wanted in ((names.wanted, True), (names.unwanted, False)):
        if values:
            meant = accepted_paths(Names(values), paths)
            keys = _keys(database, "search_path_sessions", {"paths": meant})
            yield KeyCondition(keys, is_wanted)


def _likely(database: Database, query: Query) -> Iterator[KeyCondition]:
    """Leave out sessions that surely have none of the calls and runs asked for."""
    filters = query.filters
    # With words, the index leads faster to the sessions than the many calls do.
    wanted = filters.wanted("tool")
    if wanted and query.expression is None:
        tools = [str(row[0]) for row in database.rows("search_tools")]
        asked = select_tools(wanted, tools)
        yield KeyCondition(_keys(database, "search_tool_sessions", {"tools": asked}))
    if filters.wanted("agent"):
        yield KeyCondition(_keys(database, "search_agent_sessions", {}))


def _keys(database: Database, name: str, values: dict[str, Any]) -> frozenset[int]:
    return frozenset(int(row[0]) for row in database.rows(name, values))

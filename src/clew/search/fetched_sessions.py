"""The sessions of an archive that may have too many to load them all: read as they are needed."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple

from clew.search.filters import SessionFacts, lasts_into
from clew.search.language import Query
from clew.search.sessions import is_shown, key_conditions, names_hidden
from clew.search.words import needles
from clew.store import Database

_FIRST_PAGE: Final = 64
_LARGEST_PAGE: Final = 1024
_MOST_TITLES: Final = 20_000
_DAY: Final = timedelta(days=1)


class KeyPage(NamedTuple):
    """The keys of some sessions, the latest first, and whether none follow."""

    keys: list[int]
    is_last: bool


class FetchedSessions:
    """The sessions that the filters let through."""

    def __init__(self, database: Database, query: Query) -> None:
        self._database = database
        self._query = query
        self._wanted: frozenset[int] | None = None
        self._unwanted: frozenset[int] = frozenset()
        for one in key_conditions(database, query):
            if not one.is_wanted:
                self._unwanted |= one.keys
            else:
                self._wanted = one.keys if self._wanted is None else self._wanted & one.keys
        self._read: set[int] = set()
        self._known: dict[int, SessionFacts] = {}

    def of(self, keys: Collection[int]) -> Mapping[int, SessionFacts]:
        """Return those of some sessions that pass, and of all that were asked for before."""
        new = [key for key in keys if key not in self._read]
        if new:
            self._read.update(new)
            rows = self._database.rows("search_sessions_of", {"keys": new})
            self._known.update((one.key, one) for one in self._passing(rows))
        return self._known

    def with_titles(self) -> Sequence[SessionFacts]:
        """Return those whose title may match; without words, no more than the latest."""
        expression = self._query.expression
        words = needles(expression) if expression else []
        if words and all(map(str.isascii, words)):
            patterns = [f"%{word}%" for word in words]
            rows = self._database.rows("search_titles_like", {"patterns": patterns})
        else:
            rows = self._database.rows("search_titles", {"most": _MOST_TITLES})
        return self._passing(rows)

    def count_hidden(self) -> int:
        """Count the sessions that are left out: silent ones, and those the reader has hidden."""
        if self._query.with_hidden:
            return 0
        values = {"put_away": int(not names_hidden(self._query))}
        return int(next(self._database.rows("search_hidden", values))[0])

    def newest_first(self) -> Iterator[KeyPage]:
        """Return sessions in pages, at least one; hidden ones too, as times and keys allow."""
        if self._wanted is not None and len(self._wanted) <= _LARGEST_PAGE:
            yield KeyPage(self.sort(self._wanted), is_last=True)
            return
        values = {**self._days(), "at": None, "key": 0, "most": _FIRST_PAGE}
        is_last = False
        while not is_last:
            rows = list(self._database.rows("search_sessions_before", values))
            is_last = len(rows) < values["most"]
            yield KeyPage(self._in_time(rows), is_last)
            if rows:
                values["key"], _, values["at"] = rows[-1]
            values["most"] = min(2 * values["most"], _LARGEST_PAGE)

    def sort(self, keys: Collection[int]) -> list[int]:
        """Return those of some sessions that pass, the latest first; hidden ones too."""
        rows = self._database.rows("search_session_times", {"keys": list(keys)})
        return self._in_time(rows)

    def _in_time(self, rows: Iterator[tuple[Any, ...]] | list[tuple[Any, ...]]) -> list[int]:
        filters = self._query.filters
        facts = (SessionFacts(key, "", "", "", "", "", start, end) for key, start, end in rows)
        return [one.key for one in facts if self._accepts(one.key) and lasts_into(filters, one)]

    def _passing(self, rows: Iterator[tuple[Any, ...]]) -> list[SessionFacts]:
        query = self._query
        return [
            one
            for one in (SessionFacts(*row) for row in rows)
            if is_shown(query, one) and self._accepts(one.key) and lasts_into(query.filters, one)
        ]

    def _accepts(self, key: int) -> bool:
        return (self._wanted is None or key in self._wanted) and key not in self._unwanted

    def _days(self) -> dict[str, Any]:
        """Return the days between which sessions may last, with a day more on either side."""
        after, before = self._query.filters.after, self._query.filters.before
        return {
            "first_day": (after - _DAY).date().isoformat() if after else None,
            "last_day": (before + _DAY).date().isoformat() if before else None,
        }

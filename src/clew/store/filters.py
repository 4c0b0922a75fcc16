"""Filters → the parameters of statements.

A pattern means the same everywhere, so it is compared with names in one place (`Filter.matches`).
A statement only gets the values in the rows that match.
"""

from collections import Counter
from typing import Any

import msgspec

from clew.analytics import ALL_FILTERS, Filter, FilterSet, find_filter, select_paths
from clew.storable import storable
from clew.store.protocols import Database


def filter_parameters(database: Database, filters: FilterSet) -> dict[str, object]:
    """Return a parameter for each filter; None if it is not set."""
    values = ((each, getattr(filters, each.name)) for each in ALL_FILTERS)
    return {
        each.name: _select(database, each, value) if value is not None else None
        for each, value in values
    }


def find_matching_sessions(database: Database, filters: FilterSet) -> dict[int, str]:
    """Return the ids of the sessions that match, hidden ones too, by their keys."""
    parameters = filter_parameters(database, filters)
    return dict(database.rows("matching_sessions", parameters))


def filter_values(database: Database, name: str) -> list[str]:
    """Return the values that a filter may be set to, the most used first."""
    each = find_filter(name)
    if not each.has_values:
        return []
    uses: Counter[str] = Counter()
    for _, text, count in database.rows(f"known_{name}"):
        uses[each.label(str(text))] += int(count)
    by_use = sorted(uses.items(), key=lambda used: (-used[1], used[0]))
    return [text for text, count in by_use if text and count]


def choose_paths(database: Database, pattern: str) -> list[str]:
    """Return the files in the rows that match a path."""
    known = database.rows("known_paths")
    return select_paths(storable(pattern), [str(row[0]) for row in known])


def decode_names(text: str) -> list[str]:
    """Read a list of names from a row."""
    return msgspec.json.decode(text, type=list[str])


def _select(database: Database, each: Filter, pattern: str) -> str | list[Any]:
    """Return the text of a filter, or the values in the rows that its pattern matches."""
    if not each.has_values:
        return pattern
    known = database.rows(f"known_{each.name}")
    wanted = storable(pattern)
    return [value for value, text, _ in known if each.matches(wanted, str(text))]

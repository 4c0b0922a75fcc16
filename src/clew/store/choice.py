"""Filters → what statements take: the values in the rows that each filter lets through.

What a filter means is told in one place, for every command and count; a statement is only handed
the projects, branches, models, tools and agents that are meant.
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from clew.analytics import Filters, matches, matches_model, matches_project, select_paths
from clew.store.protocols import Database


def choose(database: Database, filters: Filters) -> dict[str, str | None]:
    """Give the parameters that all lists share; None lets everything through."""
    model_lists = _lists_of_models(database, filters.model)
    return {
        "projects": _projects(database, filters.project),
        "branches": _names(database, "known_branches", filters.branch),
        "models": _models(model_lists, filters.model),
        "model_lists": None if model_lists is None else _json(list(model_lists)),
        "tools": _names(database, "known_tools", filters.tool),
        "agents": _names(database, "known_agents", filters.agent),
        "session": filters.session,
        "since": filters.since,
        "until": filters.until,
    }


def choose_paths(database: Database, pattern: str) -> str:
    """Give the files in the rows that are meant by a path."""
    return _json(select_paths(pattern, _column(database, "known_paths")))


def _projects(database: Database, pattern: str | None) -> str | None:
    if pattern is None:
        return None
    known = database.rows("known_projects")
    return _json([number for number, path in known if matches_project(pattern, str(path))])


def _names(database: Database, name: str, pattern: str | None) -> str | None:
    if pattern is None:
        return None
    return _json(_that(_column(database, name), lambda value: matches(pattern, [value])))


def _lists_of_models(database: Database, pattern: str | None) -> dict[str, list[str]] | None:
    """Give the lists of models, as they stand in rows, that hold one that is meant."""
    if pattern is None:
        return None
    known = {text: decode_names(text) for text in _column(database, "known_model_lists")}
    return {text: names for text, names in known.items() if matches_model(pattern, names)}


def _models(lists: dict[str, list[str]] | None, pattern: str | None) -> str | None:
    if lists is None:
        return None
    names = dict.fromkeys(name for names in lists.values() for name in names)
    return _json(_that(names, lambda name: matches_model(pattern, [name])))


def decode_names(text: str) -> list[str]:
    """Read a list of names as rows keep it."""
    return msgspec.json.decode(text, type=list[str])


def _that(values: Iterable[str], is_meant: Callable[[str], bool]) -> list[str]:
    return [value for value in values if is_meant(value)]


def _column(database: Database, name: str) -> list[str]:
    return [str(row[0]) for row in database.rows(name)]


def _json(values: list[Any]) -> str:
    return msgspec.json.encode(values).decode()

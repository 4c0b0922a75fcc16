"""Filters → what statements take: the values in the rows that each filter lets through.

What a filter means is told in one place, for every command and count; a statement is only handed
the projects, branches, models, tools and agents that are meant.
"""

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Any, Final

import apsw
import msgspec

from clew.analytics import Filters, matches, matches_model, matches_project
from clew.store.queries import statement

_ANY: Final = "*"


def choose(connection: apsw.Connection, filters: Filters) -> dict[str, str | None]:
    """Give the parameters that all lists share; None lets everything through."""
    model_lists = _lists_of_models(connection, filters.model)
    return {
        "projects": _projects(connection, filters.project),
        "branches": _names(connection, "known_branches", filters.branch),
        "models": _models(model_lists, filters.model),
        "model_lists": None if model_lists is None else _json(list(model_lists)),
        "tools": _names(connection, "known_tools", filters.tool),
        "agents": _names(connection, "known_agents", filters.agent),
        "session": filters.session,
        "since": filters.since,
        "until": filters.until,
    }


def choose_paths(connection: apsw.Connection, pattern: str) -> str:
    """Give the files in the rows that are meant by a path.

    A star in the name of a file is no pattern when the whole name is given.
    """
    known = _column(connection, "known_paths")
    if _ANY in pattern and pattern in known:
        return _json([pattern])
    return _json([path for path in known if is_file(pattern, path)])


def is_file(pattern: str, path: str) -> bool:
    """Tell whether a file is meant: by its path, by the end of it, or by a folder it lies in.

    `*` stands for anything, itself too, and only beside it do `?` and `[` mean more than they are.
    """
    wanted = _plain(pattern)
    known = "/" + _plain(path).lstrip("/")
    if _ANY in wanted and (fnmatchcase(known, wanted) or fnmatchcase(known, f"*/{wanted}")):
        return True
    if wanted.startswith("/"):
        return known == wanted or known.startswith(wanted.rstrip("/") + "/")
    inside = "/" + wanted.strip("/")
    return known.endswith(inside) or f"{inside}/" in known


def _plain(path: str) -> str:
    return path.casefold().replace("\\", "/")


def _projects(connection: apsw.Connection, pattern: str | None) -> str | None:
    if pattern is None:
        return None
    known = connection.execute(statement("known_projects"))
    return _json([number for number, path in known if matches_project(pattern, str(path))])


def _names(connection: apsw.Connection, name: str, pattern: str | None) -> str | None:
    if pattern is None:
        return None
    return _json(_that(_column(connection, name), lambda value: matches(pattern, [value])))


def _lists_of_models(
    connection: apsw.Connection, pattern: str | None
) -> dict[str, list[str]] | None:
    """Give the lists of models, as they stand in rows, that hold one that is meant."""
    if pattern is None:
        return None
    known = {text: decode_names(text) for text in _column(connection, "known_model_lists")}
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


def _column(connection: apsw.Connection, name: str) -> list[str]:
    return [str(row[0]) for row in connection.execute(statement(name))]


def _json(values: list[Any]) -> str:
    return msgspec.json.encode(values).decode()

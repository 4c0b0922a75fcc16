"""Filters: which part of it all is asked for, with one meaning for every command and count."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final

import msgspec

from clew.analytics.models import display_name

_SEPARATORS: Final = ("/", "\\")
_DRIVE: Final = 2


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """What must hold of what is listed or counted; None asks for nothing.

    `since` is the first moment that counts, `until` the first that does not any more, both in
    UTC as transcripts write it.
    """

    project: str | None = None
    branch: str | None = None
    model: str | None = None
    tool: str | None = None
    agent: str | None = None
    session: str | None = None
    since: str | None = None
    until: str | None = None


def matches(pattern: str | None, values: Iterable[str]) -> bool:
    """Tell whether a value is as the pattern says: `mcp__*`, in upper or lower case."""
    if pattern is None:
        return True
    wanted = pattern.casefold()
    return any(fnmatchcase(value.casefold(), wanted) for value in values)


def matches_model(pattern: str | None, models: Iterable[str]) -> bool:
    """Tell whether a model is meant: by a part of its id, or of its name for people."""
    if pattern is None:
        return True
    wanted = pattern.casefold()
    return any(wanted in f"{model}\n{display_name(model)}".casefold() for model in models)


def matches_project(pattern: str | None, project: str) -> bool:
    """Tell whether a project is meant: by a whole path at or above it, or by a part of its own."""
    if pattern is None:
        return True
    if not _is_whole_path(pattern):
        return pattern.casefold() in project.casefold()
    folder = pattern.rstrip("/\\")
    return project == folder or project.startswith(tuple(folder + mark for mark in _SEPARATORS))


def _is_whole_path(pattern: str) -> bool:
    return pattern.startswith("/") or pattern[1:_DRIVE] == ":"

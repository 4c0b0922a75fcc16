"""Filters: which part of it all is asked for, with one meaning for every command and count."""

from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase
from typing import Final

import msgspec

from clew.analytics.models import display_name
from clew.clock import parse_time
from clew.errors import UsageError

_SEPARATORS: Final = ("/", "\\")
_DRIVE: Final = 2
_ANY: Final = "*"
_TIME_EXAMPLE: Final = "2026-11-14T09:00:00.000Z"


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

    def __post_init__(self) -> None:
        """Reject what no row can match: it would select nothing, and not say why.

        Raises:
            UsageError: A value is not text, or a time is not ISO 8601.
        """
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise UsageError(f"{name} must be text, not {type(value).__name__}")
        for name in ("since", "until"):
            text = getattr(self, name)
            if text is not None and parse_time(text) is None:
                raise UsageError(f"{name}={text!r} is not a time; write it as {_TIME_EXAMPLE}")


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


def select_paths(pattern: str, paths: Collection[str]) -> list[str]:
    """Return the paths that a pattern names.

    A star is an ordinary character when the pattern is one of the paths.
    """
    if _ANY in pattern and pattern in paths:
        return [pattern]
    return [path for path in paths if matches_path(pattern, path)]


def matches_path(pattern: str, path: str) -> bool:
    """Tell whether a pattern names a file: by its whole path, the end of it, or a parent folder.

    A pattern that begins with `/` must match from the root. `*` matches anything; only in a
    pattern with a star are `?` and `[` wildcards, too.
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


def _is_whole_path(pattern: str) -> bool:
    return pattern.startswith("/") or pattern[1:_DRIVE] == ":"

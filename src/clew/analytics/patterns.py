"""Patterns: how the value of a filter is compared with a name, a model, a version or a path."""

from collections.abc import Collection
from fnmatch import fnmatchcase
from typing import Final

from clew.analytics.models import display_name

_SEPARATORS: Final = ("/", "\\")
_DRIVE: Final = 2
_ANY: Final = "*"


def matches_name(pattern: str, name: str) -> bool:
    """Tell whether a name matches a pattern such as `mcp__*`, ignoring case."""
    return fnmatchcase(name.casefold(), pattern.casefold())


def matches_set_name(pattern: str, name: str) -> bool:
    """Tell whether a name matches a pattern, where an empty name means that none is set.

    Only the empty pattern matches an empty name: `*` means any name, but some name.
    """
    return matches_name(pattern, name) and (bool(name) or not pattern)


def matches_prefix(pattern: str, text: str) -> bool:
    """Tell whether a text starts with a pattern."""
    return text.startswith(pattern)


def matches_model(pattern: str, model: str) -> bool:
    """Tell whether a pattern is part of a model's id or of its display name, ignoring case."""
    return pattern.casefold() in f"{model}\n{display_name(model)}".casefold()


def matches_project(pattern: str, project: str) -> bool:
    """Tell whether a pattern is part of a project's path, or an absolute path at or above it."""
    if not _is_absolute(pattern):
        return pattern.casefold() in project.casefold()
    folder = pattern.rstrip("/\\")
    return project == folder or project.startswith(tuple(folder + mark for mark in _SEPARATORS))


def select_paths(pattern: str, paths: Collection[str]) -> list[str]:
    """Return the paths that match a pattern.

    A star is an ordinary character when the pattern is one of the paths. A name that no file has
    stands for a part of a name: `upload` finds `upload.py`.
    """
    if _ANY in pattern and pattern in paths:
        return [pattern]
    found = {path for path in paths if matches_path(pattern, path)}
    part = _normalise(pattern)
    if part and not any(sign in part for sign in (_ANY, *_SEPARATORS)):
        names = {path: _normalise(path).rpartition("/")[2] for path in paths}
        if part not in names.values():
            found |= {path for path, name in names.items() if part in name}
    return [path for path in paths if path in found]


def matches_path(pattern: str, path: str) -> bool:
    """Tell whether a pattern names a file: by its whole path, the end of it, or a parent folder.

    A pattern that begins with `/` must match from the root. `*` matches anything; only in a
    pattern with a star are `?` and `[` wildcards, too.
    """
    wanted = _normalise(pattern)
    known = "/" + _normalise(path).lstrip("/")
    if _ANY in wanted and (fnmatchcase(known, wanted) or fnmatchcase(known, f"*/{wanted}")):
        return True
    if wanted.startswith("/"):
        return known == wanted or known.startswith(wanted.rstrip("/") + "/")
    inside = "/" + wanted.strip("/")
    return known.endswith(inside) or f"{inside}/" in known


def _normalise(path: str) -> str:
    return path.casefold().replace("\\", "/")


def _is_absolute(pattern: str) -> bool:
    return pattern.startswith("/") or pattern[1:_DRIVE] == ":"

"""Diagnostics of an editor, in the shapes in which clients write them → a table for each file."""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import msgspec

from clew.parts import Note, Part, Table

_COLUMNS: Final = ("Line", "Severity", "Message", "Source")
_SEVERITIES: Final = {1: "error", 2: "warning", 3: "information", 4: "hint"}


def diagnostic_parts(text: str | bytes) -> tuple[Part, ...]:
    """Show diagnostics that are written as JSON; nothing where their shape is not known."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return ()
    by_path: dict[str, list[tuple[str, ...]]] = {}
    for file in value if isinstance(value, list) else [value]:
        rows = list(_rows(file)) if isinstance(file, dict) else []
        if not all(message for _, _, message, _ in rows) or not isinstance(file, dict):
            return ()
        by_path.setdefault(_path(file), []).extend(rows)
    return tuple(part for path, rows in by_path.items() if rows for part in _table(path, rows))


def _table(path: str, rows: list[tuple[str, ...]]) -> Iterator[Part]:
    if path:
        yield Note(path)
    yield Table(_COLUMNS, tuple(rows))


def _rows(file: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """List the rows of a file with its diagnostics, or of one diagnostic with its file."""
    own = file.get("diagnostics")
    listed = own if isinstance(own, list) else [file]
    for each in (one if isinstance(one, dict) else {} for one in listed):
        yield (
            _position(each),
            _severity(each.get("severity")),
            str(each.get("message") or ""),
            " ".join(str(each[name]) for name in ("source", "code") if each.get(name)),
        )


def _path(file: Mapping[str, Any]) -> str:
    named = str(file.get("uri") or file.get("filePath") or file.get("file") or "")
    return unquote(urlsplit(named).path) if named.startswith("file://") else named


def _position(diagnostic: Mapping[str, Any]) -> str:
    """Return line and column, counted from 1; editors count both from 0 in a range."""
    match diagnostic:
        case {"range": {"start": {"line": int(line), "character": int(column)}}}:
            return f"{line + 1}:{column + 1}"
        case {"line": int(line), "column": int(column)}:
            return f"{line}:{column}"
        case {"line": int(line)}:
            return str(line)
        case _:
            return ""


def _severity(value: object) -> str:
    known = _SEVERITIES.get(value) if isinstance(value, int) else None
    return known or str(value or "").lower()

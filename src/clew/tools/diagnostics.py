"""Diagnostics of an editor, in the shapes in which clients write them → a table."""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import msgspec

from clew.parts import Table

_COLUMNS: Final = ("file", "line", "severity", "message", "source")
_SEVERITIES: Final = {1: "error", 2: "warning", 3: "information", 4: "hint"}


def diagnostics_table(value: object) -> Table | None:
    """Make a table of diagnostics; None for anything else, so that it can be shown as it is."""
    files = value if isinstance(value, list) else [value]
    rows: list[tuple[str, ...]] = []
    for file in files:
        found = list(_rows(file)) if isinstance(file, dict) else None
        if found is None or not all(row[3] for row in found):
            return None
        rows.extend(found)
    return Table(_COLUMNS, tuple(rows)) if rows else None


def decoded_diagnostics(text: str | bytes) -> Table | None:
    """Make a table of diagnostics that are written as JSON."""
    try:
        return diagnostics_table(msgspec.json.decode(text))
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _rows(file: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Give the rows of a file with its diagnostics, or that of one diagnostic with its file."""
    own = file.get("diagnostics")
    listed = own if isinstance(own, list) else [file]
    for each in (one if isinstance(one, dict) else {} for one in listed):
        yield (
            _path(file),
            _position(each),
            _severity(each.get("severity")),
            str(each.get("message") or ""),
            " ".join(str(each[name]) for name in ("source", "code") if each.get(name)),
        )


def _path(file: Mapping[str, Any]) -> str:
    named = file.get("uri") or file.get("filePath") or file.get("file") or ""
    address = str(named)
    return unquote(urlsplit(address).path) if address.startswith("file://") else address


def _position(diagnostic: Mapping[str, Any]) -> str:
    """Give line and column from 1; editors count both from 0 in a range."""
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

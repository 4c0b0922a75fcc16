"""`clew sql --schema`: describe tables, views and functions."""

import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Final

from clew.cli.output import make_console, write_json
from clew.cli.pager import find_pager, page
from clew.errors import UsageError
from clew.store import Descriptions, TableText, descriptions

_INDENT: Final = "  "
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_WIDEST_NAME: Final = 28
_WIDEST: Final = 100


def print_schema(name: str | None, *, as_json: bool) -> None:
    """Describe all tables, views and functions, or one table.

    Raises:
        UsageError: There is no such table.
    """
    known = descriptions()
    if name is not None and name not in known.tables:
        close = get_close_matches(name.lower(), known.tables, 1)
        hint = f"did you mean {close[0]}? " if close else ""
        raise UsageError(f"no such table or view: {name!r}; {hint}`clew sql --schema` lists all")
    tables = list(known.tables.values()) if name is None else [known.tables[name]]
    if as_json:
        write_json(_as_json(known, tables))
        return
    text = "".join(f"{line}\n" for line in _lines(known, tables, is_all=name is None))
    pager = find_pager() if sys.stdout.isatty() else []
    if not pager or not page([text], pager):
        sys.stdout.write(text)


def _as_json(known: Descriptions, tables: list[TableText]) -> dict[str, object]:
    return {
        "schema": "clew.sql_schema/1",
        "tables": [
            {"name": table.name, "about": _plain(table.about), "columns": _plain_all(table.columns)}
            for table in tables
        ],
        "functions": _plain_all({each.name: each.about for each in known.function}),
    }


def _plain_all(texts: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "about": _plain(about)} for name, about in texts.items()]


def _lines(known: Descriptions, tables: list[TableText], *, is_all: bool) -> Iterator[str]:
    width = min(make_console().width, _WIDEST)
    for table in tables:
        yield table.name
        yield from textwrap.wrap(
            _plain(table.about), width, initial_indent=_INDENT, subsequent_indent=_INDENT
        )
        yield from _entries(table.columns, width)
        yield ""
    if is_all:
        yield "functions"
        yield from _entries({each.name: each.about for each in known.function}, width)


def _entries(texts: Mapping[str, str], width: int) -> Iterator[str]:
    """Yield names with their descriptions beside them, or below a long name."""
    longest = min(max(map(len, texts)), _WIDEST_NAME) + len(_INDENT)
    indent = _INDENT * 2 + " " * longest
    for name, about in texts.items():
        lines = textwrap.wrap(_plain(about), width, initial_indent=indent, subsequent_indent=indent)
        if len(name) <= _WIDEST_NAME:
            lines[0] = f"{_INDENT * 2}{name:<{longest}}{lines[0].lstrip()}"
        else:
            yield f"{_INDENT * 2}{name}"
        yield from lines


def _plain(text: str) -> str:
    """Remove Markdown from a text."""
    return _LINK.sub(r"\1", text).replace("`", "")

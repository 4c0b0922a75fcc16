"""Lists in forms for programs: JSON on one line, CSV for sheets."""

import codecs
import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from clew.cli.text import safe_json, visible_lines

# A sheet takes a cell that begins so for a formula, and text from transcripts may be anyone's.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def write_json_list(
    schema: str, name: str, items: Iterable[object], more: Mapping[str, object] | None = None
) -> None:
    """Print `{"schema": …, name: […]}` while the items are found, and `more` behind them."""
    encode = msgspec.json.encode
    out = sys.stdout.buffer
    out.write(b'{"schema":' + encode(schema) + b"," + encode(name) + b":[")
    separator = b""
    for item in items:
        out.write(separator + safe_json(encode(item)))
        separator = b","
    rest = b"".join(
        b"," + encode(key) + b":" + encode(value) for key, value in (more or {}).items()
    )
    out.write(b"]" + rest + b"}\n")


def write_csv(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Print CSV with a line of names; text that a sheet might run gets an apostrophe.

    A file gets the text as it is; on a terminal, control characters are written as escapes.
    """
    # As JSON is: a program that reads it does not know what this terminal's letters are.
    out = codecs.getwriter("utf-8")(sys.stdout.buffer, "backslashreplace")
    writer = csv.writer(out, lineterminator="\n")
    cell = _visible_cell if sys.stdout.isatty() else _cell
    writer.writerow([cell(name) for name in columns])
    writer.writerows([cell(value) for value in row] for row in rows)


def csv_columns(kind: type[msgspec.Struct]) -> list[str]:
    """Give the columns of a struct; what stands in a struct within it comes in its place."""
    return [name for name, _ in _flat(kind)]


def csv_row(item: msgspec.Struct) -> list[object]:
    """Give the values of a struct, in the order of its columns."""
    values = []
    for name, inner in _flat(type(item)):
        holder = getattr(item, inner) if inner else item
        values.append(getattr(holder, name))
    return values


def _flat(kind: type[msgspec.Struct]) -> Iterator[tuple[str, str]]:
    """Give each column with the field that holds it, or nothing; none comes twice."""
    own = {field.name for field in msgspec.structs.fields(kind)}
    for field in msgspec.structs.fields(kind):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            inner = msgspec.structs.fields(field.type)
            yield from ((each.name, field.name) for each in inner if each.name not in own)
        else:
            yield field.name, ""


def _visible_cell(value: object) -> object:
    cell = _cell(value)
    return visible_lines(cell) if isinstance(cell, str) else cell


def _cell(value: object) -> object:
    match value:
        case None:
            return ""
        case bool():
            return int(value)
        case bytes():
            return value.hex()
        case tuple() | list():
            return _cell(", ".join(map(str, value)))
        case str() if value.startswith(_FORMULA):
            return f"'{value}"
        case _:
            return value

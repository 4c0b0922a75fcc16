"""Lists for programs: JSON on one line, and CSV."""

import codecs
import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from clew.cli.text import safe_json, visible_lines

# Spreadsheets take a cell that starts so for a formula, and transcripts are not trusted.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def write_json_list(
    schema: str, name: str, items: Iterable[object], more: Mapping[str, object] | None = None
) -> None:
    """Print `{"schema": …, name: […]}` while the items are found, followed by `more`."""
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
    """Print CSV with a header line; text that could be a formula gets an apostrophe.

    On a terminal, control characters are written as escapes.
    """
    # UTF-8, as for JSON: the program that reads it does not know this terminal's encoding.
    out = codecs.getwriter("utf-8")(sys.stdout.buffer, "backslashreplace")
    writer = csv.writer(out, lineterminator="\n")
    cell = _visible_cell if sys.stdout.isatty() else _cell
    writer.writerow([cell(name) for name in columns])
    writer.writerows([cell(value) for value in row] for row in rows)


def csv_columns(kind: type[msgspec.Struct]) -> list[str]:
    """Return the columns of a struct; nested structs are flattened."""
    return [name for name, _ in _flat(kind)]


def csv_row(item: msgspec.Struct) -> list[object]:
    """Return the values of a struct, in the order of its columns."""
    values = []
    for name, inner in _flat(type(item)):
        holder = getattr(item, inner) if inner else item
        values.append(getattr(holder, name))
    return values


def _flat(kind: type[msgspec.Struct]) -> Iterator[tuple[str, str]]:
    """Yield each column with the field of its nested struct, if any, without duplicates.

    Fields that only a team server sets are none.
    """
    own = {field.name for field in msgspec.structs.fields(kind)}
    for field in msgspec.structs.fields(kind):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            inner = msgspec.structs.fields(field.type)
            yield from ((each.name, field.name) for each in inner if each.name not in own)
        elif field.default is not msgspec.UNSET:
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

"""Named SQL statements, read from the files beside this module.

A name in braces stands for the text of that name, so that statements can share parts. Statements
in `sql/` are written for any database, those in `sql/sqlite/` for SQLite alone. Lists are passed as
parameters and read with `json_each`.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

_NAME: Final = re.compile(r"^-- ([a-z_]+): ", re.MULTILINE)
_PART: Final = re.compile(r"\{([a-z_]+)\}")
_IDENTIFIER: Final = re.compile(r"[a-z0-9_]+")


def statement(name: str) -> str:
    """Return a statement by its name."""
    return statements()[name]


def statement_on(name: str, target: str | int) -> str:
    """Return a statement with a table's name or a number in place of `$name`.

    SQL takes neither as a parameter.
    """
    text = str(target)
    if _IDENTIFIER.fullmatch(text) is None:
        raise ValueError(f"not the name of a table: {text!r}")
    return statement(name).replace("$name", text)


@cache
def statements() -> dict[str, str]:
    """Read all statements, each under the name in the comment above it."""
    found: dict[str, str] = {}
    for file in _files(resources.files("clew.store") / "sql"):
        found.update(_split(file.read_text("utf-8")))
    return {name: _whole(name, found) for name in found}


def _files(folder: Traversable) -> Iterator[Traversable]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _files(item)
        elif item.name.endswith(".sql"):
            yield item


def _whole(name: str, known: dict[str, str]) -> str:
    """Return a statement with its parts in their places."""
    return _PART.sub(lambda part: _whole(part[1], known).removesuffix(";"), known[name])


def _split(text: str) -> dict[str, str]:
    parts = _NAME.split(text)
    return {
        name: body.partition("\n")[2].strip()
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }

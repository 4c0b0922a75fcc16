"""Named SQL statements, read from the files beside this module.

A name in braces stands for the text of that name, so that statements can share parts. Statements
in `sql/` are written for any database as SQLite reads them, and `store.dialect` translates them.
Those in `sql/sqlite/` and `sql/postgres/` are for one engine alone: such a text takes the place of
one in `sql/` with the same name. Those in `sql/team/` are about the tables of the team server,
which PostgreSQL alone has. Lists are passed as parameters and read with `json_each`. The parts
`session_matches`, `tool_call_matches` and so on combine the SQL of all filters.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final, Literal, TypeAlias

from clew.analytics import ALL_FILTERS, Filter, Thing

Engine: TypeAlias = Literal["sqlite", "postgres", "team"]
"""The databases that statements are written for, by the folders of their own ones."""

_NAME: Final = re.compile(r"^-- ([a-z_]+): ", re.MULTILINE)
_PART: Final = re.compile(r"\{([a-z_]+)\}")
_IDENTIFIER: Final = re.compile(r"[a-z0-9_]+")
# Hits are filtered by search, which knows their texts.
_THINGS: Final = tuple(thing for thing in Thing if thing is not Thing.HIT)


def statement(name: str, engine: Engine = "sqlite") -> str:
    """Return a statement by its name, as an engine reads it."""
    return statements(engine)[name]


def statement_on(name: str, target: str | int, engine: Engine = "sqlite") -> str:
    """Return a statement with a table's name or a number in place of `$name`.

    SQL takes neither as a parameter.
    """
    text = str(target)
    if _IDENTIFIER.fullmatch(text) is None:
        raise ValueError(f"not the name of a table: {text!r}")
    return statement(name, engine).replace("$name", text)


@cache
def statements(engine: Engine = "sqlite") -> dict[str, str]:
    """Read all statements for an engine, each under the name in the comment above it."""
    folder = resources.files("clew.store") / "sql"
    places = [folder / engine] if engine == "team" else [folder, folder / engine]
    found = (
        {} if engine == "team" else {f"{thing}_matches": _conditions(thing) for thing in _THINGS}
    )
    for place in places:
        for file in _files(place):
            found.update(_split(file.read_text("utf-8")))
    whole = {name: _whole(name, found) for name in found}
    if engine == "sqlite":
        return whole
    from clew.store.dialect import translate  # noqa: PLC0415 (only where it is used)

    return {name: translate(text) for name, text in whole.items()}


def _conditions(thing: Thing) -> str:
    """Combine the conditions of all filters that select a thing in SQL."""
    conditions = [_condition(each, thing) for each in ALL_FILTERS if _is_in_sql(each, thing)]
    return "\n  AND ".join(conditions)


def _is_in_sql(each: Filter, thing: Thing) -> bool:
    """Model calls are selected after they are summed, or by their time while they are."""
    return thing is not Thing.MODEL_CALL or (each.of_call is None and thing not in each.own)


def _condition(each: Filter, thing: Thing) -> str:
    owner = thing if thing in each.own else Thing.SESSION
    return f"(:{each.name} IS NULL OR ({{{each.name}_of_{owner}}}))"


def _files(folder: Traversable) -> Iterator[Traversable]:
    return (item for item in folder.iterdir() if item.name.endswith(".sql"))


def _whole(name: str, known: dict[str, str]) -> str:
    """Return a statement with its parts in their places."""
    return _PART.sub(lambda part: _whole(part[1], known).removesuffix(";"), known[name])


def _split(text: str) -> dict[str, str]:
    parts = _NAME.split(text)
    return {
        name: body.partition("\n")[2].strip()
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }

"""What the tables, views and functions of a query hold, in words."""

import tomllib
from functools import cache
from importlib import resources

import msgspec


class TableText(msgspec.Struct, frozen=True):
    """A table or view, with a sentence for each column."""

    name: str
    about: str
    columns: dict[str, str]


class Section(msgspec.Struct, frozen=True):
    """Tables that belong together."""

    title: str
    table: tuple[TableText, ...]
    about: str = ""


class FunctionText(msgspec.Struct, frozen=True):
    """A function, named with its arguments."""

    name: str
    about: str


class Descriptions(msgspec.Struct, frozen=True):
    """All tables, views and functions."""

    section: tuple[Section, ...]
    function: tuple[FunctionText, ...]

    @property
    def tables(self) -> dict[str, TableText]:
        """The tables and views by their names."""
        return {table.name: table for section in self.section for table in section.table}


@cache
def descriptions() -> Descriptions:
    """Read the descriptions that come with the package."""
    file = resources.files("clew.store") / "schema" / "descriptions.toml"
    return msgspec.convert(tomllib.loads(file.read_text("utf-8")), Descriptions)

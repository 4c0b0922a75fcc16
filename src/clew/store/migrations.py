"""Numbered migrations: the tables, described once for all databases."""

from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

import msgspec


class Migration(msgspec.Struct, frozen=True, order=True):
    """One step from one format of the tables to the next."""

    number: int
    name: str
    text: str


@cache
def common_migrations() -> tuple[Migration, ...]:
    """Return the migrations of all databases, in order."""
    return tuple(sorted(read_migrations(resources.files("clew.store") / "schema")))


def read_migrations(folder: Traversable) -> Iterator[Migration]:
    """Read the migrations in a folder."""
    for item in folder.iterdir():
        number, _, name = item.name.removesuffix(".sql").partition("_")
        if item.name.endswith(".sql"):
            yield Migration(int(number), name, item.read_text("utf-8"))

"""Values of statements and rows, as SQLite takes and gives them."""

from typing import Any, Final

from psycopg import Connection
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.types.numeric import IntDumper
from psycopg.types.string import TextLoader

from clew.storable import storable
from clew.store.protocols import Parameters

_NUMBERS: Final = frozenset(
    {"bool", "bytea", "float4", "float8", "int2", "int4", "int8", "numeric", "oid"}
)


class NumericLoader(Loader):
    """Sums of whole numbers come without a limit: as numbers like all others."""

    # `typing.override` comes with Python 3.12.
    def load(self, data: Buffer) -> int | float:  # type: ignore[explicit-override]
        """Return a number."""
        text = bytes(data)
        return int(text) if text.lstrip(b"-").isdigit() else float(text)


class BooleanLoader(Loader):
    """What is true is 1."""

    def load(self, data: Buffer) -> int:  # type: ignore[explicit-override]
        """Return 1 or 0."""
        return int(bytes(data) == b"t")


def adapt(connection: Connection[Any]) -> None:
    """Let a connection give rows the values that SQLite gives them."""
    connection.adapters.register_loader("numeric", NumericLoader)
    connection.adapters.register_loader("bool", BooleanLoader)
    connection.adapters.register_dumper(bool, IntDumper)


def read_as_text(connection: Connection[Any]) -> None:
    """Let all values but numbers and bytes come as the text that the server writes."""
    for kind in connection.adapters.types:
        if kind.name not in _NUMBERS:
            connection.adapters.register_loader(kind.oid, TextLoader)
        if kind.array_oid:
            connection.adapters.register_loader(kind.array_oid, TextLoader)


def encode_values(values: Parameters, owner: int, viewer: int | None = None) -> dict[str, object]:
    """Return the values of a statement, with the owner and the viewer, by default one, in them."""
    encoded = {name: _encode(value) for name, value in values.items()}
    encoded["owner"] = owner
    encoded["viewer"] = owner if viewer is None else viewer
    return encoded


def _encode(value: object) -> object:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_encode(item) for item in value]
    return int(value) if isinstance(value, bool) else value

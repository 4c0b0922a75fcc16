"""What the transcripts of a session say of it, as far as filters ask for it."""

from typing import Final

import msgspec


class RowFacts(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """The fields of a transcript's rows that filters ask for, and whether it is a side row."""

    is_sidechain: bool = False
    git_branch: str | None = ""
    entrypoint: str | None = ""
    version: str | None = ""


class TranscriptFacts(msgspec.Struct):
    """The tools that a session called, and the values of fields in its rows, in their order.

    Values that repeat the one before are left out. `outcome` is known if somebody filters by it.
    """

    tools: tuple[str, ...] = ()
    rows: dict[str, list[str]] = {}
    outcome: str = ""

    def add_row(self, fields: frozenset[str], row: RowFacts) -> None:
        """Add the values of some fields of a row."""
        for field in fields:
            if value := getattr(row, field):
                self.add(field, value)

    def add_rows(self, other: "TranscriptFacts") -> None:
        """Add the values in the rows of another transcript."""
        for field, values in other.rows.items():
            for value in values:
                self.add(field, value)

    def add(self, field: str, value: str) -> None:
        """Add one value of a field."""
        values = self.rows.setdefault(field, [])
        if values[-1:] != [value]:
            values.append(value)

    def first(self, field: str) -> list[str]:
        """Return the first value of a field, if there is one."""
        return self.rows.get(field, [])[:1]

    def last(self, field: str) -> list[str]:
        """Return the last value of a field, if there is one."""
        return self.rows.get(field, [])[-1:]


decode_facts: Final = msgspec.json.Decoder(RowFacts).decode


def key_of(field: str) -> bytes:
    """Return a field as it stands in a line, with the quotation mark that opens its value."""
    names = dict(zip(RowFacts.__struct_fields__, RowFacts.__struct_encode_fields__, strict=True))
    return f'"{names[field]}":"'.encode()

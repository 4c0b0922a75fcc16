import pytest

from clew.entries import Marker, Row, System, Unknown
from clew.entries.tables import DECODERS, RECORD_TYPES, is_named, struct_for


def test_every_type_has_a_struct_and_a_decoder() -> None:
    structs = [struct_for(kind, "") for kind in RECORD_TYPES]

    assert all(issubclass(struct, Row | Marker) for struct in structs)
    assert {*structs} <= DECODERS.keys()
    assert Unknown not in structs


@pytest.mark.parametrize(
    ("kind", "subtype"), [("hologram", ""), ("", ""), ("hologram", "api_error")]
)
def test_a_type_without_a_struct_is_unknown(kind: str, subtype: str) -> None:
    assert struct_for(kind, subtype) is Unknown
    assert not is_named(kind, subtype)


def test_a_system_row_of_a_new_subtype_is_a_system_row() -> None:
    assert struct_for("system", "moon") is System
    assert is_named("system", "")
    assert not is_named("system", "moon")


def test_only_system_rows_have_subtypes() -> None:
    assert is_named("user", "moon")

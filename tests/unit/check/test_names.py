"""Names from transcripts, made fit for a report."""

import pytest

from clew.check.names import file_name, short_name, short_path, version_key


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("queue-operation", "queue-operation"),
        ("", "(none)"),
        (" \n", "(none)"),
        ("what a person said", "what…"),
        ("x" * 61, "x" * 60 + "…"),
    ],
)
def test_a_name_ends_at_its_first_blank_or_after_60_characters(name: str, shown: str) -> None:
    assert short_name(name) == shown


def test_each_key_of_a_path_is_cut_for_itself() -> None:
    path = "user.message.some words.content[]/kind"

    assert short_path(path) == "user.message.some….content[]/kind"


def test_a_file_name_that_is_not_utf_8_can_be_encoded() -> None:
    assert file_name(b"caf\xe9.jsonl".decode("utf-8", "surrogateescape")) == "caf\\udce9.jsonl"


def test_versions_are_ordered_by_their_numbers() -> None:
    versions = ["2.0.10", "unknown", "2.0.9", "1.0.128", "2.0"]

    ordered = sorted(versions, key=version_key)

    assert ordered == ["unknown", "1.0.128", "2.0", "2.0.9", "2.0.10"]

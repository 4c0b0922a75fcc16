"""Rows of entries."""

import pytest

from clew.conversation import Material, Transcript, TranscriptKind
from clew.entries import decode_all
from clew.source import split_lines
from clew.store.entry_rows import claim_of, entry_rows, old_title_rows, short_id

UUID = "00112233-4455-6677-8899-aabbccddeeff"
LINES = (
    f'{{"type":"user","uuid":"{UUID}","timestamp":"t1","version":"2","message":{{"content":"x"}}}}',
    '{"type":"system","uuid":"s","subtype":"turn_duration"}',
    '{"type":"system","uuid":"s"}',
    '{"type":"attachment","uuid":"a","attachment":{"type":"new_kind"}}',
    '{"type":"progress","uuid":"p","data":{"type":"bash_progress"}}',
    f'{{"type":"summary","summary":"old","leafUuid":"{UUID}"}}',
    '{"type":"queue-operation","operation":"enqueue","timestamp":"t0"}',
    "{broken",
)


def transcript(*lines: str) -> Transcript:
    data = "".join(f"{line}\n" for line in lines).encode()
    entries = tuple(decode_all(split_lines([data], "s.jsonl")))
    return Transcript("s", TranscriptKind.SESSION, entries, path="s.jsonl")


def test_each_kind_of_entry_is_told_by_its_type_and_subtype() -> None:
    rows = entry_rows([(0, transcript(*LINES))]).rows

    assert [row[5:7] for row in rows] == [
        ("user", ""),
        ("system", "turn_duration"),
        ("system", ""),
        ("attachment", "new_kind"),
        ("progress", "bash_progress"),
        ("summary", ""),
        ("queue-operation", ""),
        ("broken", ""),
    ]
    assert [row[4] for row in rows[:2]] == [bytes.fromhex(UUID.replace("-", "")), "s"]


def test_an_entry_has_its_place_and_its_length() -> None:
    two = '{"type":"tag"}{"type":"tag"}'

    found = entry_rows([(3, transcript(LINES[1], two))])

    start = len(LINES[1]) + 1
    half = len(two) // 2
    places = [(3, 1, 0, start - 1), (3, 2, start, half), (3, 2, start + half, half)]
    assert [row[:4] for row in found.rows] == places
    assert found.sizes == {"s.jsonl": {offset: size for _, _, offset, size in places}}


def test_a_claim_is_less_than_that_of_a_fork_and_of_a_later_session() -> None:
    forked = LINES[0].replace('"uuid"', '"forkedFrom":{"sessionId":"o"},"uuid"')
    claims = [
        claim_of(Material("id", (transcript(*lines),)))
        for lines in (LINES, LINES[:2], (*LINES, forked))
    ]

    assert claims == ["|0|t0|id", "|0|~|id", "|1|t0|id"]


def test_old_titles_name_the_row_they_point_at() -> None:
    material = Material("id", (transcript(*LINES),))

    assert old_title_rows(material) == [(short_id(UUID), "old", 0)]


@pytest.mark.parametrize("name", ["", "msg_1", "z" * 36, UUID.replace("-", "")])
def test_only_a_uuid_is_shortened(name: str) -> None:
    assert short_id(name) == name
    assert short_id(UUID) == bytes(range(0, 256, 17))

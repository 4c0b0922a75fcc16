from typing import Any

import pytest

from clew.entries import (
    Assistant,
    Marker,
    Row,
    Summary,
    System,
    TurnDuration,
    Unknown,
    User,
    decode,
    decode_all,
)
from clew.source import split_lines
from tests.unit.entries.reading import answer, entries_of, entry_of, kinds, line_of, prompt

USER = b'{"parentUuid":null,"type":"user","message":{"role":"user","content":"x"},"uuid":"u1"}'
ANSWER = (
    b'{"parentUuid":null,"message":{"model":"claude-1","id":"m","type":"message",'
    b'"role":"assistant","content":[]},"type":"assistant","uuid":"u2"}'
)
PROGRESS = b'{"parentUuid":null,"type":"progress","data":{"type":"hook_progress"},"uuid":"u3"}'
MARKER = b'{"type":"summary","summary":"x","leafUuid":"u1"}'
SYSTEM = b'{"parentUuid":null,"type":"system","subtype":"turn_duration","durationMs":5}'


def test_a_line_becomes_an_entry_that_keeps_its_bytes() -> None:
    line = line_of(b'{"type":"summary",  "summary":"x"}', offset=120)

    (entry,) = decode(line)

    assert entry.line == line
    assert isinstance(entry.body, Summary)
    assert (entry.raw, entry.offset) == (line.raw, 120)
    assert entry.problems == ()


def test_lines_are_decoded_one_after_the_other() -> None:
    lines = [line_of(prompt("a")), line_of(b""), line_of({"type": "mode"}), line_of(answer())]

    bodies = [type(entry.body) for entry in decode_all(lines)]

    assert bodies[::2] == [User, Assistant]
    assert len(bodies) == 3


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(b"", id="blank"),
        pytest.param(b"\0\0", id="NUL bytes"),
        pytest.param(USER[:60], id="torn"),
        pytest.param(USER + ANSWER, id="glued"),
        pytest.param(b"\xef\xbb\xbf" + USER, id="byte order mark"),
        pytest.param(USER.replace(b'"x"', b'"\xff"'), id="not UTF-8"),
        pytest.param(USER.replace(b'"u1"', b"7"), id="a field that does not fit"),
        pytest.param(b'{"a":' + USER + b',"type":"mode"}', id="a type within"),
        pytest.param(ANSWER.replace(b'"type":"assistant"', b'"type":"user"'), id="a wrong guess"),
        pytest.param(PROGRESS.replace(b"hook_progress", b"hologram"), id="an unknown kind"),
        pytest.param(b'{"type":"hologram"}', id="an unknown type"),
    ],
)
def test_an_odd_line_among_usual_ones_is_what_it_is_alone(odd: bytes) -> None:
    raws = [USER, ANSWER, odd, PROGRESS, MARKER, odd, ANSWER, SYSTEM, USER, odd]
    content = b"\n".join(raws)

    entries = list(decode_all(split_lines([content], "s")))

    assert entries == [e for line in split_lines([content], "s") for e in decode(line)]
    assert len(entries) >= len(raws) - 3


def test_lines_that_were_begun_are_decoded_from_there_on() -> None:
    lines = split_lines([USER + b"\n" + ANSWER + b"\n"], "s")
    next(lines)

    (entry,) = decode_all(lines)

    assert isinstance(entry.body, Assistant)
    assert (entry.number, entry.offset) == (2, len(USER) + 1)


@pytest.mark.parametrize("kind", ["users", "assigned", "programme", "messenger", "message"])
def test_a_type_that_begins_like_a_frequent_one_is_another(kind: str) -> None:
    record = {"type": kind, "uuid": "u1", "message": {"content": []}}

    (entry,) = decode_all([line_of(record)])

    assert isinstance(entry.body, Unknown)
    assert (entry.body.type, kinds(entry)) == (kind, ["unknown_type"])


@pytest.mark.parametrize(
    "raw",
    [
        b'{"message":{"content":"x"},"uuid":"u1","type":"user"}',
        b'{ "type" : "user" , "uuid" : "u1", "message" : { "content" : "x" } }',
        b'{"\\u0074ype":"user","uuid":"u1","message":{"content":"x"}}',
        b'{"toolUseResult":{"type":"summary"},"type":"user","uuid":"u1","message":{"content":"x"}}',
        b'{"toolUseResult":{"type":"system"},"type":"user","uuid":"u1","message":{"content":"x"}}',
        b'{"a":"\\"type\\":\\"mode\\"","type":"user","uuid":"u1","message":{"content":"x"}}',
        b'{"type":"mode","type":"user","uuid":"u1","message":{"content":"x"}}',
        b'{"type":"user","message":7,"uuid":"u1","message":{"content":"x"}}',
    ],
)
def test_however_a_record_is_written_it_is_the_same(raw: bytes) -> None:
    entry = entry_of(raw)

    assert isinstance(entry.body, User)
    assert (entry.body.uuid, entry.body.message.content) == ("u1", "x")
    assert entry.problems == ()
    assert entry.raw == raw


def test_a_nested_type_does_not_mislead_about_a_system_row() -> None:
    raw = b'{"error":{"type":"user"},"type":"system","subtype":"turn_duration","durationMs":5}'

    entry = entry_of(raw)

    assert isinstance(entry.body, TurnDuration)
    assert entry.body.duration_ms == 5


def test_unknown_fields_do_no_harm() -> None:
    entry = entry_of(prompt("x", newThing={"deep": [1, 2, {"type": "user"}]}))

    assert isinstance(entry.body, User)
    assert entry.problems == ()


@pytest.mark.parametrize("kind", ["hologram", "User", "", "user ", "compact", "🦀", "a" * 500])
def test_a_record_of_an_unknown_type_keeps_what_links_it(kind: str) -> None:
    record = {"type": kind, "uuid": "u2", "parentUuid": "u1", "sessionId": "s", "x": {"y": [1]}}

    entry = entry_of(record)

    assert isinstance(entry.body, Unknown)
    assert (entry.body.type, entry.body.uuid, entry.body.parent_uuid) == (kind, "u2", "u1")
    assert kinds(entry) == (["unknown_type"] if kind else ["missing_field"])
    assert all(len(problem.text) < 80 for problem in entry.problems)


@pytest.mark.parametrize("record", [{}, {"type": None}, {"type": 7}, {"type": ["user"]}])
def test_a_record_without_a_type_is_kept_and_said(record: dict[str, Any]) -> None:
    entry = entry_of({**record, "uuid": "u1", "timestamp": "2026-01-01T00:00:00Z"})

    assert isinstance(entry.body, Unknown)
    assert (entry.body.type, entry.body.uuid) == ("", "u1")
    assert kinds(entry) == ["missing_field"]


def test_problems_say_where_they_are() -> None:
    entry = decode(line_of({"type": "hologram"}, offset=99))[0]

    (problem,) = entry.problems
    assert (problem.file, problem.line, problem.offset) == ("s.jsonl", 1, 99)


@pytest.mark.parametrize("raw", [b"", b" ", b"\r", b"\t \r", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r"])
def test_a_blank_line_has_no_entry(raw: bytes) -> None:
    assert entries_of(raw) == []


def test_system_rows_of_the_flat_dialect_and_the_usual_one_stand_side_by_side() -> None:
    flat = entry_of({"type": "system", "subtype": "error", "message": "no", "isError": True})
    usual = entry_of({"type": "system", "subtype": "error", "content": "no", "isError": True})

    assert isinstance(flat.body, System)
    assert isinstance(usual.body, System)
    assert flat.body.content == usual.body.content == "no"


def test_a_line_of_five_megabytes_is_a_line() -> None:
    text = "word " * 1_000_000

    entry = entry_of(prompt(text))

    assert isinstance(entry.body, User)
    assert entry.body.message.content == text


def test_every_body_can_be_told_apart_by_its_class() -> None:
    bodies = [entry_of(record).body for record in (prompt("x"), {"type": "mode"}, {"type": "zz"})]

    assert [isinstance(body, Row) for body in bodies] == [True, False, True]
    assert [isinstance(body, Marker) for body in bodies] == [False, True, False]

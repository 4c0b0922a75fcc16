from typing import Any

import msgspec
import pytest

from clew.entries import Assistant, Broken, Entry, ProgressRow, Summary, Unknown, User, unnamed
from tests.unit.entries.reading import answer, entries_of, entry_of, kinds, prompt

ONE = b'{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"one"}}'
TWO = b'{"type":"summary","summary":"two","leafUuid":"u1"}'
THREE = b'{"parentUuid":"u1","type":"user","uuid":"u3","sessionId":"s","message":{"content":"3"}}'


def classes(entries: list[Entry]) -> list[type]:
    return [type(entry.body) for entry in entries]


def raws(entries: list[Entry]) -> list[bytes]:
    return [entry.raw for entry in entries]


def test_two_records_on_one_line_are_two_entries() -> None:
    entries = entries_of(ONE + TWO, offset=1000)

    assert classes(entries) == [User, Summary]
    assert raws(entries) == [ONE, TWO]
    assert [entry.offset for entry in entries] == [1000, 1000 + len(ONE)]
    assert [kinds(entry) for entry in entries] == [["glued"], []]


def test_three_records_on_one_line_are_three_entries() -> None:
    entries = entries_of(ONE + TWO + THREE)

    assert classes(entries) == [User, Summary, User]
    assert raws(entries) == [ONE, TWO, THREE]
    assert entries[0].problems[0].text == "3 pieces on one line"


@pytest.mark.parametrize("between", [b" ", b"\x00", b"\r", b"\t\x00\x00 ", b"\x00" * 5000])
def test_blanks_and_nul_bytes_between_glued_records_are_skipped(between: bytes) -> None:
    entries = entries_of(ONE + between + TWO)

    assert classes(entries) == [User, Summary]
    assert entries[0].raw.strip() == ONE
    assert entries[1].raw == TWO


def test_a_problem_of_the_second_record_stands_at_its_own_place() -> None:
    _, second = entries_of(ONE + b'{"type":"hologram"}', offset=10)

    assert kinds(second) == ["unknown_type"]
    assert second.problems[0].offset == 10 + len(ONE)


@pytest.mark.parametrize("cut", range(1, len(ONE)))
def test_a_record_behind_a_torn_one_is_found_wherever_the_tear_is(cut: int) -> None:
    entries = entries_of(ONE[:cut] + THREE)

    assert [entry.body.uuid for entry in entries if isinstance(entry.body, User)] == ["u3"]
    assert classes(entries) == [Broken, User]
    assert raws(entries) == [ONE[:cut], THREE]
    assert [kinds(entry) for entry in entries] == [["glued", "torn"], []]


def test_records_between_torn_ones_are_found() -> None:
    torn = b'{"type":"assistant","uuid":"u7","message":{"content":[{"type":"text","text":"half a'

    entries = entries_of(torn + ONE + torn + TWO + torn)

    assert classes(entries) == [Broken, User, Broken, Summary, Broken]
    assert raws(entries) == [torn, ONE, torn, TWO, torn]


def test_a_torn_record_with_many_blocks_hides_nothing_behind_it() -> None:
    blocks = b",".join(b'{"type":"text","text":"%d"}' % n for n in range(100))

    torn, whole = entries_of(b'{"type":"user","message":{"content":[' + blocks + ONE)

    assert isinstance(torn.body, Broken)
    assert isinstance(whole.body, User)


@pytest.mark.parametrize("end", [b'},"toolUseID":"t1', b"}", b"", b'},"x":[1,{"type":"user"}'])
def test_a_record_inside_a_torn_one_is_not_taken_for_its_neighbour(end: bytes) -> None:
    inner = b'{"type":"user","message":{"content":"x"},"uuid":"inner"}'
    torn = (
        b'{"type":"progress","uuid":"u1","data":{"type":"agent_progress","message":' + inner + end
    )

    entry = entry_of(torn)

    assert isinstance(entry.body, Broken)
    assert kinds(entry) == ["torn"]


def test_bytes_behind_a_record_are_kept() -> None:
    record, rest = entries_of(ONE + b'"rest":1}')

    assert isinstance(record.body, User)
    assert isinstance(rest.body, Broken)
    assert rest.raw == b'"rest":1}'


@pytest.mark.parametrize("cut", range(1, len(ONE)))
def test_a_last_line_without_its_newline_is_unfinished(cut: int) -> None:
    entry = entry_of(ONE[:cut], ended=False)

    assert isinstance(entry.body, Broken)
    assert kinds(entry) == ["unfinished"]


@pytest.mark.parametrize("cut", range(1, len(ONE)))
def test_a_line_that_ends_too_early_is_torn(cut: int) -> None:
    entry = entry_of(ONE[:cut])

    assert isinstance(entry.body, Broken)
    assert kinds(entry) == ["torn"]
    assert entry.raw == ONE[:cut]


@pytest.mark.parametrize(
    "end", [b"-", b"-1", b"1.", b"2e", b"2e+", b"tr", b"nul", b'"\\', b'"\\u00', b'"\xe2\x82', b"["]
)
def test_a_line_may_break_off_inside_any_value(end: bytes) -> None:
    entry = entry_of(b'{"type":"user","uuid":"u1","n":' + end, ended=False)

    assert isinstance(entry.body, Broken)
    assert entry.body.uuid == "u1"
    assert kinds(entry) == ["unfinished"]


def test_an_unfinished_line_with_half_a_surrogate_pair_is_unfinished_all_the_same() -> None:
    entry = entry_of(b'{"type":"user","a":"\\udc00","b":"half', ended=False)

    assert kinds(entry) == ["unfinished"]


def test_a_whole_record_without_its_newline_is_a_record() -> None:
    entry = entry_of(ONE, ended=False)

    assert isinstance(entry.body, User)
    assert entry.problems == ()


def test_the_torn_end_of_a_glued_line_is_unfinished() -> None:
    entries = entries_of(TWO + ONE[:40], ended=False)

    assert [kinds(entry) for entry in entries] == [["glued"], ["unfinished"]]


@pytest.mark.parametrize(
    "raw", [b"hello", b"}", b"{]", b'{"a" 1}', b"\xff\xfe", b"{'a':1}", b'{"a":1,}']
)
def test_a_line_that_is_not_json_is_broken(raw: bytes) -> None:
    entry = entry_of(raw)

    assert isinstance(entry.body, Broken)
    assert entry.body.reason != ""
    assert (kinds(entry), entry.raw) == (["broken"], raw)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "true or false"),
        (7, "a number"),
        (1.5, "a number"),
        ("user", "a text"),
        ([], "a list"),
        ([{"type": "user"}], "a list"),
    ],
)
def test_json_that_is_no_record_is_broken(value: Any, name: str) -> None:
    entry = entry_of(msgspec.json.encode(value))

    assert isinstance(entry.body, Broken)
    assert entry.body.reason == f"{name}, not a record"
    assert kinds(entry) == ["broken"]


def test_a_broken_record_keeps_what_links_it() -> None:
    raw = b'{"parentUuid":"u1","sessionId":"s","uuid":"u2","timestamp":"2026-01-01T10:00:00Z","a":}'

    body = entry_of(raw).body

    assert isinstance(body, Broken)
    assert (body.uuid, body.parent_uuid, body.session_id) == ("u2", "u1", "s")
    assert body.timestamp == "2026-01-01T10:00:00Z"


@pytest.mark.parametrize("before", [b"\x00", b"\x00" * 4096, b" \x00 ", b"\xef\xbb\xbf\x00"])
@pytest.mark.parametrize("after", [b"", b"\r"])
def test_nul_bytes_before_a_record_are_skipped_and_said(before: bytes, after: bytes) -> None:
    entry = entry_of(before + ONE + after)

    assert isinstance(entry.body, User)
    assert kinds(entry) == ["nul"]
    assert entry.raw == before + ONE + after


def test_nul_bytes_behind_a_record_are_skipped_and_said() -> None:
    entry = entry_of(ONE + b"\x00\x00")

    assert isinstance(entry.body, User)
    assert kinds(entry) == ["nul"]


@pytest.mark.parametrize("raw", [b"\x00", b"\x00" * 4096, b"\x00 \r"])
def test_a_line_of_nul_bytes_is_kept(raw: bytes) -> None:
    entry = entry_of(raw)

    assert isinstance(entry.body, Broken)
    assert (kinds(entry), entry.raw) == (["nul"], raw)


@pytest.mark.parametrize(
    ("before", "after"), [(b"\xef\xbb\xbf", b""), (b"", b"\r"), (b" ", b" \t")]
)
def test_what_editors_leave_around_a_record_is_no_problem(before: bytes, after: bytes) -> None:
    entry = entry_of(before + ONE + after)

    assert isinstance(entry.body, User)
    assert entry.problems == ()
    assert entry.raw == before + ONE + after


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (b"a\\ud800", "a\ufffd"),
        (b"\\udc00b", "\ufffdb"),
        (b"\\ud800\\ud800", "\ufffd\ufffd"),
        (b"a\xffb", "a\ufffdb"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
        (b"tab\there", "tab\there"),
        (b"bell\x07", "bell\x07"),
        (b"nul\x00", "nul\x00"),
    ],
)
def test_text_that_is_no_text_is_repaired_and_said(text: bytes, read: str) -> None:
    entry = entry_of(b'{"type":"user","uuid":"u1","message":{"content":"' + text + b'"}}')

    assert isinstance(entry.body, User)
    assert entry.body.message.content == read
    assert kinds(entry) == ["encoding"]


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e400", b"9" * 5000])
def test_a_number_that_is_none_is_left_out_and_said(number: bytes) -> None:
    entry = entry_of(b'{"type":"assistant","durationMs":' + number + b',"message":{"id":"m"}}')

    assert isinstance(entry.body, Assistant)
    assert (entry.body.message.id, entry.body.duration_ms) == ("m", None)
    assert kinds(entry) == ["encoding"]


@pytest.mark.parametrize("digits", [20, 30, 400, 5000])
def test_a_huge_integer_where_nobody_counts_does_no_harm(digits: int) -> None:
    entry = entry_of(b'{"type":"hologram","uuid":"u1","n":' + b"9" * digits + b"}")

    assert isinstance(entry.body, Unknown)
    assert entry.body.uuid == "u1"


@pytest.mark.parametrize("depth", [100, 900, 1000, 100_000])
@pytest.mark.parametrize("nest", [(b"[", b"]"), (b'{"a":', b"}")])
@pytest.mark.parametrize(
    "record",
    [
        b'{"type":"user","uuid":"u1","message":{"content":%b}}',
        b'{"type":"user","uuid":"u1","message":{"content":[{"type":"zz","x":%b}]}}',
        b'{"type":"assistant","uuid":"u1","toolName":"X","toolArguments":%b}',
        b'{"type":"attachment","uuid":"u1","attachment":%b}',
        b'{"type":"hologram","uuid":"u1","x":%b}',
    ],
)
def test_any_nesting_is_an_entry(record: bytes, nest: tuple[bytes, bytes], depth: int) -> None:
    opened, closed = nest

    entry = entry_of(record % (opened * depth + b"1" + closed * depth))

    assert entry.body.uuid == "u1"  # type: ignore[union-attr]  # a marker cannot come of these


@pytest.mark.parametrize(
    "record",
    [
        b'{"type":"user","uuid":"u1","message":{"content":%b}}',
        b'{"type":"user","uuid":"u1","message":{"content":[{"type":"zz","x":%b}]}}',
        b'{"type":"assistant","uuid":"u1","message":"x","toolArguments":%b}',
        b'{"type":"attachment","uuid":"u1","attachment":%b}',
        b'{"type":"user","uuid":"u1","message":{},"a":"\\ud800","x":%b}',
        b'garbage{"type":"user","uuid":"u1","sessionId":"s","a":"\\ud800","x":%b}',
    ],
)
def test_the_edge_of_what_can_be_nested_is_no_cliff(record: bytes) -> None:
    for depth in (*range(400, 500), *range(880, 1000)):
        raw = record % (b"[" * depth + b"]" * depth)

        entries = entries_of(raw)

        assert b"".join(entry.raw for entry in entries) == raw
        assert [unnamed(entry) for entry in entries] != []


def test_nesting_that_never_closes_is_broken() -> None:
    entry = entry_of(b"[" * 100_000)

    assert isinstance(entry.body, Broken)
    assert entry.body.reason == "nested too deeply"


def test_the_last_of_two_equal_keys_counts() -> None:
    entry = entry_of(
        b'{"type":"zz","type":"user","uuid":"u1","uuid":"u2","message":{"content":"x"}}'
    )

    assert isinstance(entry.body, User)
    assert entry.body.uuid == "u2"


def test_several_misfits_cost_those_fields_and_are_all_said() -> None:
    entry = entry_of(prompt("x", uuid=7, cwd=[], version=None, sessionId="s"))

    assert isinstance(entry.body, User)
    assert (entry.body.session_id, entry.body.message.content) == ("s", "x")
    assert kinds(entry) == ["wrong_shape"] * 3
    assert {p.text.partition(":")[0] for p in entry.problems} == {"uuid", "cwd", "version"}


def test_a_misfit_far_down_costs_that_field_alone() -> None:
    record = answer()
    usage = {"output_tokens": 5, "cache_creation": {"ephemeral_5m_input_tokens": []}}

    entry = entry_of({**record, "message": {**record["message"], "usage": usage}})

    assert isinstance(entry.body, Assistant)
    assert entry.body.message.usage is not None
    assert entry.body.message.usage.output_tokens == 5
    assert kinds(entry) == ["wrong_shape"]


def test_a_record_with_too_many_misfits_keeps_what_links_it() -> None:
    blocks = [{"type": "text", "text": 7}] * 100

    entry = entry_of(prompt(blocks, uuid="u2", parentUuid="u1", sessionId="s"))

    assert isinstance(entry.body, Unknown)
    assert (entry.body.type, entry.body.uuid, entry.body.parent_uuid) == ("user", "u2", "u1")
    assert kinds(entry)[-1] == "wrong_shape"


def test_problems_name_fields_and_types_but_quote_no_talk() -> None:
    entry = entry_of(prompt({"secret": "hunter2"}, uuid=["hunter2"], cwd={"hunter2": 1}))

    assert entry.problems != ()
    assert "hunter2" not in "".join(problem.text for problem in entry.problems)


def test_a_wrong_field_inside_progress_leaves_the_rest() -> None:
    data = {"type": "bash_progress", "output": "a", "totalLines": "many"}

    entry = entry_of({"type": "progress", "uuid": "u1", "data": data})

    assert isinstance(entry.body, ProgressRow)
    assert kinds(entry) == ["wrong_shape"]
    assert entry.problems[0].text.startswith("data.totalLines: ")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("unit", "count", "entries"),
    [
        (TWO, 100_000, 100_000),
        (b'{"type":"summary","summary":"\\udc00"}', 20_000, 20_000),
        (b'{"type":"summary","v":NaN}', 20_000, 20_000),
        (b'{"type":"x","a":[' + TWO, 20_000, 40_000),
        (b'{"type":"user","a":"half' + TWO, 20_000, 40_000),
        (b"garbage" + TWO, 20_000, 40_000),
        (b'{"type":"x","a":[' + TWO + b",", 50_000, 1),
        (b'{"type":', 100_000, 1),
        (b"1 ", 1_000_000, 1),
    ],
)
def test_a_hostile_line_is_read_in_time_that_grows_with_its_length(
    unit: bytes, count: int, entries: int
) -> None:
    assert len(entries_of(unit * count)) == entries

"""What must hold for the entries of any line."""

from typing import Any

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew.entries import (
    AnyBlock,
    Broken,
    ContentBlock,
    Entry,
    Origin,
    ToolResultBlock,
    User,
    classify,
    classify_text,
    decode,
    decode_all,
    result_blocks,
    result_links,
    unnamed,
)
from clew.entries.attachments import ATTACHMENTS as ATTACHMENT_STRUCTS
from clew.entries.progress import PROGRESS_KINDS
from clew.entries.tables import struct_for
from clew.problems import PROBLEM_KINDS
from clew.source import Line
from tests.unit.entries.format_lists import ATTACHMENTS, PROGRESS, ROWS, SYSTEM, fields_by_name
from tests.unit.entries.samples import sample_of, sample_record

PADDING = b"\x00 \t\r"
BOM = b"\xef\xbb\xbf"


def rows() -> list[dict[str, Any]]:
    """Give a whole record of every type, subtype, attachment and kind of progress."""
    plain = [{"type": t, **sample_record(struct_for(t, ""), f)} for t, f in named(ROWS)]
    system = [
        {"type": "system", **sample_record(struct_for("system", t), f), "subtype": t}
        for t, f in named(SYSTEM)
    ]
    attachments = [
        {"type": "attachment", "attachment": {**sample_record(ATTACHMENT_STRUCTS[t], f), "type": t}}
        for t, f in named(ATTACHMENTS)
    ]
    progress = [
        {"type": "progress", "data": {**sample_record(PROGRESS_KINDS[t], f), "type": t}}
        for t, f in named(PROGRESS)
    ]
    return [*plain, *system, *attachments, *progress, *talk(), *flat()]


def named(text: str) -> list[tuple[str, list[str]]]:
    return list(fields_by_name(text).items())


def talk() -> list[dict[str, Any]]:
    blocks = [sample_of(block) for block in AnyBlock.__args__]
    return [
        {"type": kind, "uuid": "u1", "sessionId": "s", "message": {"content": blocks}}
        for kind in ("user", "assistant")
    ]


def flat() -> list[dict[str, Any]]:
    return [
        {"type": "user", "message": "hi", "isDeleted": True},
        {"type": "assistant", "message": "hi", "subtype": "thinking"},
        {"type": "assistant", "subtype": "tool_use", "toolName": "Bash", "toolArguments": {}},
        {"type": "system", "subtype": "tool_result", "message": "ok", "isError": True},
        {"type": "compact_system", "message": "conversation_compacted", "metadata": {}},
    ]


ODD: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1.5,
        2**63,
        10**30,
        "",
        "x",
        "\x00",
        [],
        [[]],
        {},
        {"type": "x"},
        {"a": [{}]},
    ]
)
TAGS = """
command-name command-message command-args command-contents local-command-stdout
local-command-stderr local-command-caveat bash-input bash-stdout bash-stderr task-notification
bash-notification agent-notification task-id shell-id status summary result total_tokens
teammate-message agent-message system-reminder user-memory-input stop-hook post-tool-use-hook
ide_opened_file ide_selection ide_diagnostics
"""
PHRASES = [
    *(f"<{tag}>" for tag in TAGS.split()),
    *(f"</{tag}>" for tag in TAGS.split()),
    '<teammate-message teammate_id="a" color="b">',
    "<task-notification ",
    "Another Claude session sent a message:",
    "[Request interrupted by user]",
    "[Image: source: ",
    "(compacted conversation)",
    "Stop hook feedback:",
    "the file ",
    " in the IDE",
    "the lines 1 to 2 from a.py:",
    "\n",
    " ",
    "x",
    "[]",
    "9999",
]

json_values = st.recursive(
    ODD | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "message", "content", "uuid", "data"]) | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
records = st.sampled_from(rows())
texts = st.lists(st.sampled_from(PHRASES) | st.text(max_size=5), max_size=12).map("".join)


@st.composite
def mutated_records(draw: st.DrawFn) -> dict[str, Any]:
    """Give a known record with one to three of its values changed for others."""
    record: Any = draw(records)
    for _ in range(draw(st.integers(1, 3))):
        record = draw(changed(record))
    return record if isinstance(record, dict) else {"type": record}


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """Go down to some place in a value, and put another value there."""
    if not isinstance(value, dict | list) or not value or draw(st.booleans()):
        return draw(json_values)
    if isinstance(value, dict):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: draw(changed(value[key]))}
    index = draw(st.integers(0, len(value) - 1))
    return [*value[:index], draw(changed(value[index])), *value[index + 1 :]]


@st.composite
def damaged_lines(draw: st.DrawFn) -> bytes:
    """Give records glued, cut, and sprinkled with bytes."""
    pieces = [msgspec.json.encode(draw(records)) for _ in range(draw(st.integers(1, 3)))]
    cut = [piece[draw(st.just(0) | st.integers(0, len(piece))) :] for piece in pieces]
    raw = draw(st.sampled_from([b"", b"\x00", b" ", b",", b'"'])).join(cut)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(raw)))
        noise = draw(
            st.sampled_from([b"\x00", b"\xff", b'"', b"\\", b"{", b"}", b"\\ud800", b"NaN"])
        )
        raw = raw[:place] + noise + raw[place + draw(st.integers(0, 3)) :]
    return raw.replace(b"\n", b"")


raws = (
    st.binary(max_size=200).map(lambda raw: raw.replace(b"\n", b""))
    | json_values.map(msgspec.json.encode)
    | mutated_records().map(msgspec.json.encode)
    | damaged_lines()
)
lines = st.builds(Line, raws, st.just("s.jsonl"), st.just(7), st.just(1000), st.booleans())


def line_of(raw: bytes, *, ended: bool = True) -> Line:
    return Line(raw, "s.jsonl", 7, 1000, ended)


def read_all(entry: Entry) -> None:
    """Ask an entry all that can be asked of it."""
    unnamed(entry)
    if not isinstance(entry.body, User):
        return
    classify(entry.body)
    result_links(entry.body.tool_use_result)
    for block in entry.body.message.content:
        if isinstance(block, ToolResultBlock):
            result_blocks(block.content)


@settings(max_examples=600)
@given(lines)
def test_no_line_raises_and_every_problem_is_of_a_known_kind(line: Line) -> None:
    entries = decode(line)

    for entry in entries:
        read_all(entry)
        assert {problem.kind for problem in entry.problems} <= PROBLEM_KINDS.keys()


@settings(max_examples=400)
@given(lines)
def test_the_entries_of_a_line_hold_all_its_bytes(line: Line) -> None:
    entries = decode(line)

    joined = b"".join(entry.raw for entry in entries)
    assert without_padding(joined) == without_padding(line.raw)
    assert bool(entries) == bool(without_padding(line.raw) or b"\x00" in line.raw)


def without_padding(raw: bytes) -> bytes:
    return raw.removeprefix(BOM).translate(None, PADDING)


@settings(max_examples=300)
@given(lines)
def test_the_entries_of_a_line_stand_in_order_where_they_say(line: Line) -> None:
    entries = decode(line)

    place = line.offset
    for entry in entries:
        assert place <= entry.offset
        assert line.raw[entry.offset - line.offset :].startswith(entry.raw)
        place = entry.offset + len(entry.raw)


@settings(max_examples=300)
@given(lines)
def test_the_same_line_gives_the_same_entries(line: Line) -> None:
    again = Line(bytes(bytearray(line.raw)), line.file, line.number, line.offset, line.ended)

    assert decode(line) == decode(again)


@settings(max_examples=300)
@given(st.lists(lines, max_size=4))
def test_many_lines_give_what_each_gives_alone(given_lines: list[Line]) -> None:
    assert list(decode_all(given_lines)) == [e for line in given_lines for e in decode(line)]


@settings(max_examples=300)
@given(mutated_records())
def test_a_changed_record_is_an_entry_that_is_not_broken(record: dict[str, Any]) -> None:
    (entry,) = decode(line_of(msgspec.json.encode(record)))

    assert not isinstance(entry.body, Broken)


@given(records)
def test_a_known_record_has_no_problem_and_no_drift(record: dict[str, Any]) -> None:
    (entry,) = decode(line_of(msgspec.json.encode(record)))

    assert entry.problems == ()
    assert unnamed(entry) == []


@given(st.lists(records, min_size=2, max_size=4))
def test_glued_records_are_what_they_are_alone(glued: list[dict[str, Any]]) -> None:
    raws = [msgspec.json.encode(record) for record in glued]

    entries = decode(line_of(b"".join(raws)))

    alone = [decode(line_of(raw))[0].body for raw in raws]
    assert [entry.body for entry in entries] == alone


@settings(max_examples=300)
@given(records, st.data())
def test_every_beginning_of_a_record_is_unfinished_until_its_newline(
    record: dict[str, Any], data: st.DataObject
) -> None:
    raw = msgspec.json.encode(record)
    cut = raw[: data.draw(st.integers(1, len(raw) - 1))]

    (entry,) = decode(line_of(cut, ended=False))

    assert isinstance(entry.body, Broken)
    assert [problem.kind for problem in entry.problems] == ["unfinished"]


@settings(max_examples=600)
@given(texts, st.builds(Origin, kind=st.sampled_from(["", "human", "peer", "new"])) | st.none())
@example("<task-notification", None)
@example("<ide_selection>the lines " + "9" * 5000 + " to 1 from a:\n</ide_selection>", None)
@example("<ide_diagnostics>" + "[" * 5000 + "</ide_diagnostics>", None)
def test_any_text_has_a_kind(text: str, origin: Origin | None) -> None:
    said = classify_text(text, origin)

    assert said.kind != ""
    assert (said.subtype != "") == (said.kind == "injection")


@given(texts)
def test_talk_is_left_word_for_word(text: str) -> None:
    said = classify_text(f"so: {text}")

    assert (said.kind, said.text, said.content) == ("prompt", f"so: {text}", None)


@given(texts)
def test_a_notice_in_front_changes_nothing_of_what_follows(text: str) -> None:
    talk = f"so: {text}".strip()

    said = classify_text(f"<ide_opened_file>the file a.py in the IDE</ide_opened_file>\n{talk}")

    assert (said.kind, said.text) == ("prompt", talk)
    assert [notice.path for notice in said.notices] == ["a.py"]


@given(st.binary(max_size=60) | json_values.map(msgspec.json.encode))
def test_any_result_can_be_asked_for_links_and_blocks(raw: bytes) -> None:
    links = result_links(msgspec.Raw(raw))
    blocks = result_blocks(msgspec.Raw(raw))

    assert links == result_links(msgspec.Raw(raw))
    assert all(isinstance(block, ContentBlock) for block in blocks)

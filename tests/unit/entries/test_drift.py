from collections import Counter
from typing import Any

import msgspec
import pytest

from clew.entries import Row, unnamed
from tests.unit.entries.reading import answer, entries_of, entry_of, prompt


def drift(record: Any) -> list[str]:
    return unnamed(entry_of(record))


def with_message(**fields: Any) -> dict[str, Any]:
    record = answer()
    return {**record, "message": {**record["message"], **fields}}


@pytest.mark.parametrize(
    ("record", "paths"),
    [
        (prompt("x"), []),
        ({"type": "hologram", "a": 1}, ["hologram"]),
        ({"type": "system", "subtype": "moon"}, ["system/moon"]),
        ({"type": "system", "subtype": None, "new": 1}, ["system.new"]),
        ({"a": 1}, [""]),
        (prompt("x", newThing=1), ["user.newThing"]),
        (prompt("x", newThing=None, b=2), ["user.b", "user.newThing"]),
        (prompt("x", origin={"kind": "human", "mood": "good"}), ["user.origin.mood"]),
        (with_message(usage={"dream_tokens": 7}), ["assistant.message.usage.dream_tokens"]),
        (
            with_message(usage={"iterations": [{"a": 1}, {"b": 1}, {"a": 2}]}),
            ["assistant.message.usage.iterations[].a", "assistant.message.usage.iterations[].b"],
        ),
        (answer({"type": "hologram"}), ["assistant.message.content[]/hologram"]),
        (answer({"type": "text", "tone": 1}), ["assistant.message.content[]/text.tone"]),
        (answer({"type": 7}), ["assistant.message.content[]/"]),
        ({"type": "attachment", "attachment": {"type": "zz"}}, ["attachment.attachment/zz"]),
        (
            {"type": "attachment", "attachment": {"type": "date", "era": 1}},
            ["attachment.attachment/date.era"],
        ),
        ({"type": "progress", "data": {"type": "zz"}}, ["progress.data/zz"]),
        (
            {"type": "cost-state", "modelUsage": {"m": {"inputTokens": 1, "joules": 2}}},
            ["cost-state.modelUsage.*.joules"],
        ),
        (
            {"type": "system", "subtype": "stop_hook_summary", "hookInfos": [{"mood": 1}]},
            ["system/stop_hook_summary.hookInfos[].mood"],
        ),
    ],
)
def test_what_no_struct_names_is_listed(record: dict[str, Any], paths: list[str]) -> None:
    assert drift(record) == paths


@pytest.mark.parametrize(
    "record",
    [
        prompt("x", toolUseResult={"any": {"thing": [1, {"at": "all"}]}}),
        answer({"type": "tool_use", "input": {"any": "thing"}}),
        answer({"type": "tool_result", "content": [{"type": "hologram"}]}),
        {"type": "api-request", "params": {"any": "thing"}},
        {"type": "progress", "data": {"type": "agent_progress", "message": {"any": "thing"}}},
    ],
)
def test_where_anything_may_stand_nothing_is_drift(record: dict[str, Any]) -> None:
    assert drift(record) == []


@pytest.mark.parametrize("value", [None, 7, "x", [], [7], [[{}]]])
def test_a_value_of_another_type_is_a_problem_and_no_drift(value: Any) -> None:
    assert drift(prompt("x", origin=value, todos=value)) == []
    assert drift({"type": "cost-state", "modelUsage": value}) == []


@pytest.mark.parametrize(
    "raw", [b"", b"hello", b"7", b"[1]", b'{"type":"user"', b"\x00", b"[" * 100_000]
)
def test_what_is_no_record_has_no_drift(raw: bytes) -> None:
    assert [unnamed(entry) for entry in entries_of(raw)] in ([], [[]])


@pytest.mark.parametrize(("before", "after"), [(b"\xef\xbb\xbf", b""), (b"\x00 ", b"\x00\r")])
def test_padding_hides_no_drift(before: bytes, after: bytes) -> None:
    raw = before + msgspec.json.encode(prompt("x", newThing=1)) + after

    assert drift(raw) == ["user.newThing"]


def test_glued_records_drift_each_on_its_own() -> None:
    raw = msgspec.json.encode(prompt("x", a=1)) + msgspec.json.encode({"type": "mode", "b": 1})

    assert [unnamed(entry) for entry in entries_of(raw)] == [["user.a"], ["mode.b"]]


def test_drift_is_counted_per_version() -> None:
    records = [prompt("x", version="2.1.1", a=1), prompt("x", version="2.1.2", a=1)]
    entries = [entry_of(record) for record in (*records, records[1])]

    counts = Counter(
        (entry.body.version, path)
        for entry in entries
        if isinstance(entry.body, Row)
        for path in unnamed(entry)
    )

    assert counts == {("2.1.1", "user.a"): 1, ("2.1.2", "user.a"): 2}

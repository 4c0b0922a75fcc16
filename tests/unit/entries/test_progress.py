from typing import Any

import msgspec
import pytest

from clew.entries import (
    AgentProgress,
    BashProgress,
    HookProgress,
    ProgressRow,
    printed,
    progress_kind,
    unnamed,
)
from clew.entries.progress import PROGRESS_KINDS, OtherProgress, PowershellProgress
from tests.unit.entries.format_lists import PROGRESS, fields_by_name
from tests.unit.entries.reading import body_of, entry_of, kinds, mended
from tests.unit.entries.samples import sample_record

LISTED = fields_by_name(PROGRESS)


def progress(kind: str, /, **fields: Any) -> dict[str, Any]:
    return {"type": "progress", "uuid": "u1", "data": {"type": kind, **fields}}


@pytest.mark.parametrize(("kind", "fields"), LISTED.items(), ids=LISTED)
def test_progress_with_all_its_fields_is_read_by_its_own_struct(
    kind: str, fields: list[str]
) -> None:
    entry = entry_of(progress(kind, **sample_record(PROGRESS_KINDS[kind], fields)))

    assert isinstance(entry.body, ProgressRow)
    assert type(entry.body.data) is PROGRESS_KINDS[kind]
    assert progress_kind(entry.body.data) == kind
    assert entry.problems == ()
    assert unnamed(entry) == []


@pytest.mark.parametrize("kind", sorted(LISTED))
def test_progress_whose_fields_are_all_of_another_type_is_kept(kind: str) -> None:
    entry = entry_of(progress(kind, **{name: [[]] for name in LISTED[kind]}))

    assert isinstance(entry.body, ProgressRow)
    assert progress_kind(entry.body.data) == kind
    assert set(kinds(entry)) <= {"wrong_shape"}


def test_a_new_kind_of_progress_is_kept_whole_and_said() -> None:
    row, problems = mended(progress("warp_drive", speed=9), ProgressRow)

    assert isinstance(row.data, OtherProgress)
    assert progress_kind(row.data) == "warp_drive"
    assert msgspec.json.decode(row.data.value) == {"type": "warp_drive", "speed": 9}
    assert problems == ["unknown_type: data of type 'warp_drive'"]


@pytest.mark.parametrize("data", [None, "text", 7, [], {}, {"type": 7}])
def test_progress_that_is_no_progress_is_kept_as_it_is(data: Any) -> None:
    row, problems = mended({"type": "progress", "uuid": "u1", "data": data}, ProgressRow)

    assert isinstance(row.data, OtherProgress)
    assert msgspec.json.decode(row.data.value) == data
    assert [problem.partition(":")[0] for problem in problems] == ["wrong_shape"]


def test_progress_names_the_call_it_belongs_to() -> None:
    record = {**progress("bash_progress"), "toolUseID": "b1", "parentToolUseID": "toolu_1"}

    row = body_of(record, ProgressRow)

    assert (row.tool_use_id, row.parent_tool_use_id) == ("b1", "toolu_1")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"fullOutput": "a\nb", "output": "b"}, "a\nb"),
        ({"fullOutput": "", "output": "b"}, "b"),
        ({"output": "b"}, "b"),
        ({"fullOutput": 7, "output": ["b"]}, ""),
        ({"fullOutput": None}, ""),
        ({}, ""),
    ],
)
@pytest.mark.parametrize("kind", ["bash_progress", "powershell_progress"])
def test_a_command_tells_what_it_printed_so_far(
    kind: str, fields: dict[str, Any], text: str
) -> None:
    row = body_of(progress(kind, elapsedTimeSeconds=3, **fields), ProgressRow)

    assert isinstance(row.data, BashProgress | PowershellProgress)
    assert row.data.elapsed_time_seconds == 3
    assert printed(row.data) == text


@pytest.mark.parametrize("raw", [b"", b'"\xff"', b'"a', b"[" * 100_000])
def test_what_was_printed_may_be_no_json(raw: bytes) -> None:
    assert printed(BashProgress(full_output=msgspec.Raw(raw))) == ""


def test_an_agent_tells_the_row_it_wrote() -> None:
    message = {"type": "user", "message": {"content": "go"}}

    row = body_of(progress("agent_progress", agentId="a1", message=message), ProgressRow)

    assert isinstance(row.data, AgentProgress)
    assert row.data.agent_id == "a1"
    assert msgspec.json.decode(row.data.message) == message


def test_a_hook_tells_its_event() -> None:
    row = body_of(progress("hook_progress", hookEvent="Stop", command="make"), ProgressRow)

    assert isinstance(row.data, HookProgress)
    assert (row.data.hook_event, row.data.command) == ("Stop", "make")

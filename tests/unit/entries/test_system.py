from typing import Any

import msgspec
import pytest

from clew.entries import (
    ApiError,
    CompactBoundary,
    Informational,
    LocalCommand,
    MicrocompactBoundary,
    StopHookSummary,
    System,
    TurnDuration,
    unnamed,
)
from clew.entries.system import SYSTEM_SUBTYPES
from tests.unit.entries.format_lists import SYSTEM, fields_by_name
from tests.unit.entries.reading import body_of, entry_of, kinds, mended
from tests.unit.entries.samples import sample_record

LISTED = fields_by_name(SYSTEM)


def system(subtype: str | None, /, **fields: Any) -> dict[str, Any]:
    return {"type": "system", "subtype": subtype, **fields}


@pytest.mark.parametrize(("subtype", "fields"), LISTED.items(), ids=LISTED)
def test_a_system_row_with_all_its_fields_is_read_by_its_own_struct(
    subtype: str, fields: list[str]
) -> None:
    entry = entry_of(system(subtype, **sample_record(SYSTEM_SUBTYPES[subtype], fields)))

    assert type(entry.body) is SYSTEM_SUBTYPES[subtype]
    assert entry.problems == ()
    assert unnamed(entry) == []


@pytest.mark.parametrize("subtype", sorted(SYSTEM_SUBTYPES))
def test_a_system_row_with_nothing_but_its_subtype_is_read(subtype: str) -> None:
    assert body_of(system(subtype), SYSTEM_SUBTYPES[subtype]).subtype == subtype


@pytest.mark.parametrize("subtype", sorted(LISTED))
def test_a_system_row_whose_fields_are_all_of_another_type_is_kept(subtype: str) -> None:
    entry = entry_of(system(subtype, **{name: [[]] for name in LISTED[subtype]}))

    assert isinstance(entry.body, System)
    assert set(kinds(entry)) <= {"wrong_shape"}


@pytest.mark.parametrize("record", [{"type": "system"}, {"type": "system", "subtype": None}])
def test_old_clients_write_no_subtype(record: dict[str, Any]) -> None:
    row = body_of({**record, "content": "Running hook", "level": "info"}, System)

    assert type(row) is System
    assert (row.content, row.level) == ("Running hook", "info")


def test_a_new_subtype_is_read_as_a_plain_system_row_and_said() -> None:
    row, problems = mended(system("moon_phase", content="full", uuid="u1"), System)

    assert (row.subtype, row.content, row.uuid) == ("moon_phase", "full", "u1")
    assert problems == ["unknown_type: system/moon_phase"]


def test_a_nested_subtype_does_not_mislead() -> None:
    raw = b'{"type":"system","error":{"subtype":"api_error"},"subtype":"turn_duration"}'

    entry = entry_of(raw)

    assert type(entry.body) is TurnDuration
    assert entry.problems == ()


def test_a_compaction_boundary_says_what_it_cut_and_kept() -> None:
    metadata = {
        "trigger": "auto",
        "preTokens": 150000,
        "postTokens": 9000,
        "preservedSegment": {"headUuid": "h", "anchorUuid": "a", "tailUuid": "t"},
        "preservedMessages": {"anchorUuid": "a", "uuids": ["u1", "u2"]},
    }

    boundary = body_of(
        system("compact_boundary", logicalParentUuid="u0", compactMetadata=metadata),
        CompactBoundary,
    )

    assert (boundary.parent_uuid, boundary.logical_parent_uuid) == (None, "u0")
    assert boundary.compact_metadata is not None
    assert boundary.compact_metadata.pre_tokens == 150000
    assert boundary.compact_metadata.preserved_segment is not None
    assert boundary.compact_metadata.preserved_segment.tail_uuid == "t"
    assert boundary.compact_metadata.preserved_messages is not None
    assert boundary.compact_metadata.preserved_messages.uuids == ("u1", "u2")


def test_a_microcompaction_lists_the_calls_whose_results_went() -> None:
    metadata = {"trigger": "auto", "tokensSaved": 900, "compactedToolIds": ["toolu_1"]}

    row = body_of(
        system("microcompact_boundary", microcompactMetadata=metadata), MicrocompactBoundary
    )

    assert row.microcompact_metadata is not None
    assert row.microcompact_metadata.compacted_tool_ids == ("toolu_1",)


def test_an_api_error_says_how_it_is_tried_again() -> None:
    error = {"status": 529, "message": "Overloaded", "headers": {}, "requestID": "req_1"}

    row = body_of(
        system("api_error", error=error, retryInMs=513.4, retryAttempt=1, maxRetries=10), ApiError
    )

    assert row.error is not None
    assert (row.error.status, row.error.message) == (529, "Overloaded")
    assert (row.retry_in_ms, row.retry_attempt, row.max_retries) == (513.4, 1, 10)


def test_an_api_error_without_a_description_is_read() -> None:
    assert body_of(system("api_error", error={}), ApiError).error is not None


def test_a_stop_hook_summary_names_the_hooks() -> None:
    infos = [{"command": "make check", "durationMs": 12.5}, {"command": "callback"}]

    row = body_of(
        system("stop_hook_summary", hookCount=2, hookInfos=infos, hookErrors=["exit 2"]),
        StopHookSummary,
    )

    assert [info.command for info in row.hook_infos] == ["make check", "callback"]
    assert row.hook_errors == ("exit 2",)


def test_a_turn_has_a_duration() -> None:
    row = body_of(system("turn_duration", durationMs=81_000, messageCount=4), TurnDuration)

    assert (row.duration_ms, row.message_count) == (81_000, 4)


def test_a_local_command_is_told_with_its_arguments() -> None:
    run = {"command": "model", "args": "opus"}

    row = body_of(system("local_command", content="<command-name>", commandRun=run), LocalCommand)

    assert row.command_run is not None
    assert (row.command_run.command, row.command_run.args) == ("model", "opus")


def test_a_blocked_prompt_stands_in_a_notice() -> None:
    ending = {"prompt": "rm -rf /"}

    row = body_of(system("informational", promptSubmitEnding=ending), Informational)

    assert msgspec.json.decode(row.prompt_submit_ending) == ending

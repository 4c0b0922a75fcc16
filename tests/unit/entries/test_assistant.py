import msgspec
import pytest

from clew.entries import Assistant, AssistantMessage, TextBlock, unnamed
from tests.unit.entries.format_lists import ROWS, fields_by_name
from tests.unit.entries.reading import answer, body_of, entry_of, kinds, mended
from tests.unit.entries.samples import sample_record

FIELDS = fields_by_name(ROWS)["assistant"]


def test_an_assistant_row_with_all_its_fields_is_read() -> None:
    entry = entry_of({"type": "assistant", **sample_record(Assistant, FIELDS)})

    assert isinstance(entry.body, Assistant)
    assert entry.problems == ()
    assert unnamed(entry) == []


@pytest.mark.parametrize("field", sorted({*FIELDS} - {"message"}))
def test_a_field_of_another_type_costs_that_field_alone(field: str) -> None:
    entry = entry_of({**answer({"type": "text", "text": "t"}), field: [[{}]]})

    assert isinstance(entry.body, Assistant)
    assert entry.body.message.content == [TextBlock(text="t")]
    assert kinds(entry) in ([], ["wrong_shape"])


def test_a_fragment_names_its_message_and_request() -> None:
    record = answer({"type": "text", "text": "t"}, requestId="req_1", apiBlockIndex=2)

    row = body_of(record, Assistant)

    assert (row.message.id, row.request_id, row.api_block_index) == ("msg_1", "req_1", 2)


def test_old_answers_are_plain_text() -> None:
    row = body_of({"type": "assistant", "message": {"content": "hello"}}, Assistant)

    assert row.message.content == "hello"


def test_what_the_oldest_clients_counted_is_read() -> None:
    row = body_of(answer(costUSD=0.01, durationMs=1200), Assistant)

    assert (row.cost_usd, row.duration_ms) == (0.01, 1200)


def test_an_error_that_ended_a_turn_says_so() -> None:
    record = answer(
        {"type": "text", "text": "API Error: 429"},
        isApiErrorMessage=True,
        error="rate_limit",
        apiErrorStatus=429,
        quotaLimits={"resetsAt": 1},
    )

    row = body_of(record, Assistant)

    assert row.is_api_error_message
    assert (row.error, row.api_error_status) == ("rate_limit", 429)
    assert msgspec.json.decode(row.quota_limits) == {"resetsAt": 1}


def test_why_the_cache_did_not_help_is_read() -> None:
    record = answer()
    reason = {"type": "model_changed", "cache_missed_input_tokens": 900}
    message = {**record["message"], "diagnostics": {"cache_miss_reason": reason}}

    row = body_of({**record, "message": message}, Assistant)

    assert row.message.diagnostics is not None
    assert row.message.diagnostics.cache_miss_reason is not None
    assert row.message.diagnostics.cache_miss_reason.cache_missed_input_tokens == 900


def test_an_assistant_row_without_a_message_keeps_its_place() -> None:
    row, problems = mended({"type": "assistant", "uuid": "u1"}, Assistant)

    assert (row.uuid, row.message) == ("u1", AssistantMessage())
    assert problems == ["missing_field: assistant: a record without a message"]

"""Tokens: of one model call, and of many."""

import msgspec
import pytest

from clew.conversation import COUNT_LIMITS, ModelUsage, add_up, total_tokens, usage_counts
from tests.build import SessionBuilder, Usage
from tests.unit.conversation.built import answer, conversation_of, conversation_of_rows


def test_usage_is_the_largest_snapshot_and_counts_once() -> None:
    usage = Usage(input=7, output=60, cache_read=500)
    builder = SessionBuilder().assistant("a", "b", "c", usage=usage, growing=True)

    conversation = conversation_of(builder)

    (message,) = conversation.messages
    assert message.usage is not None
    assert (message.usage.input_tokens, message.usage.output_tokens) == (7, 60)
    assert conversation.totals.usage.output_tokens == 60
    assert conversation.totals.usage.cache_read_tokens == 500


def test_the_largest_snapshot_need_not_be_the_last() -> None:
    conversation = conversation_of_rows(
        answer("a1", None, "one", 1, message_id="m", output=631),
        answer("a2", "a1", "two", 2, message_id="m", output=5),
    )

    assert conversation.totals.usage.output_tokens == 631


@pytest.mark.parametrize(
    "name", ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
)
def test_of_snapshots_with_equal_output_the_one_with_more_input_sets_the_tier(name: str) -> None:
    smaller, larger = (
        answer(uuid, parent, uuid, message_id="m") for uuid, parent in [("a", None), ("b", "a")]
    )
    smaller["message"]["usage"] |= {name: None, "service_tier": "standard"}
    larger["message"]["usage"] |= {name: 90, "service_tier": "priority"}

    usage = conversation_of_rows(smaller, larger).messages[0].usage

    assert usage is not None
    assert usage.service_tier == "priority"


def test_an_answer_that_comes_again_with_a_new_request_counts_once() -> None:
    conversation = conversation_of_rows(
        answer("a1", None, "one", 1, message_id="m", output=5, requestId="r1"),
        answer("a2", "a1", "one", 2, message_id="m", output=8, requestId="r2"),
    )

    assert conversation.messages[0].request_id == "r1"
    assert conversation.totals.usage.output_tokens == 8


def test_cache_writes_are_parted_by_how_long_they_last() -> None:
    row = answer("a", None, "x")
    row["message"]["usage"] |= {
        "cache_creation_input_tokens": 100,
        "cache_creation": {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 60},
    }

    usage = conversation_of_rows(row).totals.usage

    assert usage.cache_write_5m_tokens == 30
    assert usage.cache_write_1h_tokens == 60
    assert usage.cache_write_unsplit_tokens == 10


def test_usage_is_exact_when_the_answer_is_known_to_have_ended() -> None:
    usage = conversation_of(SessionBuilder().assistant("hi")).messages[0].usage

    assert usage is not None
    assert usage.quality == "exact"


def test_usage_of_an_answer_without_a_stop_reason_is_a_lower_bound() -> None:
    conversation = conversation_of_rows(answer("a", None, "x", stop_reason=None, output=3))

    assert conversation.totals.usage.quality == "lower_bound"


def test_usage_that_another_session_owns_is_inherited_and_left_out_of_sums() -> None:
    conversation = conversation_of_rows(
        answer("a", None, "old", 1, message_id="m", output=90),
        answer("b", "a", "new", 2, message_id="n", output=7),
        inherited={"m": "other"},
    )

    old, new = (message.usage for message in conversation.messages)

    assert old is not None
    assert new is not None
    assert (old.quality, old.output_tokens, new.quality) == ("inherited", 90, "exact")
    assert conversation.totals.usage.output_tokens == 7


def test_web_requests_of_the_provider_are_counted() -> None:
    usage = Usage(input=1, output=1, web_searches=3)

    assert (
        conversation_of(SessionBuilder().assistant("x", usage=usage)).totals.usage.web_searches == 3
    )


@pytest.mark.parametrize(
    "told", [None, {}, {"web_search_requests": None, "web_fetch_requests": None}]
)
def test_an_answer_that_reports_no_web_requests_made_none(told: object) -> None:
    row = answer("a", None, "x")
    row["message"]["usage"] |= {"server_tool_use": told}

    usage = conversation_of_rows(row).totals.usage

    assert (usage.web_searches, usage.web_fetches) == (0, 0)


@pytest.mark.parametrize(
    ("stop_reason", "copy", "quality"),
    [
        ("end_turn", ModelUsage(output_tokens=90, quality="lower_bound"), "exact"),
        (None, ModelUsage(output_tokens=90), "exact"),
        (None, ModelUsage(output_tokens=90, quality="lower_bound"), "lower_bound"),
        ("end_turn", ModelUsage(output_tokens=90, is_corrupt=True), "lower_bound"),
    ],
)
def test_the_larger_count_of_a_copy_is_as_good_as_what_is_known_of_both(
    stop_reason: str | None, copy: ModelUsage, quality: str
) -> None:
    row = answer("a", None, "x", message_id="m", stop_reason=stop_reason, output=7)

    usage = conversation_of_rows(row, copies={"m": copy}).messages[0].usage

    assert usage is not None
    assert (usage.output_tokens, usage.quality) == (90, quality)


def test_a_sum_is_as_good_as_its_worst_part() -> None:
    parts = [ModelUsage(output_tokens=1), ModelUsage(output_tokens=2, quality="lower_bound")]

    assert add_up(parts) == ModelUsage(output_tokens=3, quality="lower_bound")


def test_nothing_adds_up_to_nothing() -> None:
    assert add_up([]) == ModelUsage()


def test_all_kinds_of_tokens_are_in_the_total() -> None:
    usage = ModelUsage(1, 2, 4, 8, 16, 32, web_searches=64)

    assert total_tokens(usage) == 63


def test_a_turn_counts_the_tokens_of_the_runs_it_started() -> None:
    builder = (
        SessionBuilder()
        .user("go")
        .agent("Look", "Look around", lambda run: run.assistant("ok", usage=Usage(output=40)))
        .assistant("done", usage=Usage(output=2))
    )

    conversation = conversation_of(builder)

    (turn,) = conversation.turns
    assert turn.usage == conversation.totals.usage
    assert conversation.agent_runs[0].usage.output_tokens == 40


def test_counts_come_in_the_order_of_their_limits() -> None:
    numbers = {name: number for number, name in enumerate(COUNT_LIMITS)}
    usage = msgspec.convert(numbers, ModelUsage)

    assert usage_counts(usage) == tuple(range(len(COUNT_LIMITS)))

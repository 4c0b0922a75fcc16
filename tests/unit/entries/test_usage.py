from typing import Any

import pytest

from clew.entries import Assistant, Usage
from tests.unit.entries.reading import answer, body_of, mended

FULL = {
    "input_tokens": 3,
    "output_tokens": 44,
    "cache_creation_input_tokens": 500,
    "cache_read_input_tokens": 6000,
    "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 400},
    "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 1},
    "service_tier": "standard",
    "inference_geo": "us",
    "speed": "fast",
    "output_tokens_details": {"thinking_tokens": 12},
    "iterations": [{"type": "message", "model": "advisor", "output_tokens": 9}],
}


def with_usage(usage: Any) -> dict[str, Any]:
    record = answer()
    return {**record, "message": {**record["message"], "usage": usage}}


def usage_of(usage: Any) -> Usage:
    read = body_of(with_usage(usage), Assistant).message.usage
    assert read is not None
    return read


def test_every_count_is_read() -> None:
    usage = usage_of(FULL)

    assert (usage.input_tokens, usage.output_tokens) == (3, 44)
    assert (usage.cache_creation_input_tokens, usage.cache_read_input_tokens) == (500, 6000)
    assert (usage.service_tier, usage.inference_geo, usage.speed) == ("standard", "us", "fast")


def test_cache_writes_are_told_apart_by_how_long_they_last() -> None:
    written = usage_of(FULL).cache_creation

    assert written is not None
    assert (written.ephemeral_5m_input_tokens, written.ephemeral_1h_input_tokens) == (100, 400)


def test_calls_at_the_provider_and_thinking_are_counted() -> None:
    usage = usage_of(FULL)

    assert usage.server_tool_use is not None
    assert usage.server_tool_use.web_search_requests == 2
    assert usage.output_tokens_details is not None
    assert usage.output_tokens_details.thinking_tokens == 12


def test_an_iteration_has_its_own_model() -> None:
    iterations = usage_of(FULL).iterations

    assert iterations is not None
    assert [(each.model, each.output_tokens) for each in iterations] == [("advisor", 9)]


def test_what_is_absent_counts_nothing() -> None:
    assert usage_of({}) == Usage()


@pytest.mark.parametrize("name", sorted(FULL))
def test_every_count_may_be_null(name: str) -> None:
    assert getattr(usage_of({**FULL, name: None}), name) is None


@pytest.mark.parametrize("number", [2**63, 2**64, 10**30, 10**400, -(2**63) - 1])
def test_a_number_that_no_database_holds_is_left_out(number: int) -> None:
    raw = b'{"type":"assistant","message":{"usage":{"input_tokens":7,"output_tokens":%d}}}' % number

    row, problems = mended(raw, Assistant)

    assert row.message.usage is not None
    assert row.message.usage.input_tokens == 7
    assert row.message.usage.output_tokens in (None, 0)
    assert len(problems) == 1


def test_the_largest_number_that_a_database_holds_is_kept() -> None:
    assert usage_of({"output_tokens": 2**63 - 1}).output_tokens == 2**63 - 1


def test_one_wrong_count_leaves_the_others() -> None:
    row, problems = mended(with_usage({**FULL, "input_tokens": "three"}), Assistant)

    assert row.message.usage is not None
    assert (row.message.usage.input_tokens, row.message.usage.output_tokens) == (0, 44)
    assert problems == ["wrong_shape: message.usage.input_tokens: Expected `int | null`, got `str`"]

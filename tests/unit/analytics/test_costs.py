"""What model calls cost, summed."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.analytics import (
    Bill,
    Tokens,
    add_bills,
    bill_all,
    bill_messages,
    cost_of,
    price_table,
    tokens_of,
)
from clew.conversation import Conversation, Message, ModelUsage, Session
from clew.sessions import load
from tests.build import SessionBuilder, Usage, bash

SONNET = "claude-sonnet-4-5"
DOLLAR = 1_000_000_000


def answer(name: str, usage: ModelUsage, model: str = SONNET, at: str = "") -> Message:
    """Make an answer."""
    return Message(
        id=name, kind="answer", role="assistant", model=model, usage=usage, started_at=at
    )


def conversation(*messages: Message) -> Conversation:
    """Make a conversation of answers alone."""
    return Conversation(session=Session(id="s"), messages=messages)


def total(*messages: Message) -> Bill:
    """Bill a conversation of these answers."""
    return bill_all(messages, bill_messages(conversation(*messages)))


def test_a_call_costs_what_the_price_table_says() -> None:
    usage = ModelUsage(input_tokens=1_000_000, output_tokens=100_000)

    assert total(answer("m", usage)) == Bill(3 * DOLLAR + DOLLAR * 3 // 2)


def test_all_that_bears_on_the_price_is_handed_over() -> None:
    usage = ModelUsage(1, 2, 3, 4, 5, 6, 7, 8, "batch", "us", "fast")

    assert tokens_of(usage) == Tokens(
        input=1,
        output=2,
        cache_read=3,
        cache_write_5m=4,
        cache_write_1h=5,
        cache_write_unsplit=6,
        web_searches=7,
        service_tier="batch",
        inference_geo="us",
        speed="fast",
    )


def test_a_call_is_priced_on_its_day_and_without_one_on_that_of_the_table() -> None:
    usage = ModelUsage(input_tokens=10)

    before_its_price = answer("a", usage, at="1999-01-01T00:00:00.000Z")
    timeless = answer("b", usage, at="")

    assert total(before_its_price).nano_dollars is None
    cost = cost_of(tokens_of(usage), SONNET, price_table().date)
    assert cost is not None
    assert total(timeless).nano_dollars == cost.nano_dollars


def test_inherited_calls_are_billed_but_not_summed() -> None:
    own = answer("a", ModelUsage(output_tokens=10))
    copied = answer("b", ModelUsage(output_tokens=10, quality="inherited"))

    bills = bill_messages(conversation(own, copied))

    assert bills["b"] == msgspec.structs.replace(bills["a"], quality="inherited")
    assert bill_all([own, copied], bills) == bills["a"]
    assert bill_all([copied], bills) == Bill(0, quality="inherited")


def test_unpriced_models_are_named_once_beside_the_sum_of_the_others() -> None:
    usage = ModelUsage(output_tokens=10)

    bill = total(answer("a", usage), answer("b", usage, "odd"), answer("c", usage, "odd"))

    assert bill == Bill(150_000, ("odd",), "lower_bound")


@pytest.mark.parametrize(
    ("stated", "changes", "quality"),
    [
        ("exact", {}, "exact"),
        ("lower_bound", {}, "lower_bound"),
        ("exact", {"speed": "fast"}, "lower_bound"),
        ("exact", {"inference_geo": "mars"}, "lower_bound"),
        ("inherited", {}, "inherited"),
        ("inherited", {"speed": "fast"}, "inherited_lower_bound"),
        ("inherited_lower_bound", {}, "inherited_lower_bound"),
    ],
)
def test_a_price_that_is_not_known_makes_a_cost_a_lower_bound(
    stated: str, changes: dict[str, Any], quality: str
) -> None:
    usage = ModelUsage(output_tokens=10, quality=stated, **changes)

    assert total(answer("a", usage)).quality == quality


def test_a_sum_of_unpriced_calls_alone_is_unknown_and_of_none_is_zero() -> None:
    assert add_bills([Bill(None, ("odd",))]) == Bill(None, ("odd",))
    assert add_bills([]) == Bill(0)


def test_dollars_are_exact_to_the_nano_dollar() -> None:
    assert (Bill(1_234_567_891).usd, Bill(1).usd, Bill(None).usd) == (1.234567891, 1e-09, None)


def test_the_cost_of_agent_runs_is_in_the_sum(tmp_path: Path) -> None:
    usage = Usage(output=100)
    session = SessionBuilder().model(SONNET).user("go")
    session.agent("Work", "Work.", lambda run: run.tools(bash("ls")).assistant("ok", usage=usage))

    loaded = load(session.write(tmp_path / "s.jsonl"))

    bills = bill_messages(loaded)
    in_runs = [message for message in loaded.messages if message.agent_run_id]
    assert (bill_all(in_runs, bills).nano_dollars or 0) >= 100 * 15_000
    assert (bill_all(loaded.messages, bills).usd or 0) > (bill_all(in_runs, bills).usd or 0)

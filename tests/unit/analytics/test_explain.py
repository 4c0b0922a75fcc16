"""Every dollar led back to its calls, prices, rules and lines."""

from pathlib import Path
from typing import Final

import pytest

from clew.analytics import Explanation, explain
from clew.sessions import load
from tests.build import SessionBuilder, Usage, thinking
from tests.golden.facts import conversations
from tests.recordings import Recording, parameters
from tests.unit.analytics.counting import OPUS, answered, session, spent

# Where the newest client counts what no transcript holds, or leaves out what one does, and why.
APART: Final = {
    "2.1.325/autocompact": ["compaction"],
    "2.1.325/crash": ["unfinished"],
    "2.1.325/stream-oddities": ["unrecorded"],
    "2.1.325/streamjson": ["interrupted"],
    "2.1.325/transcript-gc": ["compaction"],
    "2.1.325/tui-basic": ["compaction"],
    "2.1.325/tui-hooks": ["compaction"],
    "2.1.325/tui-interrupt": ["interrupted"],
    "2.1.325/tui-plan": ["unrecorded"],
    "2.1.325/web": ["unrecorded"],
}


def explained(builder: SessionBuilder, folder: Path) -> Explanation:
    """Write a session and explain it."""
    return explain(load(builder.write(folder / "session.jsonl")))


@pytest.mark.parametrize("recording", parameters())
def test_the_cost_is_the_client_s_own_to_the_micro_dollar(recording: Recording) -> None:
    found = [explain(conversation).client for conversation in conversations(recording)]
    compared = [client for client in found if client is not None]

    apart = [client for client in compared if not client.is_equal]

    kinds = [[reason.kind for reason in client.reasons] for client in apart]
    assert bool(kinds) == (recording.id in APART)
    assert all(kind == APART[recording.id] for kind in kinds)


def test_a_call_is_told_with_its_steps_prices_and_lines(tmp_path: Path) -> None:
    usage = Usage(input=10, output=300, cache_read=5000, cache_write_5m=40, cache_write_1h=2)
    talk = session().assistant(thinking(), "Done.", usage=usage)

    (call,) = explained(talk, tmp_path).calls

    assert [(step.what, step.count, step.unit_price_usd) for step in call.steps] == [
        ("input", 10, 4e-6),
        ("output", 300, 20e-6),
        ("cache read", 5000, 0.2e-6),
        ("5-minute cache write", 40, 5e-6),
        ("1-hour cache write", 2, 8e-6),
    ]
    assert call.cost_usd == pytest.approx(sum(step.cost_usd for step in call.steps))
    assert [place.line for place in call.lines] == [2, 3]
    assert call.price is not None
    assert call.price.model == OPUS


def test_multipliers_are_told_with_their_rule(tmp_path: Path) -> None:
    (call,) = explained(answered(Usage(output=1000), speed="fast"), tmp_path).calls

    assert [step.multiplier for step in call.steps] == [(2, 1)]
    assert call.rules == ["speed 'fast': every token price times 2/1"]


def test_calls_add_up_to_the_totals_by_model(tmp_path: Path) -> None:
    talk = session().assistant("One.", usage=Usage(output=1000)).model("claude-haiku-4-5")
    talk.assistant("Two.", usage=Usage(output=100))

    explanation = explained(talk, tmp_path)

    assert [(row.key, row.output_tokens) for row in explanation.models] == [
        (OPUS, 1000),
        ("claude-haiku-4-5", 100),
    ]
    costs = [call.cost_usd or 0 for call in explanation.calls]
    assert explanation.totals.cost_usd == pytest.approx(sum(costs)) == 0.0205


def test_calls_of_agents_name_their_agent(tmp_path: Path) -> None:
    nested = session().agent("Look", "Look.", lambda run: run.assistant("Seen."), agent="Explore")

    agents = [call.agent for call in explained(nested, tmp_path).calls]

    assert agents == ["", "Explore"]


def test_inherited_calls_are_listed_but_not_summed(tmp_path: Path) -> None:
    original = session().assistant("One.", usage=Usage(output=100))
    fork = original.fork("fork", marked=True).user("Else?")
    fork.assistant("Two.", usage=Usage(output=7)).cost_state({OPUS: 107 * 20e-6})
    original.write(tmp_path)

    explanation = explain(load(fork.write(tmp_path)))

    assert [call.quality for call in explanation.calls] == ["inherited", "exact"]
    assert explanation.totals.output_tokens == 7
    assert explanation.client is not None
    assert explanation.client.difference_usd == 0.002
    assert [reason.kind for reason in explanation.client.reasons] == ["inherited"]


def test_a_model_without_a_price_is_told_with_its_tokens(tmp_path: Path) -> None:
    explanation = explained(answered(Usage(input=3, output=7), "house-model"), tmp_path)

    (call,) = explanation.calls
    assert (call.price, call.cost_usd, call.steps) == (None, None, [])
    assert (call.input_tokens, call.output_tokens) == (3, 7)
    assert explanation.unpriced_models == ["house-model"]


@pytest.mark.parametrize(("speed", "quality"), [("standard", "exact"), ("warp", "lower_bound")])
def test_a_total_is_exact_where_the_whole_price_is_known(
    tmp_path: Path, speed: str, quality: str
) -> None:
    explanation = explained(answered(Usage(output=7), speed=speed), tmp_path)

    assert explanation.totals.quality == quality


def test_counts_are_compared_by_model_under_any_of_its_names(tmp_path: Path) -> None:
    talk = session(model="claude-haiku-4-5-20251001").assistant("Hi.", usage=Usage(output=100))
    talk.cost_state({"claude-haiku-4-5-20251001": 0.0005})
    talk.rows[-1]["modelUsage"][OPUS] = {"outputTokens": 5, "costUSD": 0.0001}
    talk.rows[-1]["totalCostUSD"] = 0.0006

    client = explained(talk, tmp_path).client

    assert client is not None
    assert [(one.model, one.difference.output_tokens) for one in client.models] == [
        ("claude-haiku-4-5", 0),
        (OPUS, 5),
    ]
    assert client.difference_usd == 0.0001


def test_without_totals_of_the_client_there_is_nothing_to_compare(tmp_path: Path) -> None:
    assert explained(session().assistant("Hi."), tmp_path).client is None


def test_a_lower_bound_is_named_as_a_reason(tmp_path: Path) -> None:
    cut = session().assistant("Hi.", usage=Usage(output=3)).cost_state({OPUS: 1.0})
    cut.rows[-2]["message"]["stop_reason"] = None

    client = explained(cut, tmp_path).client

    assert client is not None
    assert [reason.kind for reason in client.reasons] == ["lower_bound"]


def test_corrupt_counts_have_no_part_in_the_totals(tmp_path: Path) -> None:
    corrupt = spent(answered(Usage(output=1)), input_tokens=10**15)

    explanation = explained(corrupt, tmp_path)

    assert explanation.totals.input_tokens == 0
    assert explanation.totals.quality == "lower_bound"
    assert explanation.calls[0].quality == "lower_bound"


def test_a_total_beyond_all_money_is_compared_all_the_same(tmp_path: Path) -> None:
    absurd = session().assistant("Hi.").cost_state({OPUS: 1e300})

    client = explained(absurd, tmp_path).client

    assert client is not None
    assert not client.is_equal

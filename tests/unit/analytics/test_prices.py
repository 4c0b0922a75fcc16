import datetime as dt

import pytest

from clew.analytics import Cost, CostLine, Tokens, cost_of

TODAY = dt.date(2026, 11, 15)
BEFORE_FLAT = dt.date(2026, 3, 12)
DOLLAR = 10**9


def cost(model: str, tokens: Tokens, day: dt.date = TODAY) -> Cost:
    priced = cost_of(tokens, model, day)
    assert priced is not None
    return priced


def kinds(priced: Cost) -> tuple[list[str], list[str]]:
    return [rule.kind for rule in priced.rules], [flag.kind for flag in priced.flags]


def test_a_cost_shows_every_step() -> None:
    tokens = Tokens(input=11, output=24, cache_read=1000, cache_write_5m=101, web_searches=1)

    priced = cost("claude-opus-5-5", tokens)

    assert priced.lines == (
        CostLine("input", 11, 4_000, (1, 1), 44_000),
        CostLine("output", 24, 20_000, (1, 1), 480_000),
        CostLine("cache read", 1000, 200, (1, 1), 200_000),
        CostLine("5-minute cache write", 101, 5_000, (1, 1), 505_000),
        CostLine("web search", 1, 10_000_000, (1, 1), 10_000_000),
    )
    assert priced.nano_dollars == sum(line.nano_dollars for line in priced.lines)
    assert kinds(priced) == ([], [])


@pytest.mark.parametrize(
    ("model", "counts", "nano_dollars"),
    [
        ("claude-opus-5-5", (11, 24, 1000, 101, 0, 0), 1_229_000),
        ("claude-opus-5-5", (806, 602, 496_000, 1856, 3240, 0), 149_664_000),
        ("claude-sonnet-5-5", (12, 33, 2000, 0, 202, 0), 1_362_000),
        ("claude-sonnet-4-5-20250929", (215, 448, 280_000, 749, 1242, 899), 104_997_000),
    ],
)
def test_cost_equals_what_the_client_counted_itself(
    model: str, counts: tuple[int, int, int, int, int, int], nano_dollars: int
) -> None:
    usage = Tokens(
        input=counts[0],
        output=counts[1],
        cache_read=counts[2],
        cache_write_5m=counts[3],
        cache_write_1h=counts[4],
        cache_write_unsplit=counts[5],
    )

    assert cost(model, usage).nano_dollars == nano_dollars


def test_one_hour_cache_writes_are_priced_apart_from_five_minute_ones() -> None:
    short = cost("claude-opus-4-5", Tokens(cache_write_5m=1_000_000))
    long = cost("claude-opus-4-5", Tokens(cache_write_1h=1_000_000))

    assert short.nano_dollars == 6_250_000_000
    assert long.nano_dollars == 10 * DOLLAR


def test_cache_writes_without_a_breakdown_are_priced_as_five_minute_and_flagged() -> None:
    priced = cost("claude-opus-4-5", Tokens(cache_write_1h=100, cache_write_unsplit=40))

    assert priced.lines[-1] == CostLine("other cache write", 40, 6_250, (1, 1), 250_000)
    assert kinds(priced) == ([], ["cache_writes_unsplit"])


def test_a_breakdown_that_exceeds_its_sum_is_flagged_and_its_parts_are_priced() -> None:
    priced = cost("claude-opus-4-5", Tokens(cache_write_1h=100, cache_write_unsplit=-40))

    assert priced.nano_dollars == 1_000_000
    assert kinds(priced) == ([], ["count_corrupt"])


@pytest.mark.parametrize(
    ("model", "nano_dollars"),
    [
        ("claude-fable-5", DOLLAR),
        ("claude-fable-5-1", DOLLAR // 4),
        ("claude-opus-5", DOLLAR // 2),
        ("claude-opus-5-5", DOLLAR // 5),
        ("claude-sonnet-5-5", DOLLAR // 10),
    ],
)
def test_cache_reads_have_a_price_of_their_own_not_a_tenth_of_input(
    model: str, nano_dollars: int
) -> None:
    assert cost(model, Tokens(cache_read=1_000_000)).nano_dollars == nano_dollars


def test_long_context_reprices_the_whole_request() -> None:
    usual = Tokens(input=1, cache_read=99_000, cache_write_5m=999, output=10)
    long = Tokens(input=2, cache_read=99_000, cache_write_5m=999, output=10)

    below = cost("claude-haiku-5-5", usual)
    above = cost("claude-haiku-5-5", long)

    assert below.nano_dollars == 1 * 100 + 99_000 * 10 + 999 * 125 + 10 * 500
    assert above.nano_dollars == 2 * 500 + 99_000 * 50 + 999 * 625 + 10 * 2_500
    assert (kinds(below)[0], kinds(above)[0]) == ([], ["long_context"])


@pytest.mark.parametrize(
    "tokens",
    [
        Tokens(input=200_001),
        Tokens(input=1, cache_read=200_000),
        Tokens(input=1, cache_write_5m=200_000),
        Tokens(input=1, cache_write_1h=200_000),
        Tokens(input=1, cache_write_unsplit=200_000),
    ],
)
def test_all_that_the_model_was_given_counts_towards_the_band(tokens: Tokens) -> None:
    assert kinds(cost("claude-opus-4-6", tokens, BEFORE_FLAT))[0] == ["long_context"]


def test_output_does_not_count_towards_the_band() -> None:
    tokens = Tokens(input=100_000, output=150_000)

    assert kinds(cost("claude-opus-4-6", tokens, BEFORE_FLAT))[0] == []


def test_prices_are_those_of_the_day_of_the_call() -> None:
    tokens = Tokens(input=300_000)

    assert cost("claude-opus-4-6", tokens, BEFORE_FLAT).nano_dollars == 3 * DOLLAR
    assert cost("claude-opus-4-6", tokens, dt.date(2026, 3, 13)).nano_dollars == 3 * DOLLAR // 2


@pytest.mark.parametrize(
    ("model", "factor"), [("claude-opus-4-6", 6), ("claude-opus-4-7", 6), ("claude-opus-5-5", 2)]
)
def test_fast_mode_multiplies_all_token_prices(model: str, factor: int) -> None:
    counts = Tokens(input=7, output=5, cache_read=90, cache_write_5m=3, cache_write_1h=2)
    fast = Tokens(
        input=7, output=5, cache_read=90, cache_write_5m=3, cache_write_1h=2, speed="fast"
    )

    priced = cost(model, fast)

    assert priced.nano_dollars == factor * cost(model, counts).nano_dollars
    assert kinds(priced) == (["fast"], [])


def test_residency_and_batch_multiply_all_token_prices() -> None:
    tokens = Tokens(input=1000, output=10)
    american = Tokens(input=1000, output=10, inference_geo="us")
    batch = Tokens(input=1000, output=10, service_tier="batch")

    usual = cost("claude-opus-4-7", tokens).nano_dollars

    assert cost("claude-opus-4-7", american).nano_dollars * 10 == usual * 11
    assert cost("claude-opus-4-7", batch).nano_dollars * 2 == usual


def test_multipliers_and_band_work_together() -> None:
    tokens = Tokens(input=200_001, speed="fast", inference_geo="us", service_tier="batch")

    priced = cost("claude-opus-4-6", tokens, BEFORE_FLAT)

    assert priced.lines == (
        CostLine("input", 200_001, 10_000, (66, 20), 200_001 * 10_000 * 33 // 10),
    )
    assert kinds(priced)[0] == ["long_context", "fast", "us", "batch"]


@pytest.mark.parametrize(
    "tokens",
    [
        Tokens(input=1, service_tier="priority"),
        Tokens(input=1, inference_geo="eu"),
        Tokens(input=1, speed="ludicrous"),
        Tokens(input=1, speed="x" * 10_000),
    ],
)
def test_unknown_values_are_flagged_and_not_guessed(tokens: Tokens) -> None:
    priced = cost("claude-opus-5-5", tokens)

    assert priced.nano_dollars == 4_000
    assert kinds(priced) == ([], ["value_unknown"])
    assert len(priced.flags[0].text) < 200


def test_a_multiplier_that_the_model_does_not_have_is_flagged() -> None:
    tokens = Tokens(input=1, speed="fast", inference_geo="us")

    priced = cost("claude-sonnet-4-5", tokens)

    assert priced.nano_dollars == 3_000
    assert kinds(priced) == ([], ["multiplier_unknown", "multiplier_unknown"])


@pytest.mark.parametrize("geo", [None, "", "global", "not_available"])
@pytest.mark.parametrize("plain", [None, "", "standard"])
def test_usual_values_change_nothing(geo: str | None, plain: str | None) -> None:
    tokens = Tokens(input=1, speed=plain, service_tier=plain, inference_geo=geo)

    priced = cost("claude-opus-5-5", tokens)

    assert priced.nano_dollars == 4_000
    assert kinds(priced) == ([], [])


def test_web_searches_cost_a_fee_that_no_multiplier_touches() -> None:
    tokens = Tokens(web_searches=1_000, speed="fast", inference_geo="us", service_tier="batch")

    assert cost("claude-opus-5-5", tokens).nano_dollars == 10 * DOLLAR


def test_web_searches_of_a_model_without_a_fee_are_flagged() -> None:
    priced = cost("claude-3-opus-20240229", Tokens(input=1, web_searches=2))

    assert priced.nano_dollars == 15_000
    assert kinds(priced) == ([], ["fee_unknown"])


@pytest.mark.parametrize("model", ["glm-4.7", "claude-opus-9", "", "<synthetic>"])
def test_unknown_models_are_unpriced_not_free(model: str) -> None:
    assert cost_of(Tokens(input=1), model, TODAY) is None


def test_names_that_begin_alike_have_their_own_prices() -> None:
    tokens = Tokens(input=1_000_000)

    assert cost("claude-opus-5", tokens).nano_dollars == 5 * DOLLAR
    assert cost("claude-opus-5-5", tokens).nano_dollars == 4 * DOLLAR
    assert cost("global.anthropic.claude-opus-5-5[1m]", tokens).nano_dollars == 4 * DOLLAR


def test_sums_of_costs_are_exact() -> None:
    one = cost("claude-haiku-4-5", Tokens(input=1)).nano_dollars

    assert sum([one] * 1_000_000) == DOLLAR


def test_a_line_is_rounded_once_with_halves_up() -> None:
    one = Tokens(cache_write_5m=1, service_tier="batch")
    three = Tokens(cache_write_5m=3, service_tier="batch")

    assert cost("claude-haiku-5-5", one).nano_dollars == 63
    assert cost("claude-haiku-5-5", three).nano_dollars == 188


@pytest.mark.parametrize(
    "corrupt",
    [
        Tokens(output=5, input=-1),
        Tokens(output=5, input=2_000_001),
        Tokens(output=5, cache_read=10**5000),
        Tokens(output=5, cache_write_5m=-1),
        Tokens(output=5, cache_write_1h=2_000_001),
        Tokens(output=5, cache_write_unsplit=2_000_001),
        Tokens(output=5, web_searches=1_001),
    ],
)
def test_corrupt_counts_are_flagged_and_left_out(corrupt: Tokens) -> None:
    priced = cost("claude-haiku-5-5", corrupt)

    assert priced.nano_dollars == 2_500
    assert kinds(priced) == ([], ["count_corrupt"])


def test_the_largest_count_that_can_be_is_priced() -> None:
    priced = cost("claude-opus-5-5", Tokens(input=2_000_000))

    assert priced.nano_dollars == 8 * DOLLAR
    assert priced.flags == ()

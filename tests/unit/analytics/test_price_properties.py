import datetime as dt

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from clew.analytics import Price, Tokens, cost_at, cost_of, price_table

COUNTS = (
    "input",
    "output",
    "cache_read",
    "cache_write_5m",
    "cache_write_1h",
    "cache_write_unsplit",
    "web_searches",
)

prices = st.sampled_from(price_table().rows)
flat_prices = st.sampled_from([price for price in price_table().rows if price.band is None])
modifiers = {
    "speed": st.sampled_from([None, "standard", "fast"]),
    "inference_geo": st.sampled_from([None, "global", "us"]),
    "service_tier": st.sampled_from([None, "standard", "batch"]),
}


def counts(most: int) -> dict[str, st.SearchStrategy[int]]:
    tokens = {name: st.integers(0, most) for name in COUNTS}
    return {**tokens, "web_searches": st.integers(0, 400)}


def add(left: Tokens, right: Tokens) -> Tokens:
    first, second = msgspec.structs.asdict(left), msgspec.structs.asdict(right)
    return Tokens(**{name: first[name] + second[name] for name in COUNTS})


@given(prices, st.builds(Tokens, **counts(900_000), **modifiers), st.sampled_from(COUNTS))
def test_cost_never_falls_when_a_count_grows(price: Price, tokens: Tokens, name: str) -> None:
    count = msgspec.structs.asdict(tokens)[name]
    more = msgspec.structs.replace(tokens, **{name: count + 1})

    assert cost_at(more, price).nano_dollars >= cost_at(tokens, price).nano_dollars


@given(flat_prices, st.builds(Tokens, **counts(900_000)), st.builds(Tokens, **counts(900_000)))
def test_cost_of_the_sum_is_the_sum_of_costs_where_no_band_applies(
    price: Price, left: Tokens, right: Tokens
) -> None:
    apart = cost_at(left, price).nano_dollars + cost_at(right, price).nano_dollars

    assert cost_at(add(left, right), price).nano_dollars == apart


@given(prices, st.builds(Tokens, **counts(2_000_000), **modifiers))
def test_the_lines_add_up_and_each_is_within_half_a_nano_dollar(
    price: Price, tokens: Tokens
) -> None:
    priced = cost_at(tokens, price)

    assert priced.nano_dollars == sum(line.nano_dollars for line in priced.lines)
    for line in priced.lines:
        above, below = line.multiplier
        exact = line.count * line.unit_price * above
        assert abs(2 * (line.nano_dollars * below - exact)) <= below


@given(
    st.builds(
        Tokens,
        **{name: st.integers() for name in COUNTS},
        speed=st.none() | st.text(),
        inference_geo=st.none() | st.text(),
        service_tier=st.none() | st.text(),
    ),
    st.text() | st.sampled_from([price.model for price in price_table().rows]),
    st.dates(),
)
def test_no_input_makes_pricing_fail_or_a_cost_negative(
    tokens: Tokens, model: str, day: dt.date
) -> None:
    priced = cost_of(tokens, model, day)

    assert priced is None or priced.nano_dollars >= 0

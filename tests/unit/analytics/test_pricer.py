"""Many calls priced at once: the same cost as one by one, whatever is in them."""

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from clew.analytics import cost_of, tokens_of
from clew.analytics.pricer import Pricer
from clew.conversation import ModelUsage

COUNTS = st.one_of(st.integers(0, 300_000), st.integers(-5, 3_000_000))
USAGES = st.builds(
    ModelUsage,
    input_tokens=COUNTS,
    output_tokens=COUNTS,
    cache_read_tokens=COUNTS,
    cache_write_5m_tokens=COUNTS,
    cache_write_1h_tokens=COUNTS,
    cache_write_unsplit_tokens=COUNTS,
    web_searches=st.sampled_from([0, 0, 3]),
    service_tier=st.sampled_from([None, "standard", "batch", "odd"]),
    inference_geo=st.sampled_from([None, "", "not_available", "us", "mars"]),
    speed=st.sampled_from([None, "standard", "fast"]),
)
MODELS = st.sampled_from(
    [
        "claude-opus-5-5",
        "claude-haiku-5-5",
        "eu.anthropic.claude-sonnet-4-5-v1:0",
        "claude-opus-4-6",
        "odd",
    ]
)
DAYS = st.sampled_from([dt.date(2026, 3, 1), dt.date(2026, 11, 14), dt.date(1999, 1, 1)])


@given(st.lists(st.tuples(USAGES, MODELS, DAYS), min_size=1, max_size=5))
def test_a_call_costs_what_its_steps_come_to(
    calls: list[tuple[ModelUsage, str, dt.date]],
) -> None:
    pricer = Pricer()

    for usage, model, day in calls:
        cost = cost_of(tokens_of(usage), model, day)
        found = pricer.price(usage, model, f"{day}T09:00:00.000Z")
        assert found == ((None, True) if cost is None else (cost.nano_dollars, cost.is_lower_bound))

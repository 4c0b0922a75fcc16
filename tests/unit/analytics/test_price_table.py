import datetime as dt
import hashlib
import json
from decimal import Decimal
from itertools import groupby

import msgspec
import pytest

from clew.analytics import PriceTable, Rates, digest, price_on, price_table

TODAY = dt.date(2026, 11, 15)

# Dollars per million tokens: input, 5-minute write, 1-hour write, cache read, output.
PUBLISHED = [
    ("claude-3-haiku", "0.25 0.30 0.50 0.03 1.25"),
    ("claude-3-sonnet", "3 3.75 6 0.30 15"),
    ("claude-3-opus", "15 18.75 30 1.50 75"),
    ("claude-3-5-haiku", "0.80 1.00 1.60 0.08 4"),
    ("claude-3-5-sonnet", "3 3.75 6 0.30 15"),
    ("claude-3-7-sonnet", "3 3.75 6 0.30 15"),
    ("claude-sonnet-4", "3 3.75 6 0.30 15"),
    ("claude-opus-4", "15 18.75 30 1.50 75"),
    ("claude-opus-4-1", "15 18.75 30 1.50 75"),
    ("claude-haiku-4-5", "1 1.25 2 0.10 5"),
    ("claude-haiku-5-5", "0.10 0.125 0.20 0.01 0.50"),
    ("claude-sonnet-4-5", "3 3.75 6 0.30 15"),
    ("claude-sonnet-4-6", "3 3.75 6 0.30 15"),
    ("claude-sonnet-5", "2 2.5 4 0.20 10"),
    ("claude-sonnet-5-5", "2 2.5 4 0.10 10"),
    ("claude-opus-4-5", "5 6.25 10 0.50 25"),
    ("claude-opus-4-6", "5 6.25 10 0.50 25"),
    ("claude-opus-4-7", "5 6.25 10 0.50 25"),
    ("claude-opus-4-8", "5 6.25 10 0.50 25"),
    ("claude-opus-5", "5 6.25 10 0.50 25"),
    ("claude-opus-5-5", "4 5 8 0.20 20"),
    ("claude-fable-5", "10 12.5 20 1.00 50"),
    ("claude-mythos-5", "10 12.5 20 1.00 50"),
    ("claude-fable-5-1", "10 12.5 20 0.25 50"),
    ("claude-mythos-5-1", "10 12.5 20 0.25 50"),
    ("claude-fable-5-2", "8 10 16 0.20 40"),
    ("claude-mythos-5-2", "8 10 16 0.20 40"),
]

BANDS = [
    ("claude-haiku-5-5", TODAY, 100_000, "0.50 0.625 1.00 0.05 2.50"),
    ("claude-sonnet-4", dt.date(2026, 4, 30), 200_000, "6 7.5 12 0.60 22.5"),
    ("claude-sonnet-4-5", dt.date(2026, 4, 30), 200_000, "6 7.5 12 0.60 22.5"),
    ("claude-sonnet-4-6", dt.date(2026, 3, 12), 200_000, "6 7.5 12 0.60 22.5"),
    ("claude-opus-4-6", dt.date(2026, 3, 12), 200_000, "10 12.5 20 1 37.5"),
]

FAST = {
    "claude-opus-4-6": (6, 1),
    "claude-opus-4-7": (6, 1),
    "claude-opus-4-8": (2, 1),
    "claude-opus-5": (2, 1),
    "claude-opus-5-5": (2, 1),
}

WITHOUT_US = {"claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-5"}


def rates(dollars: str) -> Rates:
    nano = [int(Decimal(price) * 1000) for price in dollars.split()]
    return Rates(
        input=nano[0],
        cache_write_5m=nano[1],
        cache_write_1h=nano[2],
        cache_read=nano[3],
        output=nano[4],
    )


def with_first_input_price(nano_dollars: int) -> PriceTable:
    first, *others = price_table().rows
    changed = msgspec.structs.replace(first.rates, input=nano_dollars)
    dearer = msgspec.structs.replace(first, rates=changed)
    return msgspec.structs.replace(price_table(), rows=(dearer, *others))


@pytest.mark.parametrize(("model", "dollars"), PUBLISHED)
def test_a_model_has_its_published_prices(model: str, dollars: str) -> None:
    price = price_on(model, TODAY)

    assert price is not None
    assert price.rates == rates(dollars)


def test_every_model_of_the_table_is_checked_against_a_published_price() -> None:
    assert {price.model for price in price_table().rows} == {model for model, _ in PUBLISHED}


@pytest.mark.parametrize(("model", "day", "above_tokens", "dollars"), BANDS)
def test_a_long_context_band_has_its_published_prices(
    model: str, day: dt.date, above_tokens: int, dollars: str
) -> None:
    price = price_on(model, day)

    assert price is not None
    assert price.band is not None
    assert price.band.above_tokens == above_tokens
    assert price.band.rates == rates(dollars)


def test_today_only_haiku_5_5_has_a_band() -> None:
    prices = [price_on(model, TODAY) for model, _ in PUBLISHED]

    assert [price.model for price in prices if price and price.band] == ["claude-haiku-5-5"]


@pytest.mark.parametrize("model", [model for model, _ in PUBLISHED])
def test_fast_mode_has_its_published_multiplier(model: str) -> None:
    price = price_on(model, TODAY)

    assert price is not None
    assert price.multipliers.fast == FAST.get(model)


def test_residency_costs_a_tenth_more_on_models_from_opus_4_6_on() -> None:
    current = PUBLISHED[[model for model, _ in PUBLISHED].index("claude-haiku-4-5") :]
    prices = [price_on(model, TODAY) for model, _ in current]

    without = {price.model for price in prices if price and price.multipliers.us is None}

    assert without == WITHOUT_US
    assert {price.multipliers.us for price in prices if price} == {None, (11, 10)}


def test_ids_of_a_region_cost_a_tenth_more_on_models_from_4_5_on() -> None:
    first = [model for model, _ in PUBLISHED].index("claude-haiku-4-5")
    earlier = {model for model, _ in PUBLISHED[:first]}

    for price in price_table().rows:
        regional = (1, 1) if price.model in earlier else (11, 10)
        assert (price.multipliers.regional, price.multipliers.gov) == (regional, (6, 5))


def test_batches_cost_half_on_every_model() -> None:
    assert {price.multipliers.batch for price in price_table().rows} == {(1, 2)}


def test_a_thousand_web_searches_cost_ten_dollars() -> None:
    fees = {price.web_search for price in price_table().rows if price.web_search is not None}

    assert fees == {10 * 10**9 // 1000}


def test_the_days_of_a_model_follow_each_other_without_gap_or_overlap() -> None:
    for _, group in groupby(price_table().rows, key=lambda price: price.model):
        prices = list(group)

        assert prices[0].since == dt.date(2024, 1, 1)
        assert [price.until for price in prices[:-1]] == [price.since for price in prices[1:]]
        assert prices[-1].until is None


def test_every_price_names_its_source() -> None:
    assert all(price.source for price in price_table().rows)
    assert price_table().date == TODAY


def test_prices_that_changed_are_taken_from_their_day() -> None:
    before = price_on("claude-sonnet-5-5", dt.date(2026, 10, 6))
    after = price_on("claude-sonnet-5-5", dt.date(2026, 10, 7))

    assert before is not None
    assert after is not None
    assert (before.rates.cache_read, after.rates.cache_read) == (200, 100)


def test_fast_mode_of_opus_4_6_began_at_half_price() -> None:
    first = price_on("claude-opus-4-6", dt.date(2026, 2, 16))
    later = price_on("claude-opus-4-6", dt.date(2026, 2, 17))

    assert first is not None
    assert later is not None
    assert (first.multipliers.fast, later.multipliers.fast) == ((3, 1), (6, 1))


def test_models_that_were_retired_keep_their_prices() -> None:
    assert price_on("claude-3-7-sonnet-20250219", dt.date(2025, 3, 1)) is not None
    assert price_on("claude-opus-4-20250514", dt.date(2025, 6, 1)) is not None


def test_a_day_before_the_table_begins_has_no_price() -> None:
    assert price_on("claude-opus-5-5", dt.date(2023, 12, 31)) is None


def test_the_digest_changes_when_a_price_changes() -> None:
    first = price_table().rows[0].rates.input

    assert digest(with_first_input_price(first)) == digest()
    assert digest(with_first_input_price(first + 1)) != digest()


def test_the_digest_is_the_sha256_of_the_table_as_json_with_sorted_keys() -> None:
    table = msgspec.to_builtins(price_table())

    canonical = json.dumps(table, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    assert digest() == hashlib.sha256(canonical.encode()).hexdigest()

"""Pricer: what many calls cost, each price looked up once."""

from typing import TypeAlias

import msgspec

from clew.analytics.models import region_of
from clew.analytics.prices import Price, Tokens, cost_at, price_on, price_table
from clew.clock import parse_time
from clew.conversation import MAX_TOKENS, ModelUsage

# A model, a day, and whatever else may bear on the price of a token.
_Key: TypeAlias = tuple[str, str, str | None, str | None, str | None]


class _UnitPrice(msgspec.Struct, frozen=True, gc=False):
    """A price, and up to how many tokens a call at it is a mere sum.

    A cost is a lower bound where a multiplier is not known.
    """

    price: Price
    region: str
    plain_tokens: int
    is_lower_bound: bool


class Pricer:
    """Prices calls as `cost_of` does, and the usual ones without its steps.

    Without a band, a multiplier or a fee, a cost is a sum of counts times rates, never rounded.
    """

    def __init__(self) -> None:
        self._found: dict[_Key, _UnitPrice | None] = {}

    def price(self, usage: ModelUsage, model: str, at: str) -> tuple[int | None, bool]:
        """Return what a call costs in nano-dollars, and whether more was paid than that.

        The cost is None when the model has no price on the call's day.
        """
        key = (model, at[:10], usage.service_tier, usage.inference_geo, usage.speed)
        if key not in self._found:
            self._found[key] = _look_up(usage, model, at)
        found = self._found[key]
        if found is None:
            return None, True
        fresh, output = usage.input_tokens, usage.output_tokens
        read, long = usage.cache_read_tokens, usage.cache_write_1h_tokens
        short, rest = usage.cache_write_5m_tokens, usage.cache_write_unsplit_tokens
        is_plain = fresh + output + read + long + short + rest <= found.plain_tokens
        if usage.web_searches or not is_plain or min(fresh, output, read, long, short, rest) < 0:
            cost = cost_at(tokens_of(usage), found.price, found.region)
            return cost.nano_dollars, cost.is_lower_bound
        rates = found.price.rates
        nano_dollars = (
            fresh * rates.input
            + output * rates.output
            + read * rates.cache_read
            + (short + rest) * rates.cache_write_5m
            + long * rates.cache_write_1h
        )
        return nano_dollars, found.is_lower_bound


def _look_up(usage: ModelUsage, model: str, at: str) -> _UnitPrice | None:
    moment = parse_time(at)
    price = price_on(model, price_table().date if moment is None else moment.date())
    if price is None:
        return None
    modifiers = Tokens(
        service_tier=usage.service_tier, inference_geo=usage.inference_geo, speed=usage.speed
    )
    region = region_of(model)
    bare = cost_at(modifiers, price, region)
    plain = MAX_TOKENS if price.band is None else price.band.above_tokens
    return _UnitPrice(price, region, -1 if bare.rules else plain, bare.is_lower_bound)


def tokens_of(usage: ModelUsage) -> Tokens:
    """Return what pricing needs of a call's usage."""
    return Tokens(
        input=usage.input_tokens,
        output=usage.output_tokens,
        cache_read=usage.cache_read_tokens,
        cache_write_5m=usage.cache_write_5m_tokens,
        cache_write_1h=usage.cache_write_1h_tokens,
        cache_write_unsplit=usage.cache_write_unsplit_tokens,
        web_searches=usage.web_searches,
        service_tier=usage.service_tier,
        inference_geo=usage.inference_geo,
        speed=usage.speed,
    )

"""Prices and cost: the tokens of one model call, on its day, in nano-dollars with every step.

Money is an integer of nano-dollars: one dollar per million tokens is 1,000 nano-dollars per token.
A multiplier is a ratio of integers. Each line of a cost is rounded once, after all multipliers,
to the nearest nano-dollar (halves up); the cost is the sum of its lines. Prices are those of the
public API: what a subscription or a contract charges is not known here.
"""

import datetime as dt
import functools
import hashlib
from collections.abc import Iterator
from importlib import resources
from typing import Final, Literal, TypeAlias

import msgspec

from clew.analytics.models import normalise, region_of
from clew.conversation import COUNT_LIMITS

Ratio: TypeAlias = tuple[int, int]
NoteKind: TypeAlias = Literal[
    "long_context",
    "fast",
    "us",
    "batch",
    "regional",
    "gov",
    "cache_writes_unsplit",
    "count_corrupt",
    "value_unknown",
    "multiplier_unknown",
    "fee_unknown",
]

# With one of these, more was paid than is counted.
_LEFT_OUT: Final = frozenset(
    {"count_corrupt", "value_unknown", "multiplier_unknown", "fee_unknown"}
)
MultiplierKind: TypeAlias = Literal["fast", "us", "batch", "regional", "gov"]
_ONE: Final[Ratio] = (1, 1)
_LIMITS: Final = {
    name.removesuffix("_tokens"): most
    for name, most in COUNT_LIMITS.items()
    if name != "web_fetches"
}


class Rates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one token of each kind costs, in nano-dollars."""

    input: int
    output: int
    cache_read: int
    cache_write_5m: int
    cache_write_1h: int


class Band(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Other rates for the whole of a request whose prompt is above a number of tokens."""

    above_tokens: int
    rates: Rates


class Multipliers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Factors on all token prices of a request; None where none is known for the model.

    `regional` and `gov` are those of ids that keep requests in a region (see `region_of`).
    """

    fast: Ratio | None = None
    us: Ratio | None = None
    batch: Ratio | None = None
    regional: Ratio | None = None
    gov: Ratio | None = None


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one model costs from a day on, up to but without the day `until`."""

    model: str
    since: dt.date = msgspec.field(name="from")
    until: dt.date | None = None
    rates: Rates
    band: Band | None = None
    multipliers: Multipliers
    web_search: int | None = None
    source: str


class PriceTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All prices, and the day on which their sources were read."""

    date: dt.date
    unit: str
    rows: tuple[Price, ...]


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """What pricing needs of one model call's usage.

    `cache_write_unsplit` is the aggregate of cache writes less the 5-minute and 1-hour ones: all
    of it where a client wrote no breakdown, below zero where the parts exceed their sum.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    cache_write_unsplit: int = 0
    web_searches: int = 0
    service_tier: str | None = None
    inference_geo: str | None = None
    speed: str | None = None


class CostLine(msgspec.Struct, frozen=True):
    """One step of a cost: a count times a unit price times a multiplier."""

    what: str
    count: int
    unit_price: int
    multiplier: Ratio
    nano_dollars: int


class PriceNote(msgspec.Struct, frozen=True):
    """Something that bears on a cost: its kind to count by, its text to read."""

    kind: NoteKind
    text: str


class Cost(msgspec.Struct, frozen=True):
    """What one model call costs, and how that came about.

    `rules` are the band and the multipliers that were applied; `flags` say where the figure rests
    on an assumption or leaves something out.
    """

    nano_dollars: int
    price: Price
    lines: tuple[CostLine, ...]
    rules: tuple[PriceNote, ...] = ()
    flags: tuple[PriceNote, ...] = ()

    @property
    def is_lower_bound(self) -> bool:
        """Whether something is left out, so that more was paid."""
        return any(flag.kind in _LEFT_OUT for flag in self.flags)


class _Modifier(msgspec.Struct, frozen=True):
    """A field of the usage whose value may multiply all token prices."""

    field: str
    usual: frozenset[str]
    kind: Literal["fast", "us", "batch"]


_MODIFIERS: Final = (
    _Modifier("speed", frozenset({"standard"}), "fast"),
    _Modifier("inference_geo", frozenset({"global", "not_available"}), "us"),
    _Modifier("service_tier", frozenset({"standard"}), "batch"),
)


def cost_of(tokens: Tokens, model: str, day: dt.date) -> Cost | None:
    """Return the cost of one call, or None when `model` has no price on `day`: it is unpriced."""
    price = price_on(model, day)
    return None if price is None else cost_at(tokens, price, region_of(model))


@functools.lru_cache(maxsize=256)
def price_on(model: str, day: dt.date) -> Price | None:
    """Return the price of a model, under any of its ids, on a day in UTC."""
    for price in _prices_by_model().get(normalise(model), ()):
        if price.since <= day and (price.until is None or day < price.until):
            return price
    return None


@functools.cache
def price_table() -> PriceTable:
    """Return the table that comes with this version of the program."""
    raw = resources.files("clew.analytics").joinpath("prices.json").read_bytes()
    return msgspec.json.decode(raw, type=PriceTable)


def digest(table: PriceTable | None = None) -> str:
    """Return the SHA-256 of a table as canonical JSON: equal digests mean equal prices."""
    canonical = msgspec.json.encode(table or price_table(), order="sorted")
    return hashlib.sha256(canonical).hexdigest()


def cost_at(tokens: Tokens, price: Price, region: str = "") -> Cost:
    """Return the cost of one call at a price. Corrupt counts are flagged and count as zero.

    `region` is that of `region_of` for the model's id.
    """
    corrupt = _find_corrupt(tokens)
    if corrupt:
        tokens = msgspec.structs.replace(tokens, **dict.fromkeys(corrupt, 0))
    rates, bands = _choose_rates(tokens, price)
    multiplier, multipliers, unknown = _find_multiplier(tokens, price, region)
    lines = _price_tokens(tokens, rates, multiplier)
    lines += _price_searches(tokens, price)
    return Cost(
        nano_dollars=sum(line.nano_dollars for line in lines),
        price=price,
        lines=tuple(lines),
        rules=(*bands, *multipliers),
        flags=(*corrupt.values(), *unknown, *_flag_assumptions(tokens, price)),
    )


@functools.cache
def _prices_by_model() -> dict[str, list[Price]]:
    by_model: dict[str, list[Price]] = {}
    for price in price_table().rows:
        by_model.setdefault(price.model, []).append(price)
    return by_model


def _find_corrupt(tokens: Tokens) -> dict[str, PriceNote]:
    return {
        name: PriceNote("count_corrupt", f"{name} is not between 0 and {most:,}: ignored")
        for name, most in _LIMITS.items()
        if not 0 <= getattr(tokens, name) <= most
    }


def _choose_rates(tokens: Tokens, price: Price) -> tuple[Rates, list[PriceNote]]:
    band = price.band
    if band is None:
        return price.rates, []
    # All that the model was given counts towards the band, whatever it was read from.
    written = tokens.cache_write_5m + tokens.cache_write_1h + tokens.cache_write_unsplit
    prompt = tokens.input + tokens.cache_read + written
    if prompt <= band.above_tokens:
        return price.rates, []
    limit = f"{band.above_tokens:,}"
    text = f"a prompt of {prompt:,} tokens is above {limit}: long-context rates for all of it"
    return band.rates, [PriceNote("long_context", text)]


def _find_multiplier(
    tokens: Tokens, price: Price, region: str
) -> tuple[Ratio, list[PriceNote], list[PriceNote]]:
    multiplier, rules, flags = _ONE, [], []
    for kind, text in _modifiers(tokens, region):
        factor: Ratio | None = getattr(price.multipliers, kind, None)
        if not kind:
            flags.append(PriceNote("value_unknown", f"{text} is not known: priced without it"))
        elif factor is None:
            note = f"{text} has no known multiplier for {price.model}: priced without it"
            flags.append(PriceNote("multiplier_unknown", note))
        elif factor != _ONE:
            multiplier = (multiplier[0] * factor[0], multiplier[1] * factor[1])
            note = f"{text}: every token price times {factor[0]}/{factor[1]}"
            rules.append(PriceNote(kind, note))
    return multiplier, rules, flags


def _modifiers(tokens: Tokens, region: str) -> Iterator[tuple[MultiplierKind | Literal[""], str]]:
    """Return what affects all token prices: the name of its multiplier, if known, and a text."""
    for modifier in _MODIFIERS:
        value: str | None = getattr(tokens, modifier.field)
        if value and value not in modifier.usual:
            kind = modifier.kind if value == modifier.kind else ""
            yield kind, f"{modifier.field} {value[:40]!r}"
    if region == "gov":
        yield "gov", "an id of a government region"
    elif region:
        yield "regional", "an id of a region"


def _price_tokens(tokens: Tokens, rates: Rates, multiplier: Ratio) -> list[CostLine]:
    counted = (
        ("input", tokens.input, rates.input),
        ("output", tokens.output, rates.output),
        ("cache read", tokens.cache_read, rates.cache_read),
        ("5-minute cache write", tokens.cache_write_5m, rates.cache_write_5m),
        ("1-hour cache write", tokens.cache_write_1h, rates.cache_write_1h),
        ("other cache write", tokens.cache_write_unsplit, rates.cache_write_5m),
    )
    return [_line(what, count, price, multiplier) for what, count, price in counted if count]


def _price_searches(tokens: Tokens, price: Price) -> list[CostLine]:
    # The fee is per request: no multiplier bears on it.
    if not tokens.web_searches or price.web_search is None:
        return []
    return [_line("web search", tokens.web_searches, price.web_search, _ONE)]


def _line(what: str, count: int, unit_price: int, multiplier: Ratio) -> CostLine:
    above, below = multiplier
    nano_dollars = (2 * count * unit_price * above + below) // (2 * below)
    return CostLine(what, count, unit_price, multiplier, nano_dollars)


def _flag_assumptions(tokens: Tokens, price: Price) -> list[PriceNote]:
    flags = []
    if tokens.cache_write_unsplit:
        text = "cache writes without a breakdown are priced as 5-minute writes"
        flags.append(PriceNote("cache_writes_unsplit", text))
    if tokens.web_searches and price.web_search is None:
        text = f"web searches have no known fee for {price.model}: not counted"
        flags.append(PriceNote("fee_unknown", text))
    return flags

"""What model calls cost: each on its model and its day, summed without counting any twice."""

from collections.abc import Iterable
from typing import Final

import msgspec

from clew.analytics.facts import ModelCall, model_calls
from clew.analytics.prices import Tokens, cost_of, price_table
from clew.clock import parse_time
from clew.conversation import Conversation, Message, ModelUsage

_NANO: Final = 1_000_000_000
_INHERITED: Final = "inherited"


class Bill(msgspec.Struct, frozen=True):
    """What calls cost in nano-dollars, and the models whose calls have no price.

    None means that nothing of it could be priced; zero, that there was nothing to pay.
    """

    nano_dollars: int | None = 0
    unpriced_models: tuple[str, ...] = ()

    @property
    def usd(self) -> float | None:
        """Give the cost in dollars, to the nano-dollar."""
        return None if self.nano_dollars is None else round(self.nano_dollars / _NANO, 9)


Bills = dict[str, Bill]


def bill_messages(conversation: Conversation) -> Bills:
    """Give the cost of each answer by message id, whichever session owns it."""
    found: dict[str, list[Bill]] = {}
    for call in model_calls(conversation):
        found.setdefault(call.message_id, []).append(bill_of(call))
    return {message_id: add_bills(own) for message_id, own in found.items()}


def bill_all(messages: Iterable[Message], bills: Bills) -> Bill:
    """Sum the cost of those messages that are not inherited from another session."""
    own = (m for m in messages if m.usage is not None and m.usage.quality != _INHERITED)
    return add_bills(bills[m.id] for m in own if m.id in bills)


def bill_of(call: ModelCall) -> Bill:
    """Price one model call; one without a time is priced as of the table's own day."""
    moment = parse_time(call.at)
    day = price_table().date if moment is None else moment.date()
    cost = cost_of(tokens_of(call.usage), call.model, day)
    return Bill(None, (call.model,)) if cost is None else Bill(cost.nano_dollars)


def add_bills(bills: Iterable[Bill]) -> Bill:
    """Sum what is priced; without any, the sum is unknown if something is unpriced."""
    total: int | None = None
    unpriced: dict[str, None] = {}
    for bill in bills:
        unpriced.update(dict.fromkeys(bill.unpriced_models))
        if bill.nano_dollars is not None:
            total = (total or 0) + bill.nano_dollars
    return Bill(total if total is not None or unpriced else 0, tuple(unpriced))


def tokens_of(usage: ModelUsage) -> Tokens:
    """Give what pricing needs of a call's usage."""
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

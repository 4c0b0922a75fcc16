"""What model calls cost: each on its model and its day, summed without counting any twice."""

from collections.abc import Iterable
from typing import Final

import msgspec

from clew.analytics.facts import ModelCall, model_calls
from clew.analytics.pricer import Pricer
from clew.conversation import (
    Conversation,
    Message,
    is_inherited,
    is_lower_bound,
    make_quality,
    sum_quality,
)

_NANO: Final = 1_000_000_000


class Bill(msgspec.Struct, frozen=True):
    """What calls cost in nano-dollars, how far that is known, and the models without a price.

    None means that nothing of it could be priced; zero, that there was nothing to pay. `quality`
    is that of the tokens or, where a price or a multiplier is not known, a lower bound.
    """

    nano_dollars: int | None = 0
    unpriced_models: tuple[str, ...] = ()
    quality: str = "exact"

    @property
    def usd(self) -> float | None:
        """Return the cost in dollars, to the nano-dollar."""
        return None if self.nano_dollars is None else round(self.nano_dollars / _NANO, 9)


Bills = dict[str, Bill]


def bill_messages(conversation: Conversation) -> Bills:
    """Return the cost of each answer by message id, whichever session owns it."""
    pricer, parts = Pricer(), dict[str, list[Bill]]()
    for call in model_calls(conversation):
        parts.setdefault(call.message_id, []).append(bill_call(call, pricer))
    return {name: add_bills(own) for name, own in parts.items()}


def bill_call(call: ModelCall, pricer: Pricer) -> Bill:
    """Price one model call; one without a time is priced as of the table's own day."""
    nano, is_more = pricer.price(call.usage, call.model, call.at)
    quality = quality_of_cost(call.usage.quality, is_more=is_more)
    return Bill(nano, (call.model,) if nano is None else (), quality)


def quality_of_cost(stated: str, *, is_more: bool) -> str:
    """Return the quality of a cost, by that of its tokens and whether a price is not known."""
    return make_quality(
        is_inherited=is_inherited(stated), is_lower_bound=is_more or is_lower_bound(stated)
    )


def bill_all(messages: Iterable[Message], bills: Bills) -> Bill:
    """Sum the cost of those messages that are not inherited from another session."""
    found = [bills[message.id] for message in messages if message.id in bills]
    own = add_bills(bill for bill in found if not is_inherited(bill.quality))
    quality = sum_quality(bill.quality for bill in found)
    return msgspec.structs.replace(own, quality=quality)


def add_bills(bills: Iterable[Bill]) -> Bill:
    """Sum what is priced; without any, the sum is unknown if something is unpriced."""
    total: int | None = None
    unpriced: dict[str, None] = {}
    qualities = []
    for bill in bills:
        unpriced.update(dict.fromkeys(bill.unpriced_models))
        qualities.append(bill.quality)
        if bill.nano_dollars is not None:
            total = (total or 0) + bill.nano_dollars
    known = total if total is not None or unpriced else 0
    return Bill(known, tuple(unpriced), sum_quality(qualities))

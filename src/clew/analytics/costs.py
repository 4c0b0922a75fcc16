"""What model calls cost: each on its model and its day, summed without counting any twice."""

from collections.abc import Iterable
from typing import Final

import msgspec

from clew.analytics.facts import ModelCall, model_calls
from clew.analytics.pricer import Pricer, tokens_of
from clew.analytics.prices import cost_of, price_table
from clew.clock import parse_time
from clew.conversation import Conversation, Message

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
    pricer, bills = Pricer(), Bills()
    for call in model_calls(conversation):
        cost, _ = pricer.price(call.usage, call.model, call.at)
        bill = Bill(None, (call.model,)) if cost is None else Bill(cost)
        before = bills.get(call.message_id)
        bills[call.message_id] = bill if before is None else add_bills((before, bill))
    return bills


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

"""What a request to a model costs: at most, before it; and exactly, by what was counted."""

import datetime as dt
import functools
from typing import Final

from clew.analytics import Price, Tokens, cost_at, cost_of, price_on, price_table, region_of
from clew.digest import ModelRequest

# Text has three to four bytes for each token, dense code and other scripts about two.
_BYTES_OF_TOKEN: Final = 2
# What servers add: the roles of messages, the shape that is asked for.
_ADDED_TOKENS: Final = 600


def most_tokens(request: ModelRequest) -> int:
    """Return how many tokens a request has at most."""
    size = len(request.instructions.encode()) + len(request.text.encode())
    return size // _BYTES_OF_TOKEN + _ADDED_TOKENS


def highest_cost(model: str, request: ModelRequest, day: dt.date | None = None) -> int:
    """Return the most that an answer can cost, in nano-dollars.

    A model without a price counts as the most expensive one.
    """
    moment = day or dt.datetime.now(dt.UTC).date()
    price = price_on(model, moment) or _highest_price()
    tokens = Tokens(input=most_tokens(request), output=request.max_output_tokens)
    return cost_at(tokens, price, region_of(model)).nano_dollars


def cost_of_reply(model: str, tokens: Tokens, day: dt.date | None = None) -> int | None:
    """Return what an answer cost, in nano-dollars; None if the model has no price."""
    cost = cost_of(tokens, model, day or dt.datetime.now(dt.UTC).date())
    return None if cost is None else cost.nano_dollars


@functools.cache
def _highest_price() -> Price:
    return max(price_table().rows, key=lambda price: (price.rates.output, price.rates.input))

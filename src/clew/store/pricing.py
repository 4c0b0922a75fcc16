"""Stored costs and the price table they rest on: when it changes, calls are priced again."""

from typing import Any, Final

from clew.analytics import Pricer, digest, price_table
from clew.conversation import ModelUsage
from clew.store.protocols import Database

_MODEL_AND_TIME: Final = 2


def has_current_prices(database: Database) -> bool:
    """Tell whether the stored costs rest on the price table of this version of clew."""
    found = next(database.rows("stored_prices"), None)
    return found is not None and found[0] == digest()


def price_again(database: Database) -> None:
    """Store the costs of all model calls at the prices of this version of clew."""
    pricer = Pricer()
    changed = []
    for name in ("begin_ownership", "add_raised_answers", "lower_calls"):
        database.run(name)
    for row, *values, cost, is_partial in database.rows("calls_to_price"):
        priced = price_call(pricer, values)
        if priced != (cost, is_partial):
            changed.append({"cost": priced[0], "is_partial": priced[1], "row": row})
    database.run_many("price_call", changed)
    for name in ("raise_calls", "end_ownership"):
        database.run(name)
    database.run("store_prices", {"date": str(price_table().date), "digest": digest()})


def price_call(pricer: Pricer, values: Any) -> tuple[int | None, int]:
    """Return the cost of a call by its columns, and whether a part of its price is not known."""
    model, at = values[:_MODEL_AND_TIME]
    cost, is_partial = pricer.price(ModelUsage(*values[_MODEL_AND_TIME:]), model, at)
    return cost, int(is_partial)

"""Stored costs and the price table they rest on: when it changes, calls are priced again.

A writer stores the new costs. Whoever only reads an archive with other prices sees its calls
through a view that prices them on the way, so that no cost is ever shown under another's digest.
"""

from typing import Any, Final

import apsw

from clew.analytics import Pricer, digest, price_table
from clew.conversation import ModelUsage, is_lower_bound, make_quality
from clew.store.queries import statement

_MODEL_AND_TIME: Final = 2


def has_current_prices(connection: apsw.Connection) -> bool:
    """Tell whether the stored costs rest on the price table of this version of clew."""
    try:
        found = connection.execute(statement("stored_prices")).fetchone()
    except apsw.SQLError:
        # The tables are older than that: a writer brings them up to date first.
        return True
    return found is not None and found[0] == digest()


def price_again(connection: apsw.Connection) -> None:
    """Store the costs of all model calls at the prices of this version of clew."""
    pricer = Pricer()
    changed = []
    for name in ("settle_begin", "add_raised_answers", "lower_calls"):
        connection.execute(statement(name))
    for row, *values, cost, is_partial in connection.execute(statement("calls_to_price")):
        priced = _price(pricer, values)
        if priced != (cost, is_partial):
            changed.append((*priced, row))
    connection.executemany(statement("price_call"), changed)
    for name in ("raise_calls", "settle_end"):
        connection.execute(statement(name))
    values = {"date": str(price_table().date), "digest": digest()}
    connection.execute(statement("store_prices"), values)


def price_when_read(connection: apsw.Connection) -> None:
    """Let this connection see model calls at the prices of this version of clew."""
    pricer = Pricer()

    def cost(*values: Any) -> int | None:
        return _price(pricer, values)[0]

    def is_partial(*values: Any) -> int:
        return _price(pricer, values)[1]

    def quality(stated: Any, is_inherited: Any, *values: Any) -> str:
        is_less = is_lower_bound(stated) or bool(_price(pricer, values)[1])
        return make_quality(is_inherited=bool(is_inherited), is_lower_bound=is_less)

    functions: dict[str, Any] = {
        "call_cost": cost,
        "call_is_partial": is_partial,
        "call_quality": quality,
    }
    for name, function in functions.items():
        connection.create_scalar_function(
            name, function, deterministic=True, flags=apsw.SQLITE_INNOCUOUS
        )
    connection.execute(statement("price_when_read"))


def _price(pricer: Pricer, values: Any) -> tuple[int | None, int]:
    """Give the cost of a call by its columns, and whether a part of its price is not known."""
    model, at = values[:_MODEL_AND_TIME]
    cost, is_partial = pricer.price(ModelUsage(*values[_MODEL_AND_TIME:]), model, at)
    return cost, int(is_partial)

"""Current prices for readers: costs that rest on an older price table are computed on reading.

So no cost is ever shown with the digest of a price table that it does not rest on.
"""

from typing import Any

import apsw

from clew.analytics import Pricer, digest
from clew.conversation import is_lower_bound, make_quality
from clew.store.pricing import price_call
from clew.store.queries import statement


def has_other_prices(connection: apsw.Connection) -> bool:
    """Tell whether the stored costs rest on a price table other than that of this version."""
    try:
        found = connection.execute(statement("stored_prices")).fetchone()
    except apsw.SQLError:
        # The tables are older than that: a writer brings them up to date first.
        return False
    return found is None or found[0] != digest()


def price_when_read(connection: apsw.Connection) -> None:
    """Let a connection see model calls at the prices of this version of clew."""
    pricer = Pricer()

    def cost(*values: Any) -> int | None:
        return price_call(pricer, values)[0]

    def is_partial(*values: Any) -> int:
        return price_call(pricer, values)[1]

    def quality(stated: Any, is_inherited: Any, *values: Any) -> str:
        is_less = is_lower_bound(stated) or bool(price_call(pricer, values)[1])
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

"""Budgets: the most that a call can cost is reserved before it, and settled after it."""

import datetime as dt
import secrets
from typing import Final

import msgspec

from clew.clock import format_time
from clew.digest import ModelReply
from clew.digest_models.model_errors import ModelError
from clew.store import Database

NANO: Final = 1_000_000_000
MOST_NANO_USD: Final = 1_000_000 * NANO
"""More than a call can cost; no count of tokens is larger either."""
_DAY: Final = dt.timedelta(days=1)
_EXPIRY: Final = _DAY
"""A call that is not settled by then belongs to a process that has ended.

It may have been paid for all the same, so that it counts for as long as any other call.
"""


class BudgetError(ModelError):
    """Calls could cost more than a budget allows: at most `highest_nano_usd`."""

    exit_code = 1

    def __init__(self, which: str, limit_nano_usd: int, highest_nano_usd: int, advice: str) -> None:
        super().__init__(
            f"a digest that may cost ${highest_nano_usd / NANO:.4f} is over the budget of "
            f"${limit_nano_usd / NANO:.2f} {which}; {advice}"
        )
        self.highest_nano_usd = highest_nano_usd


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """What may be spent, in nano-dollars: in this run, and in 24 hours by all `owners`."""

    run_nano_usd: int
    day_nano_usd: int
    owners: tuple[int, ...] = (0,)


class DigestLedger:
    """Reserves and settles calls; what other processes reserve counts too."""

    def __init__(self, database: Database, budget: Budget) -> None:
        self._database = database
        self._budget = budget
        self.run_nano_usd = 0
        """What this run has spent or reserved."""

    def reserve(self, session_id: str, model: str, highest_nano_usd: int, now: dt.datetime) -> str:
        """Reserve the most that a call can cost; return the id to settle it by.

        Raises:
            BudgetError: A budget does not allow it. Nothing is reserved.
        """
        name = secrets.token_hex(16)
        with self._database.transaction():
            list(self._database.rows("lock_digest_budget"))
            self.require(highest_nano_usd, now)
            values = {
                "id": name,
                "session": session_id,
                "model": model,
                "reserved_at": format_time(now),
                "expires_at": format_time(now + _EXPIRY),
                "reserved_nano_usd": highest_nano_usd,
            }
            self._database.run("reserve_digest_call", values)
        self.run_nano_usd += highest_nano_usd
        return name

    def require(self, highest_nano_usd: int, now: dt.datetime) -> None:
        """Make sure that calls may cost so much together.

        Raises:
            BudgetError: A budget does not allow it.
        """
        run, day = self._budget.run_nano_usd, self._budget.day_nano_usd
        if self.run_nano_usd + highest_nano_usd > run:
            raise BudgetError("per run", run, highest_nano_usd, "raise --max-cost to continue")
        if self.spent_today(now) + highest_nano_usd > day:
            advice = "continue tomorrow, or raise max_cost_per_day"
            raise BudgetError("per day", day, highest_nano_usd, advice)

    def settle(
        self, call_id: str, highest_nano_usd: int, reply: ModelReply | ModelError, now: dt.datetime
    ) -> int:
        """Note what a call cost, and return it; the reserved amount counts if it is not known."""
        known = _amount(reply.cost_nano_usd)
        tokens = (reply.input_tokens, reply.output_tokens) if isinstance(reply, ModelReply) else ()
        input_tokens, output_tokens = (_amount(count) or 0 for count in tokens or (0, 0))
        values = {
            "id": call_id,
            "settled_at": format_time(now),
            "cost_nano_usd": known,
            "input_tokens": input_tokens,
            "output_tokens": output_tokens,
            "is_failed": int(isinstance(reply, ModelError)),
        }
        with self._database.transaction():
            self._database.run("settle_digest_call", values)
        cost = highest_nano_usd if known is None else known
        self.run_nano_usd += cost - highest_nano_usd
        return cost

    def spent_today(self, now: dt.datetime) -> int:
        """Return what calls of the last 24 hours cost or may cost."""
        values = {
            "now": format_time(now),
            "since": format_time(now - _DAY),
            "ids": list(self._budget.owners),
        }
        return int(next(self._database.rows("digest_costs_since", values))[0])


def _amount(count: int | None) -> int | None:
    """Return a count, unless no server can mean it: nothing is earned by a call."""
    return count if count is not None and 0 <= count <= MOST_NANO_USD else None

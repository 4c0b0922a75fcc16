"""The families of rates that `tools/insight_rates.py` prints.

A family is a module with `measure(source)`, which gives its rates; add it to `FAMILIES`.
"""

from collections.abc import Callable, Iterable
from typing import Final

from tools.rates import blame, context, replay
from tools.rates.source import Rate, RateSource

__all__ = ["FAMILIES", "Rate", "RateSource"]

FAMILIES: Final[dict[str, Callable[[RateSource], Iterable[Rate]]]] = {
    "replay": replay.measure,
    "blame": blame.measure,
    "context": context.measure,
}

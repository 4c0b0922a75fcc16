"""How contestants did → which budgets hold."""

from collections.abc import Sequence
from typing import Final

import msgspec

from bench.contestant import Budget, Contestant, Limit

NOT_INSTALLED: Final = "not installed"


class Folder(msgspec.Struct, frozen=True):
    """What is read: all transcripts below a folder."""

    path: str
    files: int
    lines: int
    size_bytes: int


class Standing(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one contestant did: its best time and its highest peak over all rounds."""

    name: str
    group: str
    does: str
    is_limit: bool = False
    rounds: int = 0
    seconds: float | None = None
    cpu_seconds: float | None = None
    mb_per_second: float | None = None
    lines_per_second: float | None = None
    peak_bytes: int | None = None
    ratio: float | None = None
    found: int | None = None
    figures: dict[str, float] = {}
    problem: str = ""


class Verdict(msgspec.Struct, frozen=True):
    """Whether a contestant kept its budget: unknown where one of the two is not installed.

    What was reached is a ratio, or the figure that is limited.
    """

    name: str
    budget: str
    reached: float | None
    met: bool | None


def judge_all(
    contestants: Sequence[Contestant], standings: dict[str, Standing], size_bytes: int
) -> list[Verdict]:
    """Judge every budget that is about folders of this size."""
    found: list[Verdict] = []
    for who in contestants:
        own = standings[who.name]
        found += [
            judge(own, budget, standings) for budget in who.budgets if budget.sizes.has(size_bytes)
        ]
        found += [judge_limit(own, limit) for limit in who.limits if limit.sizes.has(size_bytes)]
    return found


def judge(own: Standing, budget: Budget, standings: dict[str, Standing]) -> Verdict:
    """Tell whether a contestant is as fast as it promised; one that failed is not."""
    other = standings.get(budget.reference)
    ratio = _rate_ratio(own, other) if budget.by_rate else ratio_of(own, other)
    met: bool | None = ratio is not None and ratio >= budget.times
    if other is None or NOT_INSTALLED in (own.problem, other.problem):
        met = None
    return Verdict(own.name, budget.text, ratio, met)


def judge_limit(own: Standing, limit: Limit) -> Verdict:
    """Tell whether a figure stays below its limit; one that is not there does not."""
    own_figures = {
        "seconds": own.seconds,
        "peak MB": None if own.peak_bytes is None else own.peak_bytes / 1e6,
        **own.figures,
    }
    value = own_figures.get(limit.figure)
    met = None if own.problem == NOT_INSTALLED else value is not None and value <= limit.at_most
    return Verdict(own.name, limit.text, value, met)


def ratio_of(own: Standing, other: Standing | None) -> float | None:
    """Say how many times as fast the one is as the other."""
    if other is None or own.seconds is None or other.seconds is None:
        return None
    return other.seconds / own.seconds


def _rate_ratio(own: Standing, other: Standing | None) -> float | None:
    if other is None or own.mb_per_second is None or other.mb_per_second is None:
        return None
    return own.mb_per_second / other.mb_per_second

"""A comparison of two sessions in words and figures, the same on every surface."""

from collections.abc import Callable, Iterator
from typing import Final

from clew.analytics import display_name, find_checkout
from clew.figures import duration
from clew.insight.compare import ComparedSession
from clew.insight.net_difference import ChangedSide
from clew.render.formatting import money_usd, scaled, waiting_time

CHANGED_BY: Final = {
    "only_a": "only A",
    "only_b": "only B",
    "same": "both, with the same result",
    "different": "both, with different results",
    "unknown": "both",
}
"""Which session changed a file."""


def _waited(one: ComparedSession) -> str:
    return waiting_time(one.waiting_ms, one.waiting_quality).removeprefix("waited ")


def _signed(number: float, text: str) -> str:
    """Write how much more or less B has than A."""
    return "" if not number else f"{'+' if number > 0 else '-'}{text}"


def _count_difference(a: float, b: float) -> str:
    return _signed(b - a, f"{abs(b - a):,.0f}")


def _time_difference(a: float, b: float) -> str:
    return _signed(b - a, duration(abs(b - a)))


def _token_difference(a: float, b: float) -> str:
    return _signed(b - a, scaled(int(abs(b - a))))


def _cost_difference(a: float, b: float) -> str:
    return _signed(round(b - a, 2), f"${abs(b - a):,.2f}")


_FIGURES: Final[tuple[tuple[str, Callable[[ComparedSession], str]], ...]] = (
    ("project", lambda one: find_checkout(one.project).label),
    ("models", lambda one: ", ".join(map(display_name, one.models))),
    ("outcome", lambda one: one.outcome),
    ("summary", lambda one: one.account),
    ("turns", lambda one: f"{one.turns:,}"),
    ("messages", lambda one: f"{one.messages:,}"),
    ("tool calls", lambda one: f"{one.tool_calls:,}"),
    ("errors", lambda one: f"{one.errors:,}"),
    ("agent runs", lambda one: f"{one.agent_runs:,}"),
    ("duration", lambda one: duration(one.duration_ms)),
    ("active", lambda one: duration(one.active_ms)),
    ("waited for a person", _waited),
    ("tokens", lambda one: scaled(one.total_tokens)),
    ("cost (estimate)", lambda one: money_usd(one.cost_usd, one.quality)),
)
_DIFFERENCES: Final[
    dict[str, tuple[Callable[[ComparedSession], float | None], Callable[[float, float], str]]]
] = {
    "turns": (lambda one: one.turns, _count_difference),
    "messages": (lambda one: one.messages, _count_difference),
    "tool calls": (lambda one: one.tool_calls, _count_difference),
    "errors": (lambda one: one.errors, _count_difference),
    "agent runs": (lambda one: one.agent_runs, _count_difference),
    "duration": (lambda one: one.duration_ms, _time_difference),
    "active": (lambda one: one.active_ms, _time_difference),
    "waited for a person": (lambda one: one.waiting_ms, _time_difference),
    "tokens": (lambda one: one.total_tokens, _token_difference),
    "cost (estimate)": (lambda one: one.cost_usd, _cost_difference),
}


def figure_difference(name: str, a: ComparedSession, b: ComparedSession) -> str:
    """Write what a figure of session B has more or less than that of A, if it is a number.

    Between two lower bounds, the difference is as uncertain as they are.
    """
    if name not in _DIFFERENCES:
        return ""
    value, write = _DIFFERENCES[name]
    first, second = value(a), value(b)
    return "" if first is None or second is None else write(first, second)


def compared_figures(a: ComparedSession, b: ComparedSession) -> Iterator[tuple[str, str, str]]:
    """Give the name of each figure that one of two sessions has, and both values."""
    for name, value in _FIGURES:
        first, second = value(a), value(b)
        if first or second:
            yield name, first, second


def changed_lines(side: ChangedSide | None) -> str:
    """Write how many lines a session added to a file and removed from it."""
    if side is None:
        return ""
    return f"+{side.added:,} -{side.removed:,}" if side.has_counts else "unknown"

"""Filter chips: the filters that are set, each with the URL without it."""

from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import urlencode

import msgspec

from clew.analytics import ANY, display_name, read_group
from clew.render.html.formatting import wall_clock

YESTERDAY: Final = "yesterday..yesterday"
"""That day alone: its beginning and its end."""
PERIODS: Final = (
    ("", "Any time"),
    ("today", "Today"),
    (YESTERDAY, "Yesterday"),
    ("7d", "Last 7 days"),
    ("30d", "Last 30 days"),
    ("90d", "Last 90 days"),
)
"""The periods that pages offer, each as a value of the filter `since`."""
_COUNTED: Final = "counted"
_LEAST: Final = "min_cost"
_FLAGS: Final = {
    "has_errors": "with errors",
    "is_running": "running",
    "with_hidden": "with hidden sessions",
    "is_reversed": "reversed",
}
_PLAIN: Final = {
    ("in", "all"): "everywhere",
    ("is", "error"): "with errors",
    ("is", "running"): "running",
    ("is", "waiting"): "waiting",
    ("after", "7d"): "last 7 days",
}
Params = Sequence[tuple[str, str]]


class Chip(msgspec.Struct, frozen=True):
    """A filter that is set, and the address of the list without it."""

    name: str
    value: str
    without: str


def make_chips(place: str, params: Params, hidden: Iterable[str]) -> list[Chip]:
    """Return a chip for every filter in an address, but for those that are shown elsewhere."""
    unseen = frozenset(hidden)
    return [
        Chip(*_name_and_value(name, value), make_url(place, _without(params, (name, value))))
        for name, value in params
        if name not in unseen
    ]


def describe_filter(name: str, value: str) -> str:
    """Return a filter that is typed as `name:value` in plain words."""
    words = _PLAIN.get((name, value)) or f"{name.replace('-', ' ')} {value}"
    return words[:1].upper() + words[1:]


def plain_words(name: str, value: str) -> str:
    """Return the words for a filter whose value needs none of its own; empty for others."""
    return _PLAIN.get((name, value), "")


def add_choice(choices: Sequence[tuple[str, str]], value: str) -> list[tuple[str, str]]:
    """Return the choices, with the current value among them."""
    known = list(choices)
    return known if value in dict(known) else [*known, (value, value)]


def make_url(place: str, params: Params) -> str:
    """Return the address of a page with filters."""
    return f"{place}?{urlencode(params)}" if params else place


def _without(params: Params, one: tuple[str, str]) -> Params:
    """Leave out a filter, and the place in a list that would be another one without it."""
    return [pair for pair in params if pair != one and pair[0] != "cursor"]


def _name_and_value(name: str, value: str) -> tuple[str, str]:
    """Return a filter's name and value for people."""
    if name == _LEAST:
        return "cost", f"≥ ${value}"
    if (name, value) == ("since", YESTERDAY):
        return "yesterday", ""
    if name in _FLAGS:
        return _FLAGS[name], ""
    group = read_group(value) if name == _COUNTED else None
    if group is None:
        return name.replace("_", " "), value
    match group.by:
        case "hour":
            day, _, hour = group.key.partition("-")
            return "hour", f"{day.capitalize()} {hour}:00"
        case "model":
            return "model", display_name(group.key)
        case "block":
            return "5-hour block", wall_clock(group.key) or group.key
        case by if by == ANY:
            return "model calls", ANY
        case by:
            return by, group.key

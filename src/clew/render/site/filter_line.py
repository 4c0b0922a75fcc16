"""The line of filters above a list: a box with suggestions, what is set, and what is used most."""

from collections.abc import Mapping

import msgspec

from clew.analytics import ALL_FILTERS, FILTERS


class FilterField(msgspec.Struct, frozen=True):
    """A field for one filter, with what it is set to."""

    name: str
    label: str
    help: str
    value: str


class QuickChip(msgspec.Struct, frozen=True):
    """A filter that is used much: `url` sets it; `typed` is what begins it in the box."""

    label: str
    url: str
    typed: str = ""


def make_fields(params: Mapping[str, str], *, is_team: bool = False) -> list[FilterField]:
    """Return a field for every filter whose values are names."""
    filters = ALL_FILTERS if is_team else FILTERS
    return [
        FilterField(
            each.name,
            each.name.replace("_", " ").capitalize(),
            each.help,
            params.get(each.name, ""),
        )
        for each in filters
        if each.has_values
    ]

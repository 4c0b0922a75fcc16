"""The form above a report: period, project, tool, and chips for all other filters."""

from collections.abc import Sequence
from typing import Final

import msgspec

from clew.render.site.filter_chips import PERIODS, Chip, add_choice, make_chips

_FIELDS: Final = ("since", "project", "tool")


class ReportForm(msgspec.Struct, frozen=True, kw_only=True):
    """What the form shows: the values of its fields, and the filters that have none."""

    address: str
    since: str = ""
    project: str = ""
    tool: str = ""
    periods: Sequence[tuple[str, str]] = ()
    chips: Sequence[Chip] = ()
    others: Sequence[tuple[str, str]] = ()


def make_report_form(address: str, params: Sequence[tuple[str, str]]) -> ReportForm:
    """Make the form of a report at an address with these filters."""
    values = dict(params)
    return ReportForm(
        address=address,
        since=values.get("since", ""),
        project=values.get("project", ""),
        tool=values.get("tool", ""),
        periods=add_choice(PERIODS, values.get("since", "")),
        chips=make_chips(address, params, (*_FIELDS, "tz")),
        others=[pair for pair in params if pair[0] not in _FIELDS],
    )

"""Numbers and times in HTML."""

import calendar
import re
from typing import Final

from clew.render.formatting import cost, plural, scaled
from clew.render.html.escaping import markup, tag
from clew.view import UsageView

_TIME: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d{1,9})?)?(?:Z|\+00:00)")
_TO_THE_MINUTE: Final = len("2026-11-14T14:02")
_MONTHS: Final = tuple(calendar.month_abbr)


def size(number: int) -> str:
    """Write a number of bytes: `340 B`, `12.4 kB`."""
    return scaled(number, "B")


def draw_changes(added: int | None, removed: int | None, *, is_lower_bound: bool) -> str:
    """Draw how many lines were added and removed; nothing where that is unknown."""
    if added is None and removed is None:
        return ""
    figures = [tag("span", "plus", f"+{added or 0:,}")] if added or is_lower_bound else []
    if removed or is_lower_bound:
        figures.append(tag("span", "minus", f"\u2212{removed or 0:,}"))
    least = '<span title="at least">≥</span> ' if is_lower_bound else ""
    return tag("span", "changes", least + (" ".join(figures) or tag("span", "plus", "+0")))


def changes_markup(added: int | None, removed: int | None, *, is_lower_bound: bool) -> str:
    """Draw the same for a template."""
    return markup(draw_changes(added, removed, is_lower_bound=is_lower_bound))


def tokens(spent: UsageView) -> int:
    """Return all tokens, read and written."""
    return spent.given_tokens + spent.written_tokens


def usage_details(spent: UsageView) -> str:
    """Write tokens to the last one, and what they cost."""
    money = cost(spent)
    least = "at least " if spent.is_lower_bound else ""
    return (
        f"{plural(spent.given_tokens, 'token')} read,"
        f" {spent.cached_tokens:,} of them from the cache,"
        f" {least}{spent.written_tokens:,} written{', ' if money else ''}{money}"
    )


def utc(time: str) -> str:
    """Return a time if it is one: what scripts read must be well formed."""
    return time if _TIME.fullmatch(time) else ""


def clock(time: str) -> str:
    """Write the time of day, in UTC."""
    found = _TIME.fullmatch(time)
    return found[4] if found else ""


def wall_clock(time: str) -> str:
    """Write day and time of day as a time of any zone has them: `14 Nov 2026 14:02`."""
    return day_and_clock(f"{time[:_TO_THE_MINUTE]}Z")


def day_and_clock(time: str) -> str:
    """Write day and time, in UTC: `14 Nov 2026 14:02`."""
    found = _TIME.fullmatch(time)
    if found is None or not 1 <= int(found[2]) < len(_MONTHS):
        return ""
    return f"{int(found[3])} {_MONTHS[int(found[2])]} {found[1]} {found[4]}"

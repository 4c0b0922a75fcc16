"""Permissions: who decided about tool calls, and what people are asked again and again."""

from collections.abc import Sequence

import msgspec

from clew.render.site.base import BasePage
from clew.render.site.report_form import ReportForm
from clew.render.site.templates import draw


class DecidedRow(msgspec.Struct, frozen=True):
    """A call that somebody decided about."""

    url: str
    label: str
    at: str | None


class AskedRow(msgspec.Struct, frozen=True, kw_only=True):
    """What people were asked about, how they answered, and how long that took."""

    what: str
    detail: str = ""
    url: str = ""
    examples: Sequence[DecidedRow] = ()
    asked: int = 0
    accepted: int = 0
    refused: int = 0
    sessions: int = 0
    median: str = ""
    waited: str = ""


class RefusedRow(msgspec.Struct, frozen=True, kw_only=True):
    """What was refused, and by whom."""

    by: str
    what: str
    detail: str = ""
    examples: Sequence[DecidedRow] = ()
    calls: int = 0
    remarks: int = 0
    sessions: int = 0


class DecisionRow(msgspec.Struct, frozen=True):
    """How many calls somebody decided about in one way."""

    by: str
    answer: str
    calls: int
    url: str = ""


class PermissionsPage(msgspec.Struct, frozen=True, kw_only=True):
    """All tables of the page; `rules` would allow what was always accepted.

    `numbers` are name, value, meaning and URL.
    """

    form: ReportForm
    numbers: Sequence[tuple[str, str, str, str]] = ()
    patterns: Sequence[AskedRow] = ()
    tools: Sequence[AskedRow] = ()
    projects: Sequence[AskedRow] = ()
    refusals: Sequence[RefusedRow] = ()
    decisions: Sequence[DecisionRow] = ()
    rules: Sequence[str] = ()
    notes: Sequence[str] = ()


def render_permissions(page: PermissionsPage, base: BasePage) -> str:
    """Draw the page."""
    tables = (
        ("about", "Asked about", "What", page.patterns),
        ("tools", "By tool", "Tool", page.tools),
        ("projects", "By project", "Project", page.projects),
    )
    shown = [(name, title, first, rows) for name, title, first, rows in tables if rows]
    body = draw("permissions.html", page=page, tables=shown, archiving=base.archiving)
    return base.draw("Permissions", body, "permissions", ["copy.js"])

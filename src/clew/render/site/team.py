"""Pages of a team server that are tables and small forms: people, projects, settings, the log."""

from collections.abc import Sequence

import msgspec

from clew.render.site.base import BasePage, Tab
from clew.render.site.templates import draw


class TeamInput(msgspec.Struct, frozen=True, kw_only=True):
    """A field of a form: a text, a choice of `options`, or hidden."""

    name: str
    label: str = ""
    kind: str = "text"
    value: str = ""
    options: Sequence[str] = ()
    placeholder: str = ""


class TeamForm(msgspec.Struct, frozen=True, kw_only=True):
    """A form with one button, which is sent to `action`.

    With `asks`, the button opens that question, and another one beside it sends the form.
    """

    action: str
    button: str
    inputs: Sequence[TeamInput] = ()
    title: str = ""
    asks: str = ""


class TeamCell(msgspec.Struct, frozen=True):
    """A cell of a table; one that is a number stands to the right, one that is a time is local."""

    text: str
    url: str = ""
    kind: str = ""


class TeamRow(msgspec.Struct, frozen=True):
    """A row of a table, with what can be done to it."""

    cells: Sequence[TeamCell]
    forms: Sequence[TeamForm] = ()


class TeamTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table, perhaps with a heading; `empty` is said when it has no rows.

    `lines` explain it, and `links` lead to more about it.
    """

    columns: Sequence[str]
    title: str = ""
    rows: Sequence[TeamRow]
    empty: str = "None."
    lines: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = ()
    forms: Sequence[TeamForm] = ()
    more: str = ""


class TeamPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page; `message` says what was just done, and `code` what is shown only once.

    `last_forms` are below the tables.
    """

    title: str
    lines: Sequence[str] = ()
    message: str = ""
    code: str = ""
    forms: Sequence[TeamForm] = ()
    tables: Sequence[TeamTable] = ()
    last_forms: Sequence[TeamForm] = ()
    links: Sequence[tuple[str, str]] = ()


def render_team(page: TeamPage, base: BasePage, tab: Tab = "") -> str:
    """Draw the page."""
    return base.draw(
        page.title, draw("team.html", page=page), tab, ["copy.js"] if page.code else []
    )

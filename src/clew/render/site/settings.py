"""Settings: facts about how clew is set up, what changes each, and the choices of this browser."""

from collections.abc import Sequence
from typing import Final

import msgspec

from clew.analytics import find_checkout
from clew.render.formatting import UNTITLED
from clew.render.site.base import BasePage
from clew.render.site.templates import draw

_DETAILS: Final = ("outline", "prompts", "talk", "tools", "everything")
_ZONES: Final = (
    *("UTC", "Europe/London", "Europe/Berlin", "Europe/Helsinki", "America/New_York"),
    *("America/Chicago", "America/Denver", "America/Los_Angeles", "America/Sao_Paulo"),
    *("Asia/Kolkata", "Asia/Shanghai", "Asia/Tokyo", "Australia/Sydney"),
)


class SettingRow(msgspec.Struct, frozen=True, kw_only=True):
    """A fact: its name, its value or time, what else to know, and what changes it."""

    label: str
    value: str
    exact: str = ""
    at: str = ""
    note: str = ""
    change: str = ""
    is_problem: bool = False

    @property
    def note_pieces(self) -> list[tuple[str, bool]]:
        """The note in pieces, each with whether it is code."""
        return _pieces(self.note)

    @property
    def change_pieces(self) -> list[tuple[str, bool]]:
        """What changes it in pieces, each with whether it is code."""
        return _pieces(self.change)


class SettingSection(msgspec.Struct, frozen=True, kw_only=True):
    """Facts below one heading."""

    key: str
    title: str
    rows: Sequence[SettingRow]


class SettingsPage(msgspec.Struct, frozen=True, kw_only=True):
    """All facts, and the sessions that the client deletes soon: id, title, project, time."""

    sections: Sequence[SettingSection]
    expiring: Sequence[tuple[str, str, str, str]] = ()


def render_settings(page: SettingsPage, base: BasePage) -> str:
    """Draw the page."""
    expiring = [
        {
            "url": base.urls.session(session_id) if session_id else "",
            "title": title or UNTITLED,
            "project": find_checkout(project).label,
            "at": at,
        }
        for session_id, title, project, at in page.expiring
    ]
    body = draw("settings.html", page=page, expiring=expiring, details=_DETAILS, zones=_ZONES)
    return base.draw("Settings", body, "", ["preferences.js"])


def _pieces(text: str) -> list[tuple[str, bool]]:
    return [(piece, at % 2 == 1) for at, piece in enumerate(text.split("`")) if piece]

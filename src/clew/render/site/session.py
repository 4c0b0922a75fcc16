"""A session in the web app: the exported page, with sections loaded on demand."""

from collections.abc import Sequence
from typing import Final

import msgspec

from clew.render.html import FramePieces
from clew.render.html.escaping import markup
from clew.render.html.templates import LATE_SCRIPTS
from clew.render.site.base import BasePage
from clew.render.site.templates import draw
from clew.render.site.urls import SiteUrls
from clew.view import SectionInfo

SCRIPTS: Final = (*LATE_SCRIPTS, "session.js")
# About the height of a message: the space is reserved until a section is loaded.
_MESSAGE_PIXELS: Final = 90


class SectionPlaceholder(msgspec.Struct, frozen=True):
    """A section: its markup, or its approximate height until it is loaded."""

    place: SectionInfo
    markup: str = ""
    pixels: int = 0


class AppSessionPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page: its frame, the sections that are sent along, and a checksum of each section.

    `session` and `address` are the URLs of the session and of the page itself; they differ on the
    page of an agent run, which contains all of its sections. `home` is the list of sessions, and
    `member` whose session it is on a team's server.
    """

    session: str
    address: str
    frame: FramePieces
    section_infos: Sequence[SectionInfo]
    sections: dict[int, str]
    checksums: Sequence[int]
    detail: int
    version: str
    links: Sequence[tuple[str, str]] = ()
    is_live: bool = False
    is_run: bool = False
    home: str = "/"
    member: str = ""


def render_app_session(page: AppSessionPage, base: BasePage) -> str:
    """Draw the page."""
    placeholders = [
        SectionPlaceholder(
            place,
            markup(page.sections.get(place.index, "")),
            max(place.messages, 1) * _MESSAGE_PIXELS,
        )
        for place in page.section_infos
    ]
    return draw(
        "session.html",
        page=page,
        placeholders=placeholders,
        assets=base.assets,
        nonce=base.nonce,
        scripts=SCRIPTS,
    )


def session_links(urls: SiteUrls, session_id: str) -> list[tuple[str, str]]:
    """Return the other pages and downloads of a session: label and URL."""
    if not urls.is_dynamic:
        return []
    own = urls.session(session_id)
    return [
        ("Timeline", f"{own}/timeline"),
        ("Archived files", f"{own}/kept"),
        ("HTML", f"{own}/export/html"),
        ("Markdown", f"{own}/export/md"),
        ("JSON", f"/api{own}/conversation"),
        ("JSONL", f"/api{own}/transcripts/0"),
    ]

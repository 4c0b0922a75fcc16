"""A session in the app: the page of the export, whose sections come when they are looked at."""

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
# What a message takes on the page, about: until a section is there, its place is kept.
_MESSAGE_PIXELS: Final = 90


class SectionPlaceholder(msgspec.Struct, frozen=True):
    """The place of a section: its markup, or how tall it will be."""

    place: SectionInfo
    markup: str = ""
    pixels: int = 0


class AppSessionPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page: its frame, the sections that are sent along, and a word for each section there is.

    `session` and `address` are where the session and the page itself stand; they differ on the
    page of an agent run, which holds all of its sections.
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
    """Give what else there is of a session: word and address."""
    own = urls.session(session_id)
    return [
        ("timeline", f"{own}/timeline"),
        ("files kept", f"{own}/kept"),
        ("HTML", f"{own}/export/html"),
        ("Markdown", f"{own}/export/md"),
        ("JSON", f"/api{own}/conversation"),
        ("JSONL", f"/api{own}/transcripts/0"),
    ]

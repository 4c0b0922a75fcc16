"""A session in the web app: the exported page, with sections loaded on demand."""

from collections.abc import Sequence
from typing import Final

import msgspec

from clew.render.html import FramePieces
from clew.render.html.escaping import in_url, markup
from clew.render.html.templates import LATE_SCRIPTS
from clew.render.site.base import FRAME_SCRIPTS, BasePage
from clew.render.site.templates import draw
from clew.render.site.urls import APP
from clew.view import SectionInfo

SCRIPTS: Final = (
    *LATE_SCRIPTS,
    "files.js",
    "sections.js",
    "session.js",
    "notes.js",
    "resume.js",
    "scrollers.js",
)
_FRAMED: Final = (*SCRIPTS, *FRAME_SCRIPTS, "rail.js")
# About the height of a message: the space is reserved until a section is loaded.
_MESSAGE_PIXELS: Final = 90


class SectionPlaceholder(msgspec.Struct, frozen=True):
    """A section: its markup, or its approximate height until it is loaded."""

    place: SectionInfo
    markup: str = ""
    pixels: int = 0


class ResumeButton(msgspec.Struct, frozen=True, kw_only=True):
    """The command that resumes a session, or the reason why there is none.

    `url` is where to ask for a terminal, if this reader may.
    """

    command: str = ""
    reason: str = ""
    note: str = ""
    url: str = ""


class WaitingNote(msgspec.Struct, frozen=True):
    """What a session waits for: why, its last action, and where that is on the page."""

    reason: str
    action: str
    url: str
    is_inferred: bool


class SharedNotice(msgspec.Struct, frozen=True, kw_only=True):
    """What a page says that was opened by a link: who shared it, until when, and what is masked."""

    member: str
    until: str
    is_masked: bool


class AppSessionPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page: its frame, the sections that are sent along, and a checksum of each section.

    `session` and `address` are the URLs of the session and of the page itself; they differ on the
    page of an agent run, which contains all of its sections. `agents` is the tree of its runs as
    markup, `resume` the button that goes on with it, `home` the list of sessions, `member` whose
    session it is on a team's server, and `waits` what it waits for. `shared` is said on top if a
    link leads to the page.
    """

    session_id: str
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
    home: str = APP.sessions
    agents: str = ""
    resume: ResumeButton | None = None
    member: str = ""
    waits: WaitingNote | None = None
    shared: SharedNotice | None = None


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
        scripts=_FRAMED if page.home else SCRIPTS,
        tabs=base.tabs,
        tab="sessions",
        urls=base.urls,
        account=base.account,
        in_url=in_url,
    )

"""What would be exported as one file, what redaction finds in it, and how to save it."""

from collections.abc import Sequence
from typing import Final

import msgspec

from clew.analytics import find_checkout
from clew.render.formatting import UNTITLED
from clew.render.html.formatting import size
from clew.render.site.base import BasePage
from clew.render.site.templates import draw
from clew.render.site.urls import SiteUrls

_FORMS: Final = (("html", "HTML"), ("markdown", "Markdown"), ("json", "JSON"))
_RULES: Final = {"home": "user name in a path", "user-name": "user name"}
_CONTENTS: Final = (("sessions", "The sessions"), ("hits", "The hits alone"))


class ExportedSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that would be exported; the size is that of its transcripts."""

    session_id: str
    title: str
    project: str
    started_at: str
    messages: int
    size_bytes: int


class FoundPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where a secret is: a link to the message, and the masked words around it."""

    url: str
    where: str
    text: str
    turn: int | None = None
    at: str = ""
    session: str = ""


class FoundKind(msgspec.Struct, frozen=True, kw_only=True):
    """Secrets of one kind."""

    rule: str
    count: int
    distinct: int
    places: Sequence[FoundPlace] = ()
    more_places: int = 0


class ExportFindings(msgspec.Struct, frozen=True, kw_only=True):
    """The file as it would be saved: its sessions as it names them, and the secrets in it."""

    name: str
    size_bytes: int
    save_url: str
    is_redacted: bool
    masked: int
    sessions: Sequence[ExportedSession] = ()
    images: int = 0
    kinds: Sequence[FoundKind] = ()


class ExportPage(msgspec.Struct, frozen=True, kw_only=True):
    """What would be exported, and how.

    `params` are what the form repeats: the sessions or the search. `findings` are None while they
    are not made; `report_url` makes them step by step, `now_url` on the page itself. `title` is
    that of the one session, masked if the file is: before the findings, nothing knows what to mask.
    """

    sessions: int
    title: str
    params: Sequence[tuple[str, str]]
    form: str
    detail: str
    details: Sequence[str]
    is_redacted: bool
    turns: str = ""
    query: str = ""
    contents: str = ""
    note: str = ""
    report_url: str = ""
    now_url: str = ""
    findings: ExportFindings | None = None


def render_export(page: ExportPage, base: BasePage) -> str:
    """Draw the page."""
    body = draw(
        "export.html",
        page=page,
        forms=_FORMS,
        contents=_CONTENTS,
        urls=base.urls,
        report="" if page.findings is None else render_export_report(page.findings, base.urls),
    )
    return base.draw("Export", body, "", ["export.js"])


def render_export_report(findings: ExportFindings, urls: SiteUrls) -> str:
    """Draw what redaction found, the link that saves the file, and the sessions in it."""
    sessions = findings.sessions
    return draw(
        "export_report.html",
        found=findings,
        size=size(findings.size_bytes),
        words={kind.rule: _RULES.get(kind.rule, kind.rule) for kind in findings.kinds},
        rows=[_row(session, urls) for session in sessions],
        total=size(sum(session.size_bytes for session in sessions)),
    )


def _row(session: ExportedSession, urls: SiteUrls) -> dict[str, object]:
    return {
        "title": session.title or UNTITLED,
        "url": urls.session(session.session_id),
        "project": find_checkout(session.project).label,
        "at": session.started_at,
        "messages": session.messages,
        "size": size(session.size_bytes),
    }

"""What all pages about one session begin with: whose page it is, and its other pages."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias
from urllib.parse import urlencode

import msgspec

from clew.analytics import find_checkout
from clew.render.formatting import UNTITLED
from clew.render.site.urls import SiteUrls

SessionPart: TypeAlias = Literal[
    "agents", "changes", "context", "timeline", "kept", "compare", "export", ""
]
_ELSEWHERE: Final = ("compare", "export")
_STEPS: Final = ("agents", "changes", "context", "timeline")


class SessionBar(msgspec.Struct, frozen=True, kw_only=True):
    """A session's name and its pages; `address` is the URL of the page that is shown."""

    session_id: str
    url: str
    title: str
    project: str
    project_url: str
    part: SessionPart
    address: str
    pages: Sequence[tuple[str, str]]

    @property
    def has_rail(self) -> bool:
        """Whether other sessions are offered; beside a masked title, theirs would not be masked."""
        return self.part != "export"

    @property
    def below(self) -> str:
        """The part, if its URL is below that of the session."""
        return "" if self.part in _ELSEWHERE else self.part

    @property
    def step(self) -> str:
        """The part that the arrows stay at; of others, they lead to the session's page."""
        return self.part if self.part in _STEPS else ""


def make_session_bar(
    urls: SiteUrls, session_id: str, title: str, project: str, part: SessionPart
) -> SessionBar:
    """Make the line of one of a session's pages."""
    own = urls.session(session_id)
    return SessionBar(
        session_id=session_id,
        url=own,
        title=title or UNTITLED,
        project=find_checkout(project).label or project,
        project_url=urls.filtered_sessions(repository=find_checkout(project).repository),
        part=part,
        address=_address(urls, session_id, part),
        pages=session_links(urls, session_id),
    )


def _address(urls: SiteUrls, session_id: str, part: SessionPart) -> str:
    if part == "compare":
        return f"{urls.compare}?{urlencode({'a': session_id})}"
    if part == "export":
        return urls.export_of([("session", session_id)])
    own = urls.session(session_id)
    return f"{own}/{part}" if part else own


def session_links(urls: SiteUrls, session_id: str) -> list[tuple[str, str]]:
    """Return the pages and downloads of a session, the same on each of them: label and URL."""
    if not urls.is_dynamic:
        return []
    own = urls.session(session_id)
    return [
        ("Conversation", own),
        ("Agents", f"{own}/agents"),
        ("Changes", f"{own}/changes"),
        ("Context", f"{own}/context"),
        ("Timeline", f"{own}/timeline"),
        ("Compare", _address(urls, session_id, "compare")),
        ("Take back", f"{own}/changes#take-back"),
        ("Export", _address(urls, session_id, "export")),
        ("Archived files", f"{own}/kept"),
        ("JSON", f"/api{own}/conversation"),
        ("JSONL", f"/api{own}/transcripts/0"),
    ]

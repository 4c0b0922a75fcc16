"""The pieces of a session's page: its frame, and its sections."""

from collections.abc import Hashable
from typing import Final

from clew.analytics import find_checkout
from clew.render.html import AppLinks, FramePieces, HtmlOptions, render_frame, render_section
from clew.view import Detail, section_of
from clew.web.cache import ArchiveCache
from clew.web.responses import ResponseBody, compress
from clew.web.session_cache import OpenSession

DETAIL: Final = Detail.TOOLS
# Open pages load all sections one after the other. A long session may have made room for another
# one by then, and building it takes as long as drawing all of these.
_SECTIONS_AHEAD: Final = 50
_BYTES_AHEAD: Final = 2_000_000


def html_options(session: OpenSession, project: str) -> HtmlOptions:
    """Return how the app draws a session of a project."""
    urls = session.urls
    # Whoever follows a link has no notes.
    has_notes = urls.is_dynamic and not session.note_reason
    return HtmlOptions(
        detail=DETAIL,
        author=session.author,
        home="app",
        home_url=urls.sessions,
        project_url=urls.filtered_sessions(repository=find_checkout(project).repository),
        session_prefix=urls.session_prefix if urls.sessions else "",
        run_prefix=f"{urls.session(session.id)}/runs/",
        app=_app_links(session) if urls.is_dynamic else None,
        note_url=f"/api{urls.session(session.id)}" if has_notes else "",
        note_reason=session.note_reason if urls.is_dynamic else "",
        tag_prefix=f"{urls.sessions}?tag=" if urls.is_dynamic else "",
        file_prefix=f"{urls.files}/history?path=" if urls.files and urls.is_dynamic else "",
        changes_url=f"{urls.session(session.id)}/changes" if urls.files else "",
    )


def _app_links(session: OpenSession) -> AppLinks:
    urls = session.urls
    return AppLinks(urls.session(session.id), urls.sessions)


def draw_frame(session: OpenSession) -> FramePieces:
    """Draw a page without its sections."""
    frame = session.page.frame
    options = html_options(session, frame.header.project)
    return session.draw_once("frame", lambda: render_frame(frame, options))


def draw_section(session: OpenSession, number: int) -> str:
    """Draw one section.

    Raises:
        NotFoundError: The page has no such section.
    """
    frame = session.page.frame
    section = session.mask(section_of(session.page.layout, number))
    turn = next((t for t in frame.turns if t.index == section.place.turn), None)
    return render_section(section, html_options(session, frame.header.project), turn)


def section_body(cache: ArchiveCache, session_id: str, version: str, number: int) -> ResponseBody:
    """Return one section as it is sent; of a long session, the next ones are drawn ahead.

    Raises:
        NotFoundError: The page has no such section.
        SessionNotFoundError: There is no session with this id.
    """
    key = _key(session_id, number)

    def make(session: OpenSession) -> ResponseBody:
        # Another request may have drawn it while this one waited for the session.
        drawn: ResponseBody | None = cache.peek(key, version)
        if drawn is None:
            drawn = _draw_body(session, number)
            if cache.is_long(session_id):
                _draw_ahead(cache, session, version, number + 1)
        return drawn

    return cache.get_or_make(key, version, lambda: cache.with_session(session_id, version, make))


def _draw_ahead(cache: ArchiveCache, session: OpenSession, version: str, start: int) -> None:
    size, end = 0, min(start + _SECTIONS_AHEAD, len(session.page.frame.sections))
    for number in range(start, end):
        key = _key(session.id, number)
        if size < _BYTES_AHEAD and cache.peek(key, version) is None:
            body = _draw_body(session, number)
            size += len(body.content)
            cache.put(key, version, body)


def _draw_body(session: OpenSession, number: int) -> ResponseBody:
    return compress(draw_section(session, number).encode("utf-8", "replace"))


def _key(session_id: str, number: int) -> Hashable:
    return "section", session_id, number

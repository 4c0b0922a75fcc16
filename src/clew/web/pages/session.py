"""One session: its page in pieces, its agent runs, and its exports."""

import datetime as dt
from itertools import chain
from typing import Annotated, Final
from urllib.parse import quote

import msgspec
from litestar import Response, get
from litestar.params import PathParameter, QueryParameter

from clew.clock import parse_time
from clew.conversation import Location
from clew.errors import NotFoundError
from clew.render.html import render_frame, render_html, render_section
from clew.render.html.escaping import anchor
from clew.render.markdown import MarkdownOptions, render_markdown
from clew.render.site.session import (
    AppSessionPage,
    SharedNotice,
    WaitingNote,
    render_app_session,
)
from clew.render.site.session_bar import session_links
from clew.view import PageIndex, find_section, make_page, make_run_page
from clew.web.api.schemas import RawLineList
from clew.web.api.session import find_message, read_lines
from clew.web.cache import EXPORT, ArchiveCache, SessionLinks
from clew.web.live_sessions import find_one_live
from clew.web.page_response import HTML, respond_page, shell
from clew.web.pages.agents import draw_run_tree, run_links
from clew.web.pages.session_pieces import (
    DETAIL,
    draw_frame,
    draw_section,
    html_options,
    section_body,
)
from clew.web.params import Id
from clew.web.responses import AppRequest, respond, respond_body, respond_json
from clew.web.resuming import find_resume_state, make_resume_button
from clew.web.session_cache import VIEW, OpenSession
from clew.web.state import account_of, session_of

_FIRST_SECTIONS: Final = 2
_MORE_SECTIONS: Final = 10
_LIVE: Final = dt.timedelta(minutes=5)
_MARKDOWN: Final = "text/markdown"
Number = Annotated[int, PathParameter(ge=0, le=1_000_000)]
Anchor = Annotated[str, QueryParameter(name="anchor", max_length=200)]


class FramePart(msgspec.Struct, frozen=True):
    """What an open page updates when its session grows; `words` has a checksum for each section."""

    version: str
    title: str
    facts: str
    outline: str
    filters: str
    marks: str
    words: tuple[int, ...]
    agents: str


class SectionLocation(msgspec.Struct, frozen=True):
    """Where a message, call or run is shown: its section, element and agent run.

    A tool's result is shown with its call, so that the element may be another one than was
    requested; what a run did may be on the run's own page.
    """

    section: int | None = None
    element: str = ""
    run: str = ""


@get("/sessions/{session_id:str}", sync_to_thread=True, include_in_schema=False)
def session_page(request: AppRequest, session_id: Id) -> Response[bytes]:
    """Show a session: its frame and its first sections."""
    cache, version = session_of(request, session_id)
    return _respond_sections(request, cache, session_id, version, range(_FIRST_SECTIONS))


@get("/sessions/{session_id:str}/frame", sync_to_thread=True, include_in_schema=False)
def frame_part(request: AppRequest, session_id: Id) -> Response[bytes]:
    """Get the frame of a session that has grown."""
    cache, version = session_of(request, session_id)

    def make(session: OpenSession) -> FramePart:
        drawn = draw_frame(session)
        return FramePart(
            version=version,
            title=drawn.title,
            facts=str(drawn.facts),
            outline=str(drawn.outline),
            filters=drawn.filters,
            marks=str(drawn.marks),
            words=session.page.checksums,
            agents=str(draw_run_tree(session)),
        )

    return respond_json(
        request, cache, version, lambda: cache.with_session(session_id, version, make)
    )


@get(
    "/sessions/{session_id:str}/sections/{number:int}", sync_to_thread=True, include_in_schema=False
)
def section_part(request: AppRequest, session_id: Id, number: Number) -> Response[bytes]:
    """Get the HTML of one section, or for readers without scripts a page that starts there."""
    cache, version = session_of(request, session_id)
    if "text/html" in request.headers.get("accept", ""):
        wanted = range(number, number + _MORE_SECTIONS)
        return _respond_sections(request, cache, session_id, version, wanted)
    return respond_body(
        request, version, lambda: section_body(cache, session_id, version, number), HTML
    )


@get("/sessions/{session_id:str}/find", sync_to_thread=True, include_in_schema=False)
def find_part(request: AppRequest, session_id: Id, fragment: Anchor) -> Response[bytes]:
    """Find the section that shows a message, a call or a run."""
    cache, version = session_of(request, session_id)

    def make(session: OpenSession) -> SectionLocation:
        name = name_of(session.index, fragment)
        if name is None:
            return SectionLocation()
        section = find_section(session.index, VIEW, name, session.page.layout)
        return SectionLocation(section, *_element(session.index, name, fragment))

    return respond_json(
        request, cache, version, lambda: cache.with_session(session_id, version, make)
    )


@get("/sessions/{session_id:str}/lines", sync_to_thread=True, include_in_schema=False)
def lines_part(request: AppRequest, session_id: Id, fragment: Anchor) -> Response[bytes]:
    """Get the transcript lines that a message was read from."""
    cache, version = session_of(request, session_id)

    def find(session: OpenSession) -> tuple[Location, ...]:
        index = session.index
        name = name_of(index, fragment) or fragment
        message = index.progress_messages.get(name) or find_message(index.conversation, name)[1]
        return message.lines

    def make() -> RawLineList:
        return read_lines(cache, session_id, cache.with_session(session_id, version, find))

    return respond_json(request, cache, version, make)


@get("/sessions/{session_id:str}/runs/{run_id:str}", sync_to_thread=True, include_in_schema=False)
def run_page(request: AppRequest, session_id: Id, run_id: Id) -> Response[bytes]:
    """Show an agent run on a page of its own."""
    cache, version = session_of(request, session_id)
    own = cache.page_links(session_id)

    def make(session: OpenSession) -> str:
        page = session.mask(make_run_page(session.index, run_id, VIEW))
        options = html_options(session, page.frame.header.project)
        turns = {turn.index: turn for turn in page.frame.turns}
        drawn = AppSessionPage(
            session_id=session_id,
            session=cache.urls.session(session_id),
            frame=render_frame(page.frame, options),
            section_infos=page.frame.sections,
            sections={
                section.place.index: render_section(section, options, turns.get(section.place.turn))
                for section in page.sections
            },
            checksums=(),
            detail=int(options.detail),
            version=version,
            address=f"{cache.urls.session(session_id)}/runs/{quote(run_id, safe='')}",
            agents=draw_run_tree(session, run_id),
            links=run_links(session, run_id),
            home=cache.urls.sessions,
            member=own.member,
            shared=_shared_notice(own),
            is_live=_is_live(page.frame.header.ended_at),
            is_run=True,
        )
        return render_app_session(drawn, shell(None, account_of(request)))

    return respond_page(
        request, cache, version, lambda: cache.with_session(session_id, version, make)
    )


@get("/sessions/{session_id:str}/export/{form:str}", sync_to_thread=True, include_in_schema=False)
def exported(request: AppRequest, session_id: Id, form: Id) -> Response[bytes]:
    """Download a session as one file."""
    cache, version = session_of(request, session_id)
    if form not in ("html", "md"):
        raise NotFoundError(f"cannot export as {form[:20]!r}; use html or md")
    cache.note(session_id, EXPORT)
    name = f'attachment; filename="{quote(session_id)}.{form}"'

    def make(session: OpenSession) -> bytes:
        page = make_page(session.index.conversation, VIEW, session.index.digest, session.index.note)
        pieces = render_html(page) if form == "html" else render_markdown(page, MarkdownOptions())
        return "".join(pieces).encode("utf-8", "replace")

    return respond(
        request,
        cache,
        version,
        lambda: cache.with_session(session_id, version, make),
        HTML if form == "html" else _MARKDOWN,
        {"content-disposition": name},
    )


def name_of(index: PageIndex, fragment: str) -> str | None:
    """Return the id of what an element shows; the element's id may be a hash of it."""
    conversation = index.conversation
    ids = chain(
        (message.id for message in conversation.messages),
        index.calls,
        (run.id for run in conversation.agent_runs),
        index.progress_messages,
        (entry for message in conversation.messages for entry in message.entry_ids),
    )
    prefix, _, rest = fragment.partition("-")
    return next((name for name in ids if name == rest or anchor(prefix, name) == fragment), None)


def _element(index: PageIndex, name: str, fragment: str) -> tuple[str, str]:
    """Return the element that shows something, and its agent run."""
    call = index.calls.get(name)
    messages = chain(index.conversation.messages, index.progress_messages.values())
    found = next((m for m in messages if name == m.id or name in m.entry_ids), None)
    if call is not None or found is None:
        return fragment, (call.agent_run_id or "") if call is not None else ""
    answered = (c.id for c in index.calls.values() if c.result_message_id == found.id)
    own = next(answered, None) if found.kind == "tool_results" else None
    element = anchor("m", found.id) if own is None else anchor("c", own)
    return element, found.agent_run_id or ""


def _respond_sections(
    request: AppRequest, cache: ArchiveCache, session_id: str, version: str, wanted: range
) -> Response[bytes]:
    """Respond with a session's page with some of its sections."""
    own = cache.page_links(session_id)
    # What can be resumed depends on files and on who asks, not on the session alone.
    resumed = find_resume_state(request, cache, session_id)
    waits = _find_waiting(cache, session_id)

    def make(session: OpenSession) -> str:
        frame = session.page.frame
        there = range(wanted.start, min(wanted.stop, len(frame.sections)))
        if wanted.start and not there:
            raise NotFoundError(f"no section {wanted.start}: the page has {len(frame.sections)}")
        page = AppSessionPage(
            session_id=session_id,
            session=cache.urls.session(session_id),
            frame=draw_frame(session),
            section_infos=frame.sections,
            sections=_draw_sections(session, there),
            checksums=session.page.checksums,
            detail=int(DETAIL),
            version=version,
            address=cache.urls.session(session_id),
            agents=draw_run_tree(session),
            resume=make_resume_button(resumed, session.index.conversation.session, cache),
            links=[*session_links(cache.urls, session_id), *own.links],
            home=cache.urls.sessions,
            member=own.member,
            shared=_shared_notice(own),
            is_live=_is_live(frame.header.ended_at),
            waits=waits,
        )
        return render_app_session(page, shell(None, account_of(request)))

    return respond_page(
        request,
        cache,
        f"{version}-{resumed.version}-{'' if waits is None else waits.is_inferred}",
        lambda: cache.with_session(session_id, version, make),
    )


def _draw_sections(session: OpenSession, wanted: range) -> dict[int, str]:
    """Draw some sections; the first ones are those that everybody sees who opens the page."""
    if wanted.start:
        return {number: draw_section(session, number) for number in wanted}
    return session.draw_once(
        wanted, lambda: {number: draw_section(session, number) for number in wanted}
    )


def _find_waiting(cache: ArchiveCache, session_id: str) -> WaitingNote | None:
    """Return what a session waits for, if it waits for a person."""
    live = find_one_live(cache, session_id, dt.datetime.now(dt.UTC))
    if live is None or live.state != "waiting":
        return None
    name = anchor("c", live.call_id) if live.call_id else anchor("m", live.message_id)
    return WaitingNote(live.reason, live.last_action, f"#{name}", live.is_inferred)


def _shared_notice(own: SessionLinks) -> SharedNotice | None:
    if not own.shared_until:
        return None
    return SharedNotice(member=own.member, until=own.shared_until, is_masked=own.is_masked)


def _is_live(ended_at: str) -> bool:
    moment = parse_time(ended_at)
    return moment is not None and dt.datetime.now(dt.UTC) - moment < _LIVE

"""One session: its page in pieces, its agent runs, and what can be taken along."""

import datetime as dt
from itertools import chain
from typing import Annotated, Final
from urllib.parse import quote

import msgspec
from litestar import Response, get
from litestar.params import PathParameter, QueryParameter

from clew.clock import parse_time
from clew.errors import NotFoundError, SessionNotFoundError
from clew.render.html import HtmlOptions, render_frame, render_html, render_section
from clew.render.html.escaping import anchor
from clew.render.markdown import MarkdownOptions, render_markdown
from clew.render.site import APP
from clew.render.site.session import AppSessionPage, render_app_session, session_links
from clew.view import (
    Detail,
    Index,
    find_section,
    make_page,
    make_run_page,
    make_section,
)
from clew.web.answers import Asked, answer, answer_json
from clew.web.api.session import find_message, lines_of
from clew.web.api.shapes import RawLineList
from clew.web.asked import Id
from clew.web.drawing import HTML, answer_page, shell
from clew.web.pages.growth import section_words
from clew.web.shelf import VIEW, Shelf
from clew.web.state import session_of, shelf_of

_FIRST_SECTIONS: Final = 2
_MORE_SECTIONS: Final = 10
_LIVE: Final = dt.timedelta(minutes=5)
_FOUND: Final = 302
_MARKDOWN: Final = "text/markdown"
Number = Annotated[int, PathParameter(ge=0, le=1_000_000)]
Anchor = Annotated[str, QueryParameter(name="anchor", max_length=200)]


class FramePart(msgspec.Struct, frozen=True):
    """What a page that is open changes when its session grows; a word for each section."""

    version: str
    title: str
    facts: str
    outline: str
    filters: str
    marks: str
    words: tuple[int, ...]


class Found(msgspec.Struct, frozen=True):
    """Where something stands: in which section, in which element, in which agent run.

    Results of tools are shown with their calls, so that the element is another one than was asked
    for; what a run did may stand on the run's own page.
    """

    section: int | None = None
    element: str = ""
    run: str = ""


@get("/sessions/{session_id:str}", sync_to_thread=True, include_in_schema=False)
def session_page(request: Asked, session_id: Id) -> Response[bytes]:
    """Show a session: all of its frame, and its first sections."""
    try:
        shelf, version = session_of(request, session_id)
    except SessionNotFoundError:
        return _lead_to_whole(request, session_id)

    return _answer_sections(request, shelf, session_id, version, range(_FIRST_SECTIONS))


def _lead_to_whole(request: Asked, beginning: str) -> Response[bytes]:
    """Lead from the beginning of an id to the session that it stands for.

    Raises:
        SessionNotFoundError: There is none, or more than one.
    """
    ids = shelf_of(request).catalogue().by_id
    found = [name for name in ids if name.startswith(beginning)]
    if len(found) != 1:
        raise SessionNotFoundError(beginning, len(found))
    return Response(b"", status_code=_FOUND, headers={"location": APP.session(found[0])})


@get("/sessions/{session_id:str}/frame", sync_to_thread=True, include_in_schema=False)
def frame_part(request: Asked, session_id: Id) -> Response[bytes]:
    """Give the frame of a session that has grown."""
    shelf, version = session_of(request, session_id)

    def make() -> FramePart:
        laid_out = shelf.layout(session_id, version)
        layout, frame = laid_out.layout, laid_out.frame
        drawn = render_frame(frame, _options(session_id, frame.header.project))
        return FramePart(
            version=version,
            title=drawn.title,
            facts=str(drawn.facts),
            outline=str(drawn.outline),
            filters=drawn.filters,
            marks=str(drawn.marks),
            words=section_words(layout, frame.turns),
        )

    return answer_json(request, shelf, version, make)


@get(
    "/sessions/{session_id:str}/sections/{number:int}", sync_to_thread=True, include_in_schema=False
)
def section_part(request: Asked, session_id: Id, number: Number) -> Response[bytes]:
    """Give the markup of one section, or to a reader without scripts a page that goes on there."""
    shelf, version = session_of(request, session_id)
    if "text/html" in request.headers.get("accept", ""):
        wanted = range(number, number + _MORE_SECTIONS)
        return _answer_sections(request, shelf, session_id, version, wanted)
    return answer(
        request,
        shelf,
        version,
        lambda: _section(shelf, session_id, version, number).encode("utf-8", "replace"),
        HTML,
    )


@get("/sessions/{session_id:str}/find", sync_to_thread=True, include_in_schema=False)
def find_part(request: Asked, session_id: Id, fragment: Anchor) -> Response[bytes]:
    """Tell which section holds a message, a call or a run."""
    shelf, version = session_of(request, session_id)

    def make() -> Found:
        layout = shelf.layout(session_id, version).layout
        index = layout.context.index
        name = name_of(index, fragment)
        if name is None:
            return Found()
        section = find_section(index, VIEW, name, layout)
        return Found(section, *_element(index, name, fragment))

    return answer_json(request, shelf, version, make)


@get("/sessions/{session_id:str}/lines", sync_to_thread=True, include_in_schema=False)
def lines_part(request: Asked, session_id: Id, fragment: Anchor) -> Response[bytes]:
    """Give the lines that a message of the page comes from."""
    shelf, version = session_of(request, session_id)

    def make() -> RawLineList:
        index = shelf.index(session_id)
        name = name_of(index, fragment) or fragment
        message = index.progress_messages.get(name) or find_message(index.conversation, name)[1]
        return lines_of(shelf.archive, session_id, message.lines)

    return answer_json(request, shelf, version, make)


@get("/sessions/{session_id:str}/runs/{run_id:str}", sync_to_thread=True, include_in_schema=False)
def run_page(request: Asked, session_id: Id, run_id: Id) -> Response[bytes]:
    """Show an agent run on a page of its own."""
    shelf, version = session_of(request, session_id)

    def make() -> str:
        page = make_run_page(shelf.index(session_id), run_id, VIEW)
        options = _options(session_id, page.frame.header.project)
        turns = {turn.index: turn for turn in page.frame.turns}
        drawn = AppSessionPage(
            session=APP.session(session_id),
            frame=render_frame(page.frame, options),
            section_infos=page.frame.sections,
            sections={
                section.place.index: render_section(section, options, turns.get(section.place.turn))
                for section in page.sections
            },
            checksums=(),
            detail=int(options.detail),
            version=version,
            address=f"{APP.session(session_id)}/runs/{quote(run_id, safe='')}",
            links=_links_of_run(shelf.index(session_id), session_id, run_id),
            is_live=_is_live(page.frame.header.ended_at),
            is_run=True,
        )
        return render_app_session(drawn, shell())

    return answer_page(request, shelf, version, make)


def _links_of_run(index: Index, session_id: str, run_id: str) -> list[tuple[str, str]]:
    """Link a run's page to its session, and to the call that started it."""
    own = APP.session(session_id)
    call = next((c for c, runs in index.runs_by_call.items() if run_id in {r.id for r in runs}), "")
    started = [("the call that started it", f"{own}#{anchor('c', call)}")] if call else []
    return [("the whole session", own), *started]


@get("/sessions/{session_id:str}/export/{form:str}", sync_to_thread=True, include_in_schema=False)
def exported(request: Asked, session_id: Id, form: Id) -> Response[bytes]:
    """Give a session as one file, to be kept or sent."""
    shelf, version = session_of(request, session_id)
    if form not in ("html", "md"):
        raise NotFoundError(f"there is no export as {form[:20]!r}; it is html or md")
    name = f'attachment; filename="{quote(session_id)}.{form}"'

    def make() -> bytes:
        page = make_page(shelf.index(session_id).conversation, VIEW)
        pieces = render_html(page) if form == "html" else render_markdown(page, MarkdownOptions())
        return "".join(pieces).encode("utf-8", "replace")

    kind = HTML if form == "html" else _MARKDOWN
    return answer(request, shelf, version, make, kind, {"content-disposition": name})


def name_of(index: Index, fragment: str) -> str | None:
    """Give the id that stands behind the id of an element; the latter may be a digest of it."""
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


def _element(index: Index, name: str, fragment: str) -> tuple[str, str]:
    """Give the element that shows a thing, and the agent run that it belongs to."""
    call = index.calls.get(name)
    messages = chain(index.conversation.messages, index.progress_messages.values())
    found = next((m for m in messages if name == m.id or name in m.entry_ids), None)
    if call is not None or found is None:
        return fragment, (call.agent_run_id or "") if call is not None else ""
    answered = (c.id for c in index.calls.values() if c.result_message_id == found.id)
    own = next(answered, None) if found.kind == "tool_results" else None
    element = anchor("m", found.id) if own is None else anchor("c", own)
    return element, found.agent_run_id or ""


def _answer_sections(
    request: Asked, shelf: Shelf, session_id: str, version: str, wanted: range
) -> Response[bytes]:
    """Answer with a session's page that has these of its sections in it."""

    def make() -> str:
        laid_out = shelf.layout(session_id, version)
        layout, frame = laid_out.layout, laid_out.frame
        options = _options(session_id, frame.header.project)
        there = range(wanted.start, min(wanted.stop, len(frame.sections)))
        if wanted.start and not there:
            raise NotFoundError(
                f"there is no section {wanted.start}: the page has {len(frame.sections)}"
            )
        page = AppSessionPage(
            session=APP.session(session_id),
            frame=render_frame(frame, options),
            section_infos=frame.sections,
            sections={number: _section(shelf, session_id, version, number) for number in there},
            checksums=section_words(layout, frame.turns),
            detail=int(options.detail),
            version=version,
            address=APP.session(session_id),
            links=session_links(APP, session_id),
            is_live=_is_live(frame.header.ended_at),
        )
        return render_app_session(page, shell())

    return answer_page(request, shelf, version, make)


def _section(shelf: Shelf, session_id: str, version: str, number: int) -> str:
    """Draw one section, once per version."""

    def make() -> str:
        laid_out = shelf.layout(session_id, version)
        layout, frame = laid_out.layout, laid_out.frame
        section = make_section(layout.context.index, VIEW, number, layout)
        turn = next((t for t in frame.turns if t.index == section.place.turn), None)
        return render_section(section, _options(session_id, frame.header.project), turn)

    return shelf.share(("section", session_id, number), version, make)


def _options(session_id: str, project: str) -> HtmlOptions:
    return HtmlOptions(
        detail=Detail.TOOLS,
        home="app",
        home_url="/",
        project_url=APP.filtered_sessions(project=project),
        session_prefix=APP.session_prefix,
        run_prefix=f"{APP.session(session_id)}/runs/",
    )


def _is_live(ended_at: str) -> bool:
    moment = parse_time(ended_at)
    return moment is not None and dt.datetime.now(dt.UTC) - moment < _LIVE

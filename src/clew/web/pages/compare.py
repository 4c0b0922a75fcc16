"""Two sessions side by side."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated, Final
from urllib.parse import urlencode

from litestar import Response, get
from litestar.params import QueryParameter

from clew.analytics import find_checkout
from clew.archive import FilterSet, Order
from clew.figures import duration, plural
from clew.insight import (
    CHANGED_BY,
    ComparedSession,
    ComparedTurn,
    FileDifference,
    TurnPair,
    changed_lines,
    compared_figures,
    figure_difference,
)
from clew.parts import Diff
from clew.render.formatting import UNTITLED, money_usd
from clew.render.html.formatting import day_and_clock
from clew.render.html.parts import render_parts
from clew.render.site import APP, ComparePage, render_compare
from clew.render.site.compare import (
    ComparedFile,
    ComparedRow,
    ComparedTurnRow,
    OtherSession,
    SessionChoice,
)
from clew.render.site.session_bar import SessionBar, make_session_bar
from clew.store import SessionOverview
from clew.web.cache import ArchiveCache
from clew.web.comparison import compare_in, compared_of
from clew.web.neighbours import list_related
from clew.web.page_response import respond_empty, respond_page, with_bar
from clew.web.responses import AppRequest
from clew.web.state import cache_of, session_named

_RECENT: Final = 100
_MOST_TURNS: Final = 200
_LONGEST: Final = 80
_RESULTS: Final = ("Outcome", "Summary")
_SHARES: Final = {
    "only by A": ("only_a",),
    "only by B": ("only_b",),
    "by both": ("different", "unknown"),
    "by both with the same result": ("same",),
}
_PLACES: Final = {
    "turns": "?detail=prompts",
    "messages": "",
    "tool calls": "?detail=tools",
    "errors": "?detail=tools",
    "agent runs": "/agents",
    "duration": "/timeline",
    "active": "/timeline",
    "waited for a person": "/timeline",
    "tokens": "/context",
    "cost (estimate)": "/context",
}
Name = Annotated[str, QueryParameter(max_length=200, description="A session's id.")]


@get("/compare", sync_to_thread=True, include_in_schema=False)
def compare_page(request: AppRequest, a: Name = "", b: Name = "") -> Response[bytes]:
    """Compare two sessions, or ask for two."""
    cache = cache_of(request)
    # Other sessions are listed to choose from.
    version = cache.listed_version()
    if a and b:
        _, a, b, both = compared_of(request, a, b)
        version = f"{both}-{version}"
    elif cache.is_empty:
        return respond_empty(request)
    elif a:
        a = session_named(request, a)[1]

    def make() -> str:
        page = _compared(cache, a, b) if a and b else _asked(cache, a, b)
        return render_compare(page, with_bar(request, _bar(cache, a)))

    return respond_page(request, cache, version, make)


def _bar(cache: ArchiveCache, a: str) -> SessionBar | None:
    """Make the line of the first session, whose page this is one of."""
    own = cache.catalogue().by_id.get(a)
    if own is None:
        return None
    title = own.title or own.first_prompt
    return make_session_bar(cache.urls, own.id, title, own.project, "compare")


def _asked(cache: ArchiveCache, a: str, b: str) -> ComparePage:
    own = cache.catalogue().by_id.get(a)
    return ComparePage(
        a=a,
        b=b,
        a_title="" if own is None else own.title or own.first_prompt,
        recent=_choices(cache, a, b),
        others=() if own is None else list(_others(cache, own)),
        is_alone=own is not None and len(list_related(cache, own)) == 1,
    )


def _others(cache: ArchiveCache, own: SessionOverview) -> Iterator[OtherSession]:
    """List the sessions of the same repository: attempts at one thing are held in one place.

    A session that is alone in its repository can be compared with any other.
    """
    related = [one for one in list_related(cache, own) if one.id != own.id]
    others = (one for one in cache.catalogue().sessions if one.is_talk and one.id != own.id)
    for session in related[:_RECENT] or islice(others, _RECENT):
        url = f"{APP.compare}?{urlencode({'a': own.id, 'b': session.id})}"
        yield OtherSession(session.title or session.first_prompt, url, session.ended_at or "")


def _choices(cache: ArchiveCache, *chosen: str) -> list[SessionChoice]:
    """List the sessions to choose from: the latest, and those that are chosen already."""
    known = cache.catalogue().by_id
    recent = list(cache.archive.sessions(FilterSet(), Order(limit=_RECENT)))
    ids = {session.id for session in recent}
    found = [*recent, *(known[name] for name in set(chosen) - ids if name in known)]
    cache.note_titles(session.id for session in found)
    return [_choice(session) for session in found]


def _choice(session: SessionOverview) -> SessionChoice:
    title = " ".join((session.title or session.first_prompt or UNTITLED).split())
    short = title if len(title) <= _LONGEST else f"{title[: _LONGEST - 1]}…"
    project = find_checkout(session.project).label
    parts = (day_and_clock(session.started_at or ""), short, project)
    return SessionChoice(session.id, " · ".join(filter(None, parts)))


def _compared(cache: ArchiveCache, a: str, b: str) -> ComparePage:
    found = compare_in(cache, a, b)
    turns = found.turns[:_MOST_TURNS]
    figures = list(_figures(found.a, found.b, a, b))
    results = [row for row in figures if row.name in _RESULTS]
    return ComparePage(
        a=a,
        b=b,
        a_title=found.a.title,
        b_title=found.b.title,
        a_at=found.a.started_at or "",
        b_at=found.b.started_at or "",
        a_url=APP.session(a),
        b_url=APP.session(b),
        results=[*results, *_answers(found.a, found.b, a, b)],
        figures=[row for row in figures if row not in results],
        tools=[
            ComparedRow(
                pair.tool,
                f"{pair.a:,}",
                f"{pair.b:,}",
                _calls(a, pair.tool) if pair.a else "",
                _calls(b, pair.tool) if pair.b else "",
                f"{pair.b - pair.a:+,}" if pair.a != pair.b else "",
            )
            for pair in found.tools
        ],
        turns=[_turn(number, pair, a, b) for number, pair in enumerate(turns, start=1)],
        more_turns=len(found.turns) - len(turns),
        files=[_file(file) for file in found.files],
        file_count=_file_count(found.files),
        recent=_choices(cache, a, b),
    )


def _figures(a: ComparedSession, b: ComparedSession, a_id: str, b_id: str) -> Iterator[ComparedRow]:
    for name, first, second in compared_figures(a, b):
        yield ComparedRow(
            name.capitalize(),
            first,
            second,
            _place(name, a, a_id),
            _place(name, b, b_id),
            figure_difference(name, a, b),
        )


def _answers(a: ComparedSession, b: ComparedSession, a_id: str, b_id: str) -> Iterator[ComparedRow]:
    if a.last_answer or b.last_answer:
        yield ComparedRow(
            "Last answer",
            a.last_answer,
            b.last_answer,
            APP.session(a_id, a.last_answer_id),
            APP.session(b_id, b.last_answer_id),
        )


def _file_count(files: Sequence[FileDifference]) -> str:
    """Say how many files changed, and how many of them by one of the sessions alone."""
    counts = {
        words: sum(file.difference in kinds for file in files) for words, kinds in _SHARES.items()
    }
    shares = [f"{count:,} {words}" for words, count in counts.items() if count]
    return f"{plural(len(files), 'file')}: {', '.join(shares)}"


def _place(name: str, session: ComparedSession, session_id: str) -> str:
    """Return where a figure of a session leads."""
    if name == "project":
        return APP.filtered_sessions(project=session.project)
    if name == "models":
        is_one = len(session.models) == 1
        return APP.filtered_sessions(model=session.models[0]) if is_one else ""
    place = _PLACES.get(name)
    return "" if place is None else f"{APP.session(session_id)}{place}"


def _calls(session_id: str, tool: str) -> str:
    return f"{APP.session(session_id)}?{urlencode({'tool': tool})}"


def _turn(number: int, pair: TurnPair, a: str, b: str) -> ComparedTurnRow:
    return ComparedTurnRow(
        turn=number,
        a=pair.a.prompt if pair.a else "",
        a_url=APP.session(a, pair.a.prompt_id) if pair.a else "",
        a_figures=_turn_figures(pair.a),
        b=pair.b.prompt if pair.b else "",
        b_url=APP.session(b, pair.b.prompt_id) if pair.b else "",
        b_figures=_turn_figures(pair.b),
    )


def _turn_figures(turn: ComparedTurn | None) -> str:
    if turn is None:
        return ""
    cost = money_usd(turn.cost_usd, turn.quality) if turn.cost_usd else ""
    known = (
        plural(turn.tool_calls, "call") if turn.tool_calls else "",
        duration(turn.duration_ms) if turn.duration_ms else "",
        cost,
    )
    return ", ".join(filter(None, known))


def _file(file: FileDifference) -> ComparedFile:
    body = ""
    if file.hunks:
        body = render_parts((Diff(file.path, file.hunks, file.added, file.removed),))
    is_both = file.a is not None and file.b is not None
    return ComparedFile(
        path=file.path,
        words=f"changed by {CHANGED_BY[file.difference]}"
        if is_both
        else CHANGED_BY[file.difference],
        url=APP.file(file.path),
        a=changed_lines(file.a),
        b=changed_lines(file.b),
        is_both=is_both,
        note=file.reason,
        body=body,
    )

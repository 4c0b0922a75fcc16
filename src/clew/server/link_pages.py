"""The page on which members share a session of theirs: who sees it, and links that expire."""

import asyncio
from typing import Any, Final

from litestar import Request, Response, get, post
from litestar.datastructures import Cookie

from clew.errors import UsageError
from clew.export import ShareOptions
from clew.figures import plural
from clew.protocol import Visibility
from clew.render.site import TeamCell, TeamForm, TeamInput, TeamPage, TeamRow, TeamTable
from clew.server.account_responses import read_form, redirect
from clew.server.requests import principal_of, team_of, team_settings_of
from clew.server.session_routes import RowNumber, own_session
from clew.server.session_states import read_session_state
from clew.server.sharing import (
    MAX_HOURS,
    ShareLink,
    is_share_link,
    list_share_links,
    make_share_link,
    revoke_share_link,
    share_session,
)
from clew.server.team_pages import respond_team
from clew.web.cache import ArchiveCache
from clew.web.exports import ExportContents, ExportRequest, make_share, run_through
from clew.web.params import Id
from clew.web.state import cache_of

AnyRequest = Request[Any, Any, Any]
_DAY_HOURS: Final = "24"
_COOKIE: Final = "clew_new_link"
# Long enough to copy it, also when the page is loaded again.
_SHOWN_SECONDS: Final = 300
_MASKED: Final = "masked"
_SHOWN: Final = "shown"
# To look for secrets takes about a second for this much.
_SEARCHED_BYTES: Final = 2_000_000


@get("/sessions/{session_id:str}/share", sync_to_thread=True, include_in_schema=False)
def share_page(request: AnyRequest, session_id: Id) -> Response[bytes]:
    """Show who sees a session of the member's own, and its links."""
    principal, name = principal_of(request), own_session(request, session_id)
    cache = cache_of(request)
    own = cache.urls.session(session_id)
    token = request.cookies.get(_COOKIE, "")
    with team_of(request) as team:
        state = read_session_state(team, principal, principal.member_id, name)
        links = list_share_links(team, principal, name)
        is_new = is_share_link(team, principal, name, token)
        own_projects = team.rows("projects_to_share", {"member_id": principal.member_id})
    choices = ["private", *(f"project {row[0]}" for row in own_projects), "organisation"]
    present = f"project {state.project}" if state.project else state.visibility
    minutes = plural(_SHOWN_SECONDS // 60, "minute")
    page = TeamPage(
        title="Share a session",
        lines=[cache.overview(session_id).title],
        links=[("Back to the session", own)],
        message=f"This is the new link. It is shown for {minutes} only." if is_new else "",
        code=f"{team_settings_of(request).url}/shared/{token}" if is_new else "",
        forms=[
            TeamForm(
                title="Who sees it",
                action=f"{own}/share",
                button="Save",
                inputs=[TeamInput(name="visibility", value=present, options=choices)],
            )
        ],
        tables=[
            _links_table(own, links, _warnings(cache, session_id), _export_url(cache, session_id))
        ],
    )
    return respond_team(request, page)


def _links_table(own: str, links: list[ShareLink], lines: list[str], export_url: str) -> TeamTable:
    return TeamTable(
        title="Links",
        lines=lines,
        links=[("See what was found", export_url)],
        columns=("Link", "Secrets", "Made", "Expires", "Reads", "Last read", ""),
        empty="No link shows this session.",
        rows=[_link_row(own, one) for one in links],
        forms=[
            TeamForm(
                action=f"{own}/links",
                button="Make a link",
                inputs=[
                    TeamInput(
                        name="hours", label="Expires after hours", kind="number", value=_DAY_HOURS
                    ),
                    TeamInput(
                        name="secrets", label="Secrets", value=_MASKED, options=[_MASKED, _SHOWN]
                    ),
                ],
            )
        ],
    )


def _link_row(own: str, link: ShareLink) -> TeamRow:
    read = link.last_read_at
    return TeamRow(
        (
            TeamCell(f"Link {link.id}"),
            TeamCell(_MASKED if link.is_masked else _SHOWN),
            TeamCell(link.created_at.isoformat(), "", "time"),
            TeamCell(link.expires_at.isoformat(), "", "time"),
            TeamCell(f"{link.reads:,}", "", "figure"),
            TeamCell(read.isoformat(), "", "time") if read else TeamCell("never"),
        ),
        (
            TeamForm(
                action=f"{own}/links/{link.id}/revoke",
                button="Revoke",
                asks="After that, nobody can read the session with this link.",
            ),
        ),
    )


def _warnings(cache: ArchiveCache, session_id: str) -> list[str]:
    """Return what to know before a link is made."""
    found = _count_secrets(cache, session_id)
    if found is None:
        counted = "This session is long; whether it contains secrets is counted on request."
    elif found:
        what = "is" if found == 1 else "are"
        counted = (
            f"{plural(found, 'text')} in this session {what} possibly secret or personal: tokens,"
            " passwords, names of home folders, e-mail addresses."
        )
    else:
        counted = "No possible secrets were found in this session."
    shown = (
        "Whoever has a link reads this session without logging in, until the link expires:"
        " all messages, paths, and inputs and results of tools."
    )
    masked = (
        "With secrets masked, the link shows marks in their place."
        " No search finds every secret, and pictures are not searched."
    )
    return [shown, f"{counted} {masked}", "Reads within ten minutes count as one."]


def _export_url(cache: ArchiveCache, session_id: str) -> str:
    return cache.urls.export_of([("session", session_id), ("report", "now")])


def _count_secrets(cache: ArchiveCache, session_id: str) -> int | None:
    """Return how many texts redaction masks in a session; None if it takes long to tell."""
    session = cache.overview(session_id)
    if session.size_bytes > _SEARCHED_BYTES:
        return None

    def count() -> int:
        wanted = ExportRequest(params=(("session", session_id),), options=ShareOptions())
        contents = ExportContents(sessions=(session,))
        share = make_share(cache, wanted, contents, is_reporting=True)
        for _ in run_through(share):
            continue
        return share.report().masked

    version = cache.session_version(session_id)
    return cache.get_or_make(("possible secrets", session_id), version, count)


@post("/sessions/{session_id:str}/share", status_code=303, include_in_schema=False)
async def change_visibility(request: AnyRequest, session_id: Id) -> Response[bytes]:
    """Change who sees a session."""
    chosen = (await read_form(request)).get("visibility", "")
    kind, _, project = chosen.partition(" ")
    if kind not in list(Visibility):
        raise UsageError("choose who sees the session: private, a project or organisation")

    def change() -> Response[bytes]:
        name = own_session(request, session_id)
        with team_of(request) as team:
            share_session(team, principal_of(request), name, Visibility(kind), project or None)
        return redirect(_share_url(request, session_id))

    return await asyncio.to_thread(change)


@post("/sessions/{session_id:str}/links", status_code=303, include_in_schema=False)
async def add_link(request: AnyRequest, session_id: Id) -> Response[bytes]:
    """Make a link; the page that follows shows it to this browser alone, for a few minutes."""
    form = await read_form(request)
    hours, secrets = form.get("hours", ""), form.get("secrets", _MASKED)
    if not hours.isdecimal() or not 1 <= int(hours[:6]) <= MAX_HOURS:
        raise UsageError(f"choose a time of 1 to {MAX_HOURS} hours")
    if secrets not in (_MASKED, _SHOWN):
        raise UsageError(f"choose whether secrets are {_MASKED} or {_SHOWN}")

    def make() -> Response[bytes]:
        name, is_masked = own_session(request, session_id), secrets == _MASKED
        with team_of(request) as team:
            token, _ = make_share_link(
                team, principal_of(request), name, int(hours), is_masked=is_masked
            )
        place = _share_url(request, session_id)
        return redirect(place, _new_link_cookie(request, place, token))

    return await asyncio.to_thread(make)


def _new_link_cookie(request: AnyRequest, place: str, token: str) -> Cookie:
    return Cookie(
        _COOKIE,
        path=place,
        value=token,
        httponly=True,
        samesite="strict",
        secure=team_settings_of(request).is_https,
        max_age=_SHOWN_SECONDS,
    )


@post(
    "/sessions/{session_id:str}/links/{link_id:int}/revoke",
    status_code=303,
    sync_to_thread=True,
    include_in_schema=False,
)
def drop_link(request: AnyRequest, session_id: Id, link_id: RowNumber) -> Response[bytes]:
    """Revoke a link."""
    with team_of(request) as team:
        revoke_share_link(team, principal_of(request), link_id)
    return redirect(_share_url(request, session_id))


def _share_url(request: AnyRequest, session_id: str) -> str:
    return f"{cache_of(request).urls.session(session_id)}/share"


LINK_PAGES: Final = (share_page, change_visibility, add_link, drop_link)

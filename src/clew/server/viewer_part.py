"""The pages and the API of the archive, for all members: each sees what is in their scopes."""

import asyncio
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final

from litestar import Litestar, Request, Response, Router
from litestar.di import Provide

from clew.figures import plural
from clew.render.site import APP
from clew.server.account_links import account_links
from clew.server.admin_pages import ADMIN_PAGES
from clew.server.audit_reads import ReadLog
from clew.server.link_pages import LINK_PAGES
from clew.server.parts import AppPart
from clew.server.principal import Principal
from clew.server.processing_page import processing_page
from clew.server.requests import principal_of, team_of, team_settings_of
from clew.server.session_routes import SESSION_ROUTES
from clew.server.settings import TeamSettings
from clew.server.shared_pages import SharedCaches, shared_router
from clew.server.shared_usage import team_usage
from clew.server.team_pages import TEAM_PAGES
from clew.server.viewers import Viewers
from clew.server.written import read_viewer
from clew.store.postgres.team import TeamDatabase
from clew.web.api import HANDLERS
from clew.web.pages import ARCHIVE_PAGES
from clew.web.params import PROVIDED
from clew.web.session_query import read_session_query
from clew.web.short_ids import complete_id

_THREADS: Final = 16
_IDLE_CHECK: Final = 10.0
# What is not shown yet is said where one looks for it.
_LISTS: Final = (APP.home, APP.sessions)
_SHOWS_MEMBERS: Final = "Leads of your organisation can see usage by member."


def viewer_part(settings: TeamSettings) -> AppPart:
    """Make the part of the application that shows the archive."""
    log = ReadLog(settings.location)
    viewers = Viewers(settings.location, log, settings.blobs_public_url)
    shared = SharedCaches(settings.location, log)
    handlers: list[Any] = [
        *HANDLERS,
        *ARCHIVE_PAGES,
        *SESSION_ROUTES,
        team_usage,
        *LINK_PAGES,
        *TEAM_PAGES,
        *ADMIN_PAGES,
        processing_page,
    ]
    shown = Router("/", route_handlers=handlers, before_request=attach_viewer)
    return AppPart(
        handlers=[shown, shared_router()],
        dependencies={
            **PROVIDED,
            "session_query": Provide(read_session_query, sync_to_thread=False),
        },
        state={"viewers": viewers, "shared_caches": shared},
        lifespan=[partial(_lifetime, viewers=viewers, shared=shared)],
    )


async def attach_viewer(request: Request[Any, Any, Any]) -> Response[bytes] | None:
    """Give a request what it shares with others of its viewer, by the scopes of this moment."""
    await asyncio.to_thread(_attach, request, principal_of(request))
    return await complete_id(request)


def _attach(request: Request[Any, Any, Any], principal: Principal) -> None:
    viewers: Viewers = request.app.state.viewers
    asked_at = time.monotonic()
    with team_of(request) as team:
        facts = read_viewer(team, principal)
        waiting = _waiting(team, principal) if request.scope["path"] in _LISTS else ""
    viewer = viewers.of(principal, facts.scopes)
    viewer.cache.learn(facts.written, asked_at)
    state = request.scope["state"]
    state["cache"], state["live"] = viewer.cache, viewer.live
    notice = _SHOWS_MEMBERS if facts.shows_members else ""
    state["account"] = account_links(principal, team_settings_of(request).url, notice, waiting)


def _waiting(team: TeamDatabase, principal: Principal) -> str:
    """Say what of a member's own sessions is not shown yet."""
    found = team.record("unparsed_sessions", {"owner": principal.member_id}) or {}
    texts = []
    if found.get("received"):
        texts.append(f"{plural(found['received'], 'session')} received, not parsed yet")
    if found.get("failed"):
        texts.append(f"{plural(found['failed'], 'session')} could not be parsed")
    return "; ".join(texts)


@asynccontextmanager
async def _lifetime(_app: Litestar, viewers: Viewers, shared: SharedCaches) -> AsyncIterator[None]:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_THREADS, "clew-request"))
    viewers.start()
    idle = asyncio.create_task(_drop_idle_sessions(viewers, shared))
    try:
        yield
    finally:
        idle.cancel()
        with suppress(asyncio.CancelledError):
            await idle
        await viewers.stop()


async def _drop_idle_sessions(viewers: Viewers, shared: SharedCaches) -> None:
    while True:
        await asyncio.sleep(_IDLE_CHECK)
        viewers.drop_idle_sessions()
        shared.drop_idle_sessions()

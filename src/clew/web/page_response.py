"""The shell of the app's pages, and the responses with a page."""

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

import msgspec
from litestar import Response

from clew.archive import search_paths
from clew.render.site import (
    APP,
    AccountLinks,
    ArchivingStatus,
    BasePage,
    SiteUrls,
    asset_names,
    asset_text,
    render_notice,
)
from clew.render.site.session_bar import SessionBar, SessionPart, make_session_bar
from clew.web.cache import ArchiveCache
from clew.web.gzip_pieces import GzipPieces, join_gzipped, join_plain, split_at
from clew.web.responses import AppRequest, path_and_query, respond_uncached
from clew.web.session_cache import OpenSession
from clew.web.state import account_of, cache_of, has_tabs, live_of, nonce_of

HTML: Final = "text/html"
# Pages are cached for all readers, but each response has its own nonce.
_NONCE: Final = "clew-nonce-goes-here"
_LOGGED_OUT: Final = SiteUrls(
    home=APP.home, sessions=APP.home, search="", usage="", session_prefix="/sessions/"
)


@lru_cache(maxsize=1)
def assets_address() -> str:
    """Return the URL of styles and scripts, which changes when one of them does."""
    texts = "\n".join(asset_text(name) for name in asset_names())
    return f"/assets/{hashlib.sha256(texts.encode()).hexdigest()[:16]}"


def shell(
    archiving: ArchivingStatus | None = None, account: AccountLinks | None = None
) -> BasePage:
    """Return the frame that all pages of the app have."""
    return BasePage(
        urls=APP, assets=assets_address(), nonce=_NONCE, archiving=archiving, account=account
    )


def session_shell(
    request: AppRequest, cache: ArchiveCache, session: OpenSession, part: SessionPart
) -> BasePage:
    """Return the frame of another page of a session, with its name and its neighbours."""
    about = session.index.conversation.session
    bar = make_session_bar(cache.urls, session.id, about.title, about.project, part)
    return with_bar(request, bar)


def with_bar(request: AppRequest, bar: SessionBar | None) -> BasePage:
    """Return the frame of a page that is about a session, if it is about one."""
    return msgspec.structs.replace(shell(None, account_of(request)), session=bar)


def shell_of(request: AppRequest) -> BasePage:
    """Return the frame for whoever makes a request; for one who must log in first, without tabs."""
    if has_tabs(request):
        return shell(None, account_of(request))
    return BasePage(urls=_LOGGED_OUT, assets=assets_address(), nonce=_NONCE, has_tabs=False)


def draw_for(request: AppRequest, page: str) -> bytes:
    """Return a page that is not cached, with the nonce of its response."""
    return page.replace(_NONCE, nonce_of(request)).encode("utf-8", "replace")


def archiving_of(request: AppRequest) -> ArchivingStatus | None:
    """Return how far a long sync is, if one is running."""
    found = live_of(request).archiving
    if found is None:
        return None
    return ArchivingStatus(
        sessions=found.sessions, total_sessions=found.total_sessions, percent=found.percent
    )


def version_while(version: str, archiving: ArchivingStatus | None) -> str:
    """Return the version of a page that says so while only some sessions are archived."""
    return version if archiving is None else f"{version}-archiving"


def respond_page(
    request: AppRequest,
    cache: ArchiveCache,
    version: str,
    make: Callable[[], str],
    *,
    allow_stale: bool = False,
) -> Response[bytes]:
    """Respond with a page, rendered once per version.

    With `allow_stale`, requests get the previous page while another one renders the new one, unless
    they ask for news: nobody would tell them when it is there.
    """
    allow_stale = allow_stale and "no-cache" not in request.headers.get("cache-control", "")
    key = ("page", path_and_query(request), account_of(request))
    made = cache.get_or_make(key, version, lambda: _split(make()), allow_stale=allow_stale)
    nonce = nonce_of(request).encode()
    headers = {"vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        return Response(join_gzipped(made, nonce), media_type=HTML, headers=headers)
    return Response(join_plain(made, nonce), media_type=HTML, headers=headers)


def _split(page: str) -> GzipPieces:
    return split_at(page.encode("utf-8", "replace"), _NONCE.encode())


def respond_empty(request: AppRequest) -> Response[bytes]:
    """Respond that there are no sessions yet: they are being archived, or where to look."""
    page = _render_no_sessions(request) if live_of(request).is_synced else _render_begun(request)
    return respond_uncached(request, draw_for(request, page), HTML)


def _render_begun(request: AppRequest) -> str:
    text = "The newest sessions appear here in a moment."
    base = shell(archiving_of(request), account_of(request))
    return render_notice("Archiving transcripts", text, base, waits_for="sync")


def _render_no_sessions(request: AppRequest) -> str:
    account = account_of(request)
    if account is not None:
        return _render_none_pushed(account)
    text = "Claude Code sessions appear here as soon as they start."
    roots = cache_of(request).settings.roots or search_paths()
    folders = [(str(root), root.is_dir()) for root in roots]
    demo = ["clew --demo open"]
    return render_notice(
        "No sessions yet", text, shell(), demo, folders=folders, waits_for="session"
    )


def _render_none_pushed(account: AccountLinks) -> str:
    base = shell(None, account)
    if account.processing:
        text = f"{account.processing}. Sessions appear here as soon as they are parsed."
        links = [("Show them", account.processing_url)]
        return render_notice("No sessions yet", text, base, links=links, waits_for="session")
    text = "Sessions appear here once they are pushed and parsed: yours, and those you may read."
    return render_notice(
        "No sessions yet",
        text,
        base,
        [f"clew login {account.url}", "clew consent", "clew push"],
        command_text="To push yours, log in on your machine, decide what may leave it, and push:",
        waits_for="session",
    )


def respond_notice(
    request: AppRequest,
    title: str,
    text: str,
    status: int,
    links: Sequence[tuple[str, str]] = (),
) -> Response[bytes]:
    """Respond with a page with one message, and perhaps with what may be meant."""
    page = render_notice(title, text, shell_of(request), links=links)
    return Response(draw_for(request, page), media_type=HTML, status_code=status)

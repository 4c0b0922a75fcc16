"""The shell of the app's pages, and the responses with a page."""

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from litestar import Response

from clew.archive import search_paths
from clew.render.site import (
    APP,
    AccountLinks,
    ArchivingStatus,
    BasePage,
    asset_names,
    asset_text,
    render_notice,
)
from clew.web.cache import ArchiveCache
from clew.web.gzip_pieces import GzipPieces, join_gzipped, join_plain, split_at
from clew.web.responses import AppRequest, path_and_query, respond_uncached
from clew.web.state import account_of, cache_of, live_of, nonce_of

HTML: Final = "text/html"
# Pages are cached for all readers, but each response has its own nonce.
_NONCE: Final = "clew-nonce-goes-here"


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

    With `allow_stale`, requests get the previous page while another one renders the new one.
    """
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
    body = page.replace(_NONCE, nonce_of(request)).encode()
    return respond_uncached(request, body, HTML)


def _render_begun(request: AppRequest) -> str:
    text = "The newest sessions appear here in a moment."
    base = shell(archiving_of(request), account_of(request))
    return render_notice("Archiving transcripts", text, base, waits_for="sync")


def _render_no_sessions(request: AppRequest) -> str:
    account = account_of(request)
    if account is not None:
        text = "Sessions appear here once you or your team have pushed some: run `clew push`."
        return render_notice("No sessions yet", text, shell(None, account), waits_for="session")
    text = "Claude Code sessions appear here as soon as they start."
    roots = cache_of(request).settings.roots or search_paths()
    folders = [(str(root), root.is_dir()) for root in roots]
    demo = ["clew --demo open"]
    return render_notice(
        "No sessions yet", text, shell(), demo, folders=folders, waits_for="session"
    )


def respond_notice(
    request: AppRequest,
    title: str,
    text: str,
    status: int,
    links: Sequence[tuple[str, str]] = (),
) -> Response[bytes]:
    """Respond with a page with one message, and perhaps with what may be meant."""
    drawn = render_notice(title, text, shell(None, account_of(request)), links=links)
    page = drawn.replace(_NONCE, nonce_of(request))
    return Response(page.encode("utf-8", "replace"), media_type=HTML, status_code=status)

"""Drawing: the shell of the app's pages, and how a page is answered."""

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from litestar import Response

from clew.archive import search_paths
from clew.render.site import APP, BasePage, asset_names, asset_text, render_notice
from clew.web.answers import Asked, address_of, answer_once
from clew.web.packing import Pieces, cut_at, join_packed, join_plain
from clew.web.shelf import Shelf
from clew.web.state import nonce_of, shelf_of

HTML: Final = "text/html"
# Pages are kept for all askers, and each answer has a nonce of its own.
_NONCE: Final = "clew-nonce-goes-here"


@lru_cache(maxsize=1)
def assets_address() -> str:
    """Give the address of styles and scripts, which changes when one of them does."""
    texts = "\n".join(asset_text(name) for name in asset_names())
    return f"/assets/{hashlib.sha256(texts.encode()).hexdigest()[:16]}"


def shell() -> BasePage:
    """Give the shell that all pages of the app stand in."""
    return BasePage(urls=APP, assets=assets_address(), nonce=_NONCE)


def answer_page(
    request: Asked,
    shelf: Shelf,
    version: str,
    make: Callable[[], str],
    *,
    may_be_old: bool = False,
) -> Response[bytes]:
    """Answer with a page, made once per state of the rows.

    While somebody makes a page again that `may_be_old`, others get it as it was.
    """
    key = ("page", address_of(request))
    made = shelf.share(key, version, lambda: _cut(make()), may_be_old=may_be_old)
    nonce = nonce_of(request).encode()
    headers = {"vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        return Response(join_packed(made, nonce), media_type=HTML, headers=headers)
    return Response(join_plain(made, nonce), media_type=HTML, headers=headers)


def _cut(page: str) -> Pieces:
    return cut_at(page.encode("utf-8", "replace"), _NONCE.encode())


def answer_empty(request: Asked) -> Response[bytes]:
    """Say that there is nothing to show yet, and what to do."""
    text = "New sessions of Claude Code appear here as soon as they start."
    roots = shelf_of(request).settings.roots or search_paths()
    folders = [(str(root), root.is_dir()) for root in roots]
    page = render_notice(
        "No sessions yet", text, shell(), ["clew --demo open"], folders=folders, is_waiting=True
    )
    body = page.replace(_NONCE, nonce_of(request)).encode()
    return answer_once(request, body, HTML)


def answer_notice(request: Asked, title: str, text: str, status: int) -> Response[bytes]:
    """Say one thing on a page."""
    page = render_notice(title, text, shell()).replace(_NONCE, nonce_of(request))
    return Response(page.encode("utf-8", "replace"), media_type=HTML, status_code=status)

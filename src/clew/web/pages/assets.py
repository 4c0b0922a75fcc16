"""Styles and scripts, which browsers may cache forever."""

from typing import Annotated, Final

from litestar import Response, get
from litestar.params import PathParameter

from clew.errors import NotFoundError
from clew.render.site import asset_names, asset_text
from clew.web.responses import AppRequest, respond_uncached

_TYPES: Final = {"css": "text/css", "js": "text/javascript"}
_FOREVER: Final = "public, max-age=31536000, immutable"
Word = Annotated[str, PathParameter(max_length=64)]


@get("/assets/{digest:str}/{name:str}", sync_to_thread=False, include_in_schema=False)
def served_asset(request: AppRequest, digest: Word, name: Word) -> Response[bytes]:
    """Get a style sheet or a script."""
    if name not in asset_names():
        raise NotFoundError(f"no asset {name[:64]!r} in {digest[:16]!r}")
    found = respond_uncached(request, asset_text(name).encode(), _TYPES[name.rpartition(".")[2]])
    found.headers["cache-control"] = _FOREVER
    return found

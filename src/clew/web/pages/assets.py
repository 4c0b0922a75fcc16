"""Assets: styles and scripts, which browsers may keep for good."""

from typing import Annotated, Final

from litestar import Response, get
from litestar.params import PathParameter

from clew.errors import NotFoundError
from clew.render.site import asset_names, asset_text
from clew.web.answers import Asked, answer_once

_TYPES: Final = {"css": "text/css", "js": "text/javascript"}
_FOR_GOOD: Final = "public, max-age=31536000, immutable"
Word = Annotated[str, PathParameter(max_length=64)]


@get("/assets/{digest:str}/{name:str}", sync_to_thread=False, include_in_schema=False)
def served_asset(request: Asked, digest: Word, name: Word) -> Response[bytes]:
    """Give a style or a script."""
    if name not in asset_names():
        raise NotFoundError(f"there is nothing called {name[:64]!r} under {digest[:16]!r}")
    found = answer_once(request, asset_text(name).encode(), _TYPES[name.rpartition(".")[2]])
    found.headers["cache-control"] = _FOR_GOOD
    return found

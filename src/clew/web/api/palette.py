"""The command palette, and the sessions around one."""

import datetime as dt
from typing import Annotated

from litestar import Response
from litestar.params import QueryParameter

from clew.clock import LocalZone
from clew.web.api.routes import json_route
from clew.web.neighbours import Around, find_around
from clew.web.palette import Palette, PaletteQuery, find_in_palette
from clew.web.params import Flag, Id
from clew.web.responses import AppRequest, respond_json
from clew.web.state import archived_session_of, cache_of

Typed = Annotated[str, QueryParameter(max_length=300, description="What was typed.")]
Most = Annotated[int, QueryParameter(ge=1, le=100, description="Maximum number of each kind.")]


@json_route("/api/palette", "palette", "search", Palette, "Sessions, files and hits")
def palette(
    request: AppRequest, q: Typed = "", limit: Most = 8, *, with_texts: Flag = True
) -> Response[bytes]:
    """Find sessions by title, project and text, projects, and files by name and path.

    Without words, the latest sessions are returned. Titles are found in memory: without texts and
    files, the response comes at once.
    """
    cache = cache_of(request)
    catalogue = cache.catalogue()
    now = dt.datetime.now(LocalZone())
    wanted = PaletteQuery(q, limit, with_texts=with_texts)
    # A query may contain `after:12h`, and sessions are live for some minutes.
    version = f"{catalogue.version}-{now:%Y%m%d%H%M}"
    return respond_json(
        request, cache, version, lambda: find_in_palette(cache, catalogue, wanted, now)
    )


@json_route(
    "/api/sessions/{session_id:str}/around",
    "sessionAround",
    "sessions",
    Around,
    "Sessions of the same project",
)
def session_around(request: AppRequest, session_id: Id) -> Response[bytes]:
    """List the sessions of the same project around one, the latest first."""
    cache, _ = archived_session_of(request, session_id)
    now = dt.datetime.now(dt.UTC)
    version = f"{cache.catalogue_version()}-{now:%Y%m%d%H%M}"
    return respond_json(request, cache, version, lambda: find_around(cache, session_id, now))

"""Blame of a file as JSON; only in the app of one's own machine."""

from typing import Annotated

import msgspec
from litestar import Response
from litestar.params import QueryParameter

from clew.insight import FileBlame
from clew.web.api.routes import json_route
from clew.web.blamed_files import blame_known_file
from clew.web.responses import AppRequest, respond_uncached
from clew.web.state import cache_of

Path = Annotated[
    str,
    QueryParameter(
        min_length=1, max_length=4096, description="Absolute path of a file that a session changed."
    ),
]
Revision = Annotated[
    str,
    QueryParameter(max_length=200, description="A revision of git; by default the file on disk."),
]


@json_route("/api/blame", "blame", "files", FileBlame, "Which prompt wrote each line of a file")
def blame(request: AppRequest, path: Path, rev: Revision = "") -> Response[bytes]:
    """Tell which prompt wrote each line of a file in a git repository on this machine."""
    found = blame_known_file(cache_of(request).archive, path, rev or None)
    return respond_uncached(request, msgspec.json.encode(found))

"""A file with the prompts that wrote its lines beside it; only in the app of one's own machine."""

from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter

from clew.errors import ClewError
from clew.render.site import render_blame, render_no_blame
from clew.web.blamed_files import blame_known_file, make_blame_page
from clew.web.page_response import HTML, draw_for, shell
from clew.web.responses import AppRequest, respond_uncached
from clew.web.state import cache_of

Path = Annotated[str, QueryParameter(min_length=1, max_length=4096)]
Revision = Annotated[str, QueryParameter(max_length=200)]


@get("/files/blame", sync_to_thread=True, include_in_schema=False)
def file_blame(request: AppRequest, path: Path, rev: Revision = "") -> Response[bytes]:
    """Show which prompt wrote each line of a file; it depends on git, and is never cached."""
    base = shell(None, None)
    try:
        blame = blame_known_file(cache_of(request).archive, path, rev or None)
    except ClewError as error:
        page = render_no_blame(path, str(error), base)
    else:
        page = render_blame(make_blame_page(path, blame), base)
    return respond_uncached(request, draw_for(request, page), HTML)

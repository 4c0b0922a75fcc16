"""Search over everything that was said and done."""

import datetime as dt
from typing import Annotated

import msgspec
from litestar import Response, get
from litestar.params import QueryParameter

from clew.clock import LocalZone
from clew.search import Results
from clew.web.answers import Asked, answer_json
from clew.web.api.shapes import told
from clew.web.asked import Flag, TheCut, make_cursor
from clew.web.state import shelf_of

Text = Annotated[str, QueryParameter(min_length=1, max_length=1000)]


class HitList(Results, frozen=True, kw_only=True):
    """A page of hits, and the cursor of the next page, none after the last."""

    next_cursor: str | None = None


@get(
    "/api/search",
    sync_to_thread=True,
    tags=["search"],
    operation_id="search",
    responses=told(HitList, "Hits, the best first"),
)
def find(request: Asked, q: Text, cut: TheCut, *, with_hidden: Flag = False) -> Response[bytes]:
    """Find words, "phrases", prefix*, -not, OR, /regex/i and filters such as `tool:Bash`."""
    shelf = shelf_of(request)
    now = dt.datetime.now(LocalZone())

    def make() -> HitList:
        found = shelf.archive.search(
            q, now=now, limit=cut.limit, offset=cut.start, with_hidden=with_hidden
        )
        following = found.next_offset
        cursor = None if following is None else make_cursor(following)
        return HitList(**msgspec.structs.asdict(found), next_cursor=cursor)

    # A query may say `after:12h`, so an answer is good for a while only.
    version = f"{shelf.held_version()}-{now:%Y%m%d%H%M}"
    return answer_json(request, shelf, version, make)

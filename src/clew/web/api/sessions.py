"""Sessions: chosen, sorted, a page at a time."""

from litestar import Response, get

from clew.web.answers import Asked, answer_json
from clew.web.api.shapes import SessionList, told
from clew.web.asked import TheCut
from clew.web.catalogue import TheChoice, find_sessions
from clew.web.state import shelf_of


@get(
    "/api/sessions",
    sync_to_thread=True,
    tags=["sessions"],
    operation_id="sessions",
    responses=told(SessionList, "Sessions"),
)
def sessions(request: Asked, choice: TheChoice, cut: TheCut) -> Response[bytes]:
    """List sessions, the latest first."""
    shelf = shelf_of(request)
    catalogue = shelf.catalogue()

    def make() -> SessionList:
        found, hidden = find_sessions(shelf, catalogue, choice)
        page, following = cut.take(found)
        return SessionList(sessions=page, total=len(found), hidden=hidden, next_cursor=following)

    return answer_json(request, shelf, catalogue.version, make)

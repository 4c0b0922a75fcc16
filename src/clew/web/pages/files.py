"""Files: what was read and changed, and how one file came to be."""

from collections.abc import Iterator
from typing import Annotated, Final
from urllib.parse import urlencode

from litestar import Response, get
from litestar.params import QueryParameter

from clew.archive import Filters, Order
from clew.errors import NotFoundError
from clew.render.html.escaping import anchor
from clew.render.html.loose import render_parts
from clew.render.site import APP, render_file, render_files
from clew.render.site.files import EditDiff, FilePage, FilesPage
from clew.store import SORTS, FileEdit
from clew.tools import decode_call, parts
from clew.web.answers import Asked
from clew.web.asked import TheCut
from clew.web.drawing import answer_empty, answer_page, shell
from clew.web.shelf import Shelf
from clew.web.state import shelf_of

_MOST_EDITS: Final = 50
Path = Annotated[str, QueryParameter(max_length=4096)]
Sort = Annotated[str, QueryParameter(max_length=20)]


@get("/files", sync_to_thread=True, include_in_schema=False)
def file_list(request: Asked, cut: TheCut, path: Path = "", sort: Sort = "when") -> Response[bytes]:
    """List files, the latest first."""
    shelf = shelf_of(request)
    if shelf.is_empty:
        return answer_empty(request)
    order = cut.order(sort if sort in SORTS["files"] else "when")

    def make() -> str:
        files, following = cut.take(shelf.archive.files(Filters(), order, path or None))
        asked = {"path": path, "sort": order.sort, "cursor": following or ""}
        more = f"/files?{urlencode(asked)}" if following else ""
        return render_files(FilesPage(files=files, path=path, sort=order.sort, more=more), shell())

    return answer_page(request, shelf, shelf.held_version(), make, may_be_old=True)


@get("/files/history", sync_to_thread=True, include_in_schema=False)
def file_history(request: Asked, path: Path) -> Response[bytes]:
    """Show a file's history of edits across sessions."""
    shelf = shelf_of(request)

    def make() -> str:
        uses = list(shelf.archive.file_uses(path, Filters(), Order()))
        if not uses:
            raise NotFoundError(f"no session read or changed {path[:200]!r}")
        found = list(shelf.archive.file_edits(path, _MOST_EDITS + 1))
        changes = sum(use.changes for use in uses if use.path == path)
        page = FilePage(
            path=path,
            uses=uses,
            edits=list(_edits(shelf, found[:_MOST_EDITS])),
            left_out=max(0, changes - _MOST_EDITS),
        )
        return render_file(page, shell())

    return answer_page(request, shelf, shelf.held_version(), make, may_be_old=True)


def _edits(shelf: Shelf, edits: list[FileEdit]) -> Iterator[EditDiff]:
    for edit in edits:
        place = f"{APP.session(edit.session_id)}#{anchor('c', edit.tool_call_id)}"
        yield EditDiff(
            session_id=edit.session_id,
            title=edit.title,
            at=edit.at,
            tool=edit.tool or "",
            call_id=edit.tool_call_id,
            url=place,
            body=_body(shelf, edit),
            added=edit.lines_added,
            removed=edit.lines_removed,
            is_lower_bound=edit.lines_quality == "lower_bound",
        )


def _body(shelf: Shelf, edit: FileEdit) -> str:
    """Draw what a call changed; the session is there already when one looks at its files."""
    call = shelf.index(edit.session_id).calls.get(edit.tool_call_id)
    if call is None:
        return ""
    arguments, result = decode_call(call)
    return render_parts(parts(call, arguments, result))

"""Files that sessions read and changed, and the history of one file."""

from collections.abc import Iterator
from typing import Annotated, Final

from litestar import Response, get
from litestar.params import QueryParameter

from clew.archive import FilterSet, Order
from clew.errors import NotFoundError
from clew.render.html.escaping import anchor
from clew.render.html.parts import render_parts
from clew.render.site import APP, render_file, render_files
from clew.render.site.files import EditDiff, FilePage, FilesPage
from clew.render.site.filter_chips import make_url
from clew.store import SORTS, FileEdit
from clew.tools import call_parts, decode_call
from clew.web.cache import ArchiveCache
from clew.web.page_response import archiving_of, respond_empty, respond_page, shell, version_while
from clew.web.params import PageParam, TheFilters
from clew.web.responses import AppRequest, filter_params
from clew.web.session_cache import OpenSession
from clew.web.state import account_of, cache_of

_MAX_EDITS: Final = 50
Path = Annotated[str, QueryParameter(max_length=4096)]
Sort = Annotated[str, QueryParameter(max_length=20)]


@get("/files", sync_to_thread=True, include_in_schema=False)
def file_list(
    request: AppRequest,
    filters: TheFilters,
    page: PageParam,
    path: Path = "",
    sort: Sort = "when",
) -> Response[bytes]:
    """List files, the latest first."""
    cache = cache_of(request)
    if cache.is_empty:
        return respond_empty(request)
    order = page.order(sort if sort in SORTS["files"] else "when")
    given = filter_params(request)
    archiving = archiving_of(request)

    def make() -> str:
        files, following = page.take(cache.archive.files(filters, order, path or None))
        params = [("path", path), ("sort", order.sort), *given, ("cursor", following or "")]
        listed = FilesPage(
            files=files,
            given=given,
            path=path,
            sort=order.sort,
            more=make_url("/files", params) if following else "",
        )
        return render_files(listed, shell(archiving, account_of(request)))

    version = version_while(cache.catalogue_version(), archiving)
    return respond_page(request, cache, version, make, allow_stale=True)


@get("/files/history", sync_to_thread=True, include_in_schema=False)
def file_history(request: AppRequest, path: Path) -> Response[bytes]:
    """Show a file's history of edits across sessions."""
    cache = cache_of(request)

    def make() -> str:
        uses = list(cache.archive.file_uses(path, FilterSet(), Order()))
        if not uses:
            raise NotFoundError(f"no session read or changed {path[:200]!r}")
        found = list(cache.archive.file_edits(path, _MAX_EDITS + 1))
        changes = sum(use.changes for use in uses if use.path == path)
        history = FilePage(
            path=path,
            uses=uses,
            edits=list(_edits(cache, found[:_MAX_EDITS])),
            left_out=max(0, changes - _MAX_EDITS),
        )
        return render_file(history, shell(None, account_of(request)))

    return respond_page(request, cache, cache.listed_version(), make, allow_stale=True)


def _edits(cache: ArchiveCache, edits: list[FileEdit]) -> Iterator[EditDiff]:
    for edit in edits:
        url = f"{APP.session(edit.session_id)}#{anchor('c', edit.tool_call_id)}"
        yield EditDiff(
            session_id=edit.session_id,
            title=edit.title,
            at=edit.at,
            tool=edit.tool or "",
            call_id=edit.tool_call_id,
            url=url,
            body=_body(cache, edit),
            added=edit.lines_added,
            removed=edit.lines_removed,
            is_lower_bound=edit.lines_quality == "lower_bound",
        )


def _body(cache: ArchiveCache, edit: FileEdit) -> str:
    """Draw what a call changed; its session is usually cached."""
    version = cache.session_version(edit.session_id)
    return cache.with_session(edit.session_id, version, lambda session: _draw_call(session, edit))


def _draw_call(session: OpenSession, edit: FileEdit) -> str:
    call = session.index.calls.get(edit.tool_call_id)
    if call is None:
        return ""
    arguments, result = decode_call(call)
    return render_parts(call_parts(call, arguments, result))

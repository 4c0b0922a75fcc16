"""Files that sessions read and changed, and the history of one file."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Final

from litestar import Response, get
from litestar.params import QueryParameter

from clew.render.formatting import UNTITLED
from clew.render.html.escaping import anchor
from clew.render.html.parts import render_parts
from clew.render.site import APP, render_file, render_files
from clew.render.site.file_versions import DIFF, TEXT, version_list
from clew.render.site.files import EditDiff, FilePage, FilesPage
from clew.render.site.filter_chips import make_url
from clew.replay import count_lines
from clew.store import SORTS, FileEdit
from clew.tools import call_parts, decode_call
from clew.web.blamed_files import can_blame
from clew.web.cache import ArchiveCache
from clew.web.file_versions import find_replays, find_uses, find_versions
from clew.web.page_response import archiving_of, respond_empty, respond_page, shell, version_while
from clew.web.params import PageParam, TheFilters
from clew.web.responses import AppRequest, filter_params
from clew.web.session_cache import OpenSession
from clew.web.state import account_of, cache_of

_MAX_EDITS: Final = 50
Path = Annotated[str, QueryParameter(max_length=4096)]
Number = Annotated[int, QueryParameter(ge=0, le=1_000_000)]
Show = Annotated[str, QueryParameter(max_length=20)]
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
            projects={session.project for session in cache.catalogue().sessions},
        )
        return render_files(listed, shell(archiving, account_of(request)))

    version = version_while(cache.catalogue_version(), archiving)
    return respond_page(request, cache, version, make, allow_stale=True)


@get("/files/history", sync_to_thread=True, include_in_schema=False)
def file_history(
    request: AppRequest, path: Path, version: Number = 0, show: Show = DIFF
) -> Response[bytes]:
    """Show a file's history of edits across sessions, and one of its versions."""
    cache = cache_of(request)

    def make() -> str:
        uses = find_uses(cache, path)
        versions = find_versions(find_replays(cache, path, uses), path)
        drawn = {each.call_id for each in versions if each.is_change and count_lines(each)}
        found = [
            edit
            for edit in cache.archive.file_edits(path, _MAX_EDITS)
            if edit.tool_call_id not in drawn
        ]
        changes = sum(use.changes for use in uses if use.path == path)
        titles = {use.session_id: use.title or UNTITLED for use in uses}
        # A call and the version that it made have one time: when the file was there.
        times = {each.call_id: each.at for each in versions if each.at}
        history = FilePage(
            path=path,
            uses=uses,
            edits=list(_edits(cache, found, times)),
            left_out=max(0, changes - len(drawn) - len(found)),
            has_blame=bool(changes) and account_of(request) is None and can_blame(path),
            versions=version_list(path, versions, version, TEXT if show == TEXT else DIFF, titles),
        )
        return render_file(history, shell(None, account_of(request)))

    return respond_page(request, cache, cache.listed_version(), make, allow_stale=True)


def _edits(
    cache: ArchiveCache, edits: list[FileEdit], times: Mapping[str, str]
) -> Iterator[EditDiff]:
    for edit in edits:
        url = f"{APP.session(edit.session_id)}#{anchor('c', edit.tool_call_id)}"
        yield EditDiff(
            session_id=edit.session_id,
            title=edit.title,
            at=times.get(edit.tool_call_id, edit.at),
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
    parts = call_parts(call, arguments, result)
    return render_parts(tuple(part for part in parts if not getattr(part, "is_meta", False)))

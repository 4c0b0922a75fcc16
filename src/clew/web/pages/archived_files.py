"""The archived files of a session: transcripts and their sidecars."""

import msgspec
from litestar import Response, get

from clew.render.site import render_archived_files
from clew.render.site.archived_files import ArchivedFileRow, ArchivedFilesPage
from clew.render.site.session_bar import make_session_bar
from clew.web.api.session import archived_files
from clew.web.page_response import respond_page, shell
from clew.web.params import Id
from clew.web.responses import AppRequest
from clew.web.state import account_of, archived_session_of


@get("/sessions/{session_id:str}/kept", sync_to_thread=True, include_in_schema=False)
def archived_files_page(request: AppRequest, session_id: Id) -> Response[bytes]:
    """List the files, each with a download link."""
    cache, version = archived_session_of(request, session_id)

    def make() -> str:
        own = cache.urls.session(session_id)
        rows = [
            ArchivedFileRow(
                path=file.path,
                kind=file.kind,
                size_bytes=file.size_bytes,
                is_on_disk=file.is_on_disk,
                url=f"/api{own}/transcripts/{file.number}",
            )
            for file in archived_files(request, session_id)
        ]
        found = cache.overview(session_id)
        bar = make_session_bar(cache.urls, session_id, found.title, found.project, "kept")
        return render_archived_files(
            ArchivedFilesPage(title=found.title, session=own, rows=rows),
            msgspec.structs.replace(shell(None, account_of(request)), session=bar),
        )

    return respond_page(request, cache, version, make)

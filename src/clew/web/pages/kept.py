"""Files kept of a session: transcripts, and results of tools that stand in files of their own."""

from litestar import Response, get

from clew.render.site import APP, render_archived_files
from clew.render.site.archived_files import ArchivedFileRow, ArchivedFilesPage
from clew.web.answers import Asked
from clew.web.api.session import kept_files
from clew.web.asked import Id
from clew.web.drawing import answer_page, shell
from clew.web.state import session_of


@get("/sessions/{session_id:str}/kept", sync_to_thread=True, include_in_schema=False)
def kept_page(request: Asked, session_id: Id) -> Response[bytes]:
    """List the files, each with its bytes to take along."""
    shelf, version = session_of(request, session_id)

    def make() -> str:
        found = shelf.catalogue().by_id.get(session_id)
        own = APP.session(session_id)
        rows = [
            ArchivedFileRow(
                path=file.path,
                kind=file.kind,
                size_bytes=file.size_bytes,
                is_on_disk=file.is_on_disk,
                url=f"/api{own}/transcripts/{file.number}",
            )
            for file in kept_files(request, session_id)
        ]
        title = "" if found is None else found.title
        return render_archived_files(
            ArchivedFilesPage(title=title, session=own, rows=rows), shell()
        )

    return answer_page(request, shelf, version, make)

"""Files: what was read and changed, by which sessions, and how one file came to be."""

from collections.abc import Sequence

import msgspec

from clew.render.formatting import UNTITLED
from clew.render.site.base import BasePage
from clew.render.site.filter_chips import make_chips
from clew.render.site.templates import draw
from clew.store import FileOverview, FileUse


class FilesPage(msgspec.Struct, frozen=True, kw_only=True):
    """Files, the latest first; `given` are the filters in the address."""

    files: Sequence[FileOverview] = ()
    given: Sequence[tuple[str, str]] = ()
    path: str = ""
    sort: str = "when"
    more: str = ""


class EditDiff(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a file: when, in which session, and the markup of its diff."""

    session_id: str
    title: str
    at: str
    tool: str
    call_id: str
    url: str
    body: str
    added: int | None = None
    removed: int | None = None
    is_lower_bound: bool = False


class FilePage(msgspec.Struct, frozen=True, kw_only=True):
    """One file's history across sessions."""

    path: str
    uses: Sequence[FileUse] = ()
    edits: Sequence[EditDiff] = ()
    left_out: int = 0


def render_files(page: FilesPage, base: BasePage) -> str:
    """Draw the list."""
    rows = [(file, base.urls.file(file.path)) for file in page.files]
    params = [("path", page.path), ("sort", page.sort), *page.given]
    chips = make_chips(base.urls.files, params, ("path", "sort", "tz"))
    body = draw(
        "files.html",
        page=page,
        set_filters=chips,
        rows=rows,
        urls=base.urls,
        archiving=base.archiving,
    )
    return base.draw("Files", body, "files")


def render_file(page: FilePage, base: BasePage) -> str:
    """Draw a file's history."""
    uses = [(use, base.urls.session(use.session_id)) for use in page.uses]
    body = draw("file.html", page=page, untitled=UNTITLED, uses=uses, urls=base.urls)
    return base.draw(page.path, body, "files")

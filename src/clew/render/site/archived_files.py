"""The archived files of one session, as a table."""

from collections.abc import Sequence
from typing import Final

import msgspec

from clew.render.formatting import UNTITLED
from clew.render.html.formatting import size
from clew.render.site.base import BasePage
from clew.render.site.templates import draw

_KINDS: Final = {
    "session": "Session transcript",
    "agent": "Agent transcript",
    "meta": "Agent metadata",
    "todo": "To-do list",
}


class ArchivedFileRow(msgspec.Struct, frozen=True, kw_only=True):
    """A file: what it is, how large, whether it is still on disk, and where its bytes are."""

    path: str
    kind: str
    size_bytes: int
    is_on_disk: bool
    url: str


class ArchivedFilesPage(msgspec.Struct, frozen=True, kw_only=True):
    """The archived files of a session, whose page is at `session`."""

    title: str
    session: str
    rows: Sequence[ArchivedFileRow]


def render_archived_files(page: ArchivedFilesPage, base: BasePage) -> str:
    """Draw the page."""
    rows = [
        (row, _KINDS.get(row.kind) or row.kind.replace("_", " ").capitalize(), size(row.size_bytes))
        for row in page.rows
    ]
    title = page.title or UNTITLED
    return base.draw(
        f"Archived files of {title}", draw("archived_files.html", page=page, title=title, rows=rows)
    )

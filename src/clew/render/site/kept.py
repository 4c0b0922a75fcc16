"""Kept files of one session, as a table."""

from collections.abc import Sequence

import msgspec

from clew.render.html.figures import size
from clew.render.site.shell import Shell
from clew.render.site.templates import draw


class KeptRow(msgspec.Struct, frozen=True, kw_only=True):
    """A file: what it is, how large, whether it is still on disk, and where its bytes are."""

    path: str
    kind: str
    size_bytes: int
    is_on_disk: bool
    url: str


class KeptPage(msgspec.Struct, frozen=True, kw_only=True):
    """The files kept of a session, whose page is at `session`."""

    title: str
    session: str
    rows: Sequence[KeptRow]


def render_kept(page: KeptPage, shell: Shell) -> str:
    """Draw the page."""
    rows = [(row, row.kind.replace("_", " "), size(row.size_bytes)) for row in page.rows]
    title = page.title or "A session without a title"
    return shell.draw(
        f"Files kept of {title}", draw("kept.html", page=page, title=title, rows=rows)
    )

"""A file's lines with the prompts that wrote them beside."""

from collections.abc import Sequence

import msgspec

from clew.render.formatting import UNTITLED
from clew.render.site.base import BasePage
from clew.render.site.templates import draw


class BlameGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that follow each other and have one origin; without a `url`, no session wrote them."""

    evidence: str
    lines: Sequence[tuple[int, str]]
    commit: str = ""
    subject: str = ""
    url: str = ""
    title: str = ""
    prompt: str = ""
    turn: int | None = None
    model: str = ""
    cost: str = ""
    is_told: bool = False


class BlamePage(msgspec.Struct, frozen=True, kw_only=True):
    """One file, as of a revision or as it is on the disk."""

    path: str
    name: str
    revision: str
    groups: Sequence[BlameGroup] = ()
    notes: Sequence[str] = ()
    explained: int = 0
    total: int = 0
    left_out: int = 0


def render_blame(page: BlamePage, base: BasePage) -> str:
    """Draw the file."""
    history = base.urls.file(page.path)
    body = draw("blame.html", page=page, history=history, untitled=UNTITLED)
    return base.draw(f"Blame of {page.name}", body, "files")


def render_no_blame(path: str, reason: str, base: BasePage) -> str:
    """Say why there is no blame of a file."""
    body = draw("no_blame.html", path=path, reason=reason, history=base.urls.file(path))
    return base.draw("Blame", body, "files")

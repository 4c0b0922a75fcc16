"""Notices: pages that say one thing: not found, nothing kept yet, show the token."""

from collections.abc import Sequence

from clew.render.site.base import BasePage
from clew.render.site.templates import draw


def render_notice(
    title: str,
    text: str,
    base: BasePage,
    commands: Sequence[str] = (),
    *,
    folders: Sequence[tuple[str, bool]] = (),
    is_waiting: bool = False,
) -> str:
    """Draw a page that says what is the matter, and what to do; it may wait for it to change.

    Each of the `folders` that were searched comes with whether it exists.
    """
    body = draw(
        "notice.html",
        title=title,
        text=text,
        commands=commands,
        folders=folders,
        is_waiting=is_waiting,
    )
    return base.draw(title, body)


def render_login(base: BasePage, *, is_refused: bool) -> str:
    """Draw the door."""
    return base.draw("Token", draw("login.html", is_refused=is_refused))

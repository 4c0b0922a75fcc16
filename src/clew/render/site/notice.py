"""Notices: pages with one message, such as not found, an empty archive, sign in."""

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
    """Draw a page that says what is wrong and what to do; with `is_waiting` it reloads on a change.

    Each of the searched `folders` comes with whether it exists.
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
    """Draw the form for the access token."""
    return base.draw("Sign in", draw("login.html", is_refused=is_refused))

"""Notices: pages with one message, such as not found, an empty archive, sign in."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from clew.render.site.base import BasePage
from clew.render.site.templates import draw

WaitsFor: TypeAlias = Literal["", "session", "sync"]


def render_notice(
    title: str,
    text: str,
    base: BasePage,
    commands: Sequence[str] = (),
    *,
    folders: Sequence[tuple[str, bool]] = (),
    links: Sequence[tuple[str, str]] = (),
    waits_for: WaitsFor = "",
) -> str:
    """Draw a page that says what is wrong and what to do.

    It may wait for the first `session` or the end of a `sync`, and reloads then. Each of the
    searched `folders` comes with whether it exists, each of the `links` with its address.
    """
    body = draw(
        "notice.html",
        title=title,
        text=text,
        commands=commands,
        folders=folders,
        links=links,
        waits_for=waits_for,
    )
    return base.draw(title, body)


def render_login(base: BasePage, *, is_refused: bool) -> str:
    """Draw the form for the access token."""
    return base.draw("Sign in", draw("login.html", is_refused=is_refused))

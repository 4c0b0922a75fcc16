"""Notices: pages with one message, such as not found, an empty archive, sign in."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from clew.render.site.base import BasePage
from clew.render.site.templates import draw

WaitsFor: TypeAlias = Literal["", "session", "sync"]
_TRY_SAMPLES: Final = "To look around, try the sample sessions:"


def render_notice(
    title: str,
    text: str,
    base: BasePage,
    commands: Sequence[str] = (),
    *,
    command_text: str = _TRY_SAMPLES,
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
        command_text=command_text,
        folders=folders,
        links=links,
        waits_for=waits_for,
    )
    return base.draw(title, body)


def render_login(base: BasePage, *, is_refused: bool) -> str:
    """Draw the form for the access token."""
    return base.draw("Sign in", draw("login.html", is_refused=is_refused))

"""Home: what runs and waits, today and this week, projects with their last sessions."""

from collections.abc import Sequence

import msgspec

from clew.render.site.base import BasePage
from clew.render.site.live_strip import LiveStrip, render_live_strip
from clew.render.site.templates import draw


class HomeFigure(msgspec.Struct, frozen=True):
    """A number, the list that it counts, and what it was in the period before."""

    text: str
    url: str
    before: str = ""


class HomePeriod(msgspec.Struct, frozen=True):
    """Today, or this week: sessions, active time and cost, against a week before."""

    name: str
    figures: Sequence[HomeFigure]
    before_name: str


class HomeSession(msgspec.Struct, frozen=True, kw_only=True):
    """One of the last sessions of a project."""

    id: str
    url: str
    title: str
    worktree: str
    at: str
    clock: str
    length: str
    cost: str
    member: str = ""
    is_live: bool = False
    is_waiting: bool = False


class HomeProject(msgspec.Struct, frozen=True, kw_only=True):
    """A repository with its worktrees: totals, and its last sessions."""

    name: str
    path: str
    url: str
    totals: Sequence[HomeFigure]
    worktrees: Sequence[HomeFigure] = ()
    sessions: Sequence[HomeSession] = ()


class HomeLesson(msgspec.Struct, frozen=True):
    """What went wrong most often in the last 30 days, and how many lessons there are in them."""

    text: str
    sessions: int
    lessons: int
    url: str


class HomeExpiring(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions that the client deletes within a week, and those of them that are not archived.

    `is_due` says that the first of them is to be deleted already, when the client starts next.
    """

    archived: int = 0
    missing: Sequence[tuple[str, str]] = ()
    first_at: str = ""
    first_day: str = ""
    is_due: bool = False


class HomePage(msgspec.Struct, frozen=True, kw_only=True):
    """What home shows; `others` are the projects beyond the first, without their sessions."""

    strip: LiveStrip
    periods: Sequence[HomePeriod] = ()
    lesson: HomeLesson | None = None
    expiring: HomeExpiring | None = None
    projects: Sequence[HomeProject] = ()
    others: Sequence[HomeProject] = ()
    total: int = 0
    trouble: str = ""


def render_home(page: HomePage, base: BasePage) -> str:
    """Draw the page."""
    body = draw(
        "home.html",
        page=page,
        strip=render_live_strip(page.strip),
        urls=base.urls,
        account=base.account,
        archiving=base.archiving,
    )
    return base.draw("Home", body, "home")

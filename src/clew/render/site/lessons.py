"""Lessons: what keeps going wrong, each with its calls and a rule to copy."""

from collections.abc import Sequence

import msgspec

from clew.render.formatting import UNTITLED
from clew.render.site.base import BasePage
from clew.render.site.report_form import ReportForm
from clew.render.site.templates import draw


class LessonCallRow(msgspec.Struct, frozen=True, kw_only=True):
    """A call that went wrong."""

    url: str
    title: str
    session_url: str = ""
    label: str
    error: str
    at: str = ""


class LessonCard(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that goes wrong again and again, with its latest calls.

    `figures` are texts and where they lead.
    """

    id: str
    what: str
    text: str
    rule: str
    is_denial: bool = False
    figures: Sequence[tuple[str, str]] = ()
    projects: Sequence[str] = ()
    calls: Sequence[LessonCallRow] = ()
    more_calls: int = 0


class LessonsPage(msgspec.Struct, frozen=True, kw_only=True):
    """All lessons, that of most sessions first; `numbers` are name, value, meaning and URL."""

    form: ReportForm
    numbers: Sequence[tuple[str, str, str, str]] = ()
    lessons: Sequence[LessonCard] = ()
    has_failures: bool = False


def render_lessons(page: LessonsPage, base: BasePage) -> str:
    """Draw the page."""
    body = draw("lessons.html", page=page, untitled=UNTITLED, archiving=base.archiving)
    return base.draw("Lessons", body, "lessons", ["copy.js"])

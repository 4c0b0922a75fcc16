"""Two sessions side by side, with the difference of what they changed."""

from collections.abc import Sequence

import msgspec

from clew.render.formatting import UNTITLED
from clew.render.site.base import BasePage
from clew.render.site.templates import draw


class ComparedRow(msgspec.Struct, frozen=True):
    """One figure of both sessions, and where each leads."""

    name: str
    a: str
    b: str
    a_url: str = ""
    b_url: str = ""
    difference: str = ""


class ComparedTurnRow(msgspec.Struct, frozen=True, kw_only=True):
    """The turns of one number, each with its prompt, figures and address."""

    turn: int
    a: str = ""
    a_url: str = ""
    a_figures: str = ""
    b: str = ""
    b_url: str = ""
    b_figures: str = ""


class ComparedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that one or both changed, and the markup of the difference.

    Where both left the same text, there is nothing to show of it.
    """

    path: str
    words: str
    url: str = ""
    a: str = ""
    b: str = ""
    is_both: bool = False
    note: str = ""
    body: str = ""

    @property
    def lines(self) -> str:
        """How many lines each changed."""
        if not self.is_both:
            return self.a or self.b
        return f"A {self.a}, B {self.b}" if self.a != self.b else self.a

    @property
    def has_section(self) -> bool:
        """Whether there is more to show than its line in the list."""
        return bool(self.body or self.note)


class SessionChoice(msgspec.Struct, frozen=True):
    """A session to choose: when it began, its title and project."""

    session_id: str
    text: str


class OtherSession(msgspec.Struct, frozen=True):
    """A session to compare with, by the address of the comparison."""

    title: str
    url: str
    at: str


class ComparePage(msgspec.Struct, frozen=True, kw_only=True):
    """Two sessions; without them, the form that asks for two.

    `others` can be compared with the first one: sessions of its repository, or any others if it
    `is_alone` there. `results` are what came of both, which is more than the other `figures` say.
    """

    a: str = ""
    b: str = ""
    a_title: str = ""
    b_title: str = ""
    a_at: str = ""
    b_at: str = ""
    results: Sequence[ComparedRow] = ()
    a_url: str = ""
    b_url: str = ""
    figures: Sequence[ComparedRow] = ()
    tools: Sequence[ComparedRow] = ()
    turns: Sequence[ComparedTurnRow] = ()
    more_turns: int = 0
    files: Sequence[ComparedFile] = ()
    recent: Sequence[SessionChoice] = ()
    others: Sequence[OtherSession] = ()
    is_alone: bool = False
    file_count: str = ""

    @property
    def is_chosen(self) -> bool:
        """Whether both sessions were given."""
        return bool(self.a_url and self.b_url)


def render_compare(page: ComparePage, base: BasePage) -> str:
    """Draw the page."""
    body = draw(
        "compare.html",
        page=page,
        is_chosen=page.is_chosen,
        untitled=UNTITLED,
        address=base.urls.compare,
    )
    title = "Compare sessions"
    if page.is_chosen:
        title = f"Compare {page.a_title or UNTITLED} with {page.b_title or UNTITLED}"
    return base.draw(title, body, "compare")

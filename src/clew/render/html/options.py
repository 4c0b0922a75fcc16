"""What a page is made for: its home, how much it shows at first, where its links lead."""

from typing import Final, Literal, TypeAlias

import msgspec

from clew.render.html.escaping import anchor, in_url
from clew.view import Detail

_READER: Final = "You"
Home: TypeAlias = Literal["file", "app", "site"]


class HtmlOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How pages are drawn.

    `detail` is what the page opens with; the reader may change it. `home_url` and `project_url`
    are where the first words of the page lead, nowhere when empty. A session or an agent run that
    has a page of its own is linked as prefix, id, suffix; runs without a prefix are looked
    for on the same page. `author` is who wrote the prompts, if not the reader. `highlight` has code
    coloured where it is looked at.
    """

    detail: Detail = Detail.TOOLS
    home: Home = "file"
    title: str = ""
    home_url: str = ""
    project_url: str = ""
    session_prefix: str = ""
    session_suffix: str = ""
    run_prefix: str = ""
    run_suffix: str = ""
    author: str = ""
    highlight: bool = True

    def name_of(self, who: str) -> str:
        """Return what the author of a message is called."""
        is_person = who == _READER or who.startswith(f"{_READER},")
        return f"{self.author}{who[len(_READER) :]}" if self.author and is_person else who

    def run_url(self, run_id: str) -> str:
        """Return the address of an agent run: its own page, or its place on this one."""
        if self.run_prefix:
            return f"{self.run_prefix}{in_url(run_id)}{self.run_suffix}"
        return f"#{anchor('r', run_id)}"

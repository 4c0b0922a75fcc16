"""What a page is made for: its home, how much it shows at first, where its links lead."""

from typing import Final, Literal, TypeAlias

import msgspec

from clew.render.html.escaping import anchor, in_url
from clew.view import Detail

_READER: Final = "You"
Home: TypeAlias = Literal["file", "app", "site"]


class AppLinks(msgspec.Struct, frozen=True):
    """Where the app shows a session, and the list of sessions: numbers lead there."""

    session: str
    sessions: str


class HtmlOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How pages are drawn.

    `detail` is what the page opens with; the reader may change it. `home_url` and `project_url`
    are where the first words of the page lead, nowhere when empty. A session or an agent run that
    has a page of its own is linked as prefix, id, suffix; runs without a prefix are looked
    for on the same page. In the web app, `app` says where the numbers of a session lead, and the
    bar on top is below the app's own. A file's page is `file_prefix` and its path, and
    `changes_url` is that of all changes. `author` is who wrote the prompts, if not the reader.
    `highlight` has code coloured where it is looked at. Changes of the reader's note go below
    `note_url`, or cannot be made for a `note_reason`; `tag_prefix` begins the address of what has a
    tag.
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
    app: AppLinks | None = None
    file_prefix: str = ""
    changes_url: str = ""
    author: str = ""
    note_url: str = ""
    note_reason: str = ""
    tag_prefix: str = ""
    highlight: bool = True

    def name_of(self, who: str) -> str:
        """Return what the author of a message is called."""
        is_person = who == _READER or who.startswith(f"{_READER},")
        return f"{self.author}{who[len(_READER) :]}" if self.author and is_person else who

    def tag_url(self, tag: str) -> str:
        """Return the address of the sessions with a tag, if they are listed anywhere."""
        return f"{self.tag_prefix}{in_url(tag)}" if self.tag_prefix else ""

    def file_url(self, path: str) -> str:
        """Return the address of a file's page, empty where there is none."""
        return f"{self.file_prefix}{in_url(path)}" if self.file_prefix and path else ""

    def run_url(self, run_id: str) -> str:
        """Return the address of an agent run: its own page, or its place on this one."""
        if self.run_prefix:
            return f"{self.run_prefix}{in_url(run_id)}{self.run_suffix}"
        return f"#{anchor('r', run_id)}"

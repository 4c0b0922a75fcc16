"""Parts: the shapes a page is made of. Tools and views make parts, every format draws them.

The text in a part is as it was in the transcript: hostile until a format has made it safe.
"""

from typing import Literal, TypeAlias

import msgspec

Tone: TypeAlias = Literal["", "good", "warn", "bad", "quiet"]
State: TypeAlias = Literal["open", "doing", "done", "dropped"]


class Prose(msgspec.Struct, frozen=True, gc=False, tag="prose", tag_field="part"):
    """Markdown, as a person or a model wrote it."""

    text: str


class Words(msgspec.Struct, frozen=True, gc=False, tag="words", tag_field="part"):
    """Plain words, to be shown with their line breaks and nothing read into them.

    Those that a person typed are shown whole; only fences and addresses in them may be styled.
    """

    text: str
    is_typed: bool = False


class Code(msgspec.Struct, frozen=True, gc=False, tag="code", tag_field="part"):
    """Lines of a program or of data.

    `language` is a name as after a fence, or empty; `path` may determine it. Lines are
    numbered from `first_line`, where that is known. `is_command` marks what was typed in a shell.
    """

    text: str
    language: str = ""
    path: str = ""
    first_line: int | None = None
    is_command: bool = False


class Output(msgspec.Struct, frozen=True, gc=False, tag="output", tag_field="part"):
    """What a program printed, colour codes and all; `name` is that of the stream."""

    text: str
    name: str = ""
    is_error: bool = False


class DiffHunk(msgspec.Struct, frozen=True, gc=False):
    """Lines that changed together, each with its mark: a space, `+`, `-` or a backslash.

    A start is None where the position in the file is not known.
    """

    old_start: int | None
    new_start: int | None
    lines: tuple[str, ...]


class Diff(msgspec.Struct, frozen=True, gc=False, tag="diff", tag_field="part"):
    """A change of a file; its counts are lower bounds where more lines may have changed."""

    path: str
    hunks: tuple[DiffHunk, ...]
    added: int
    removed: int
    is_lower_bound: bool = False


class Table(msgspec.Struct, frozen=True, gc=False, tag="table", tag_field="part"):
    """Rows below column names; a row may be shorter than the columns are many."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Fields(msgspec.Struct, frozen=True, gc=False, tag="fields", tag_field="part"):
    """Names with short values."""

    pairs: tuple[tuple[str, str], ...]


class Listing(msgspec.Struct, frozen=True, gc=False, tag="listing", tag_field="part"):
    """Many short things, one a line: paths, mostly. `total` is how many there were in all."""

    items: tuple[str, ...]
    total: int | None = None


class Link(msgspec.Struct, frozen=True, gc=False):
    """An address with its title; formats follow none but `http`, `https` and `mailto`."""

    url: str
    title: str = ""
    note: str = ""


class Links(msgspec.Struct, frozen=True, gc=False, tag="links", tag_field="part"):
    """Addresses, one a line."""

    links: tuple[Link, ...]


class CheckItem(msgspec.Struct, frozen=True, gc=False):
    """A thing to do; `change` says in a word or two what this call changed of it."""

    text: str
    state: State = "open"
    note: str = ""
    change: str = ""


class Checklist(msgspec.Struct, frozen=True, gc=False, tag="checklist", tag_field="part"):
    """Things to do, or to choose from."""

    items: tuple[CheckItem, ...]


class Image(msgspec.Struct, frozen=True, gc=False, tag="image", tag_field="part"):
    """A picture: its base64 `data`, or its address, which is never fetched."""

    media_type: str
    data: str = ""
    url: str = ""
    text: str = ""
    width: int | None = None
    height: int | None = None
    size_bytes: int | None = None


class Document(msgspec.Struct, frozen=True, gc=False, tag="document", tag_field="part"):
    """A file that was shown to the model, such as a PDF."""

    media_type: str
    name: str = ""
    data: str = ""
    size_bytes: int | None = None


class Note(msgspec.Struct, frozen=True, gc=False, tag="note", tag_field="part"):
    """One line that the program says about something: `exit 1`, `denied by the user`.

    `is_meta` marks what is worth a look only where everything is shown. `message_id` names the
    message on the same page that it points to, if it does.
    """

    text: str
    tone: Tone = "quiet"
    is_meta: bool = False
    message_id: str = ""


class Fold(msgspec.Struct, frozen=True, gc=False, tag="fold", tag_field="part"):
    """Parts below a title, closed until requested.

    `is_meta` marks what the client wrote for the model alone: reminders, confirmations.
    """

    title: str
    parts: tuple["Part", ...]
    is_open: bool = False
    is_meta: bool = False


Part: TypeAlias = (
    Prose
    | Words
    | Code
    | Output
    | Diff
    | Table
    | Fields
    | Listing
    | Links
    | Checklist
    | Image
    | Document
    | Note
    | Fold
)

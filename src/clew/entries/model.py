"""Entry: a line with its meaning, and the bodies for what has none."""

import msgspec

from clew.entries.assistant import Assistant
from clew.entries.attachments import AnyAttachment, OtherAttachment
from clew.entries.markers import Marker
from clew.entries.progress import ProgressRow
from clew.entries.row import NULL, Row
from clew.entries.system import System
from clew.entries.user import User
from clew.problems import Problem
from clew.source import Line


class AttachmentRow(Row, frozen=True):
    """An attachment row, with the text that the model was shown."""

    attachment: AnyAttachment = OtherAttachment()
    rendered: msgspec.Raw = NULL
    rendered_role: str | None = ""
    rendered_beside_tool_result: bool | None = None
    rendered_in_human_turn: msgspec.Raw = NULL


class Unknown(Row, frozen=True):
    """A record of an unknown type: its links are read, the rest stays raw."""


class Broken(msgspec.Struct, frozen=True, gc=False):
    """Bytes that are not a record, with the decoder's words and what could be salvaged."""

    reason: str
    uuid: str = ""
    parent_uuid: str | None = None
    session_id: str = ""
    timestamp: str = ""


Body = User | Assistant | System | ProgressRow | AttachmentRow | Marker | Unknown | Broken


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One record of a transcript: its meaning, the line it is on, its share of that line.

    One object, not a line within an entry: there are as many of them as lines.
    """

    body: Body
    # The line with a newline behind it, as lines are read; the file's last line may have none.
    text: bytes
    file: str
    number: int
    line_offset: int
    ended: bool = True
    start: int = 0
    # From the end, where the newline is, unless two records are on the line.
    end: int = -1
    problems: tuple[Problem, ...] = ()

    @property
    def raw(self) -> bytes:
        """The record's own bytes: the whole line, unless two records are on it."""
        return self.text[self.start : self.end]

    @property
    def offset(self) -> int:
        """Where the record begins in its file."""
        return self.line_offset + self.start

    @property
    def line(self) -> Line:
        """The line that the record is on."""
        return Line(self.text[:-1], self.file, self.number, self.line_offset, self.ended)


def entry_on(line: Line, body: Body) -> Entry:
    """Return the entry of a record that is alone on a line."""
    return Entry(body, line.raw + b"\n", line.file, line.number, line.offset, line.ended)

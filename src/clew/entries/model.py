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
    """A record of a type nobody has named yet: what links it is read, the rest stays raw."""


class Broken(msgspec.Struct, frozen=True, gc=False):
    """Bytes that are not a record, with the decoder's words and what could be salvaged."""

    reason: str
    uuid: str = ""
    parent_uuid: str | None = None
    session_id: str = ""
    timestamp: str = ""


Body = User | Assistant | System | ProgressRow | AttachmentRow | Marker | Unknown | Broken


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One record of a transcript: the line it stands on, its share of that line, its meaning."""

    line: Line
    body: Body
    start: int = 0
    end: int = -1
    problems: tuple[Problem, ...] = ()

    @property
    def raw(self) -> bytes:
        """The record's own bytes: the whole line, unless two records stand on it."""
        return self.line.raw[self.start :] if self.end < 0 else self.line.raw[self.start : self.end]

    @property
    def offset(self) -> int:
        """Where the record begins in its file."""
        return self.line.offset + self.start

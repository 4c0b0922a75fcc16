"""The options of `clew show`."""

from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from clew.notes import SessionNote
from clew.view import Detail

Format: TypeAlias = Literal["terminal", "markdown", "html", "json", "page"]


class ShowOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What to show of a session, and where."""

    detail: Detail
    format: Format
    as_json: bool
    turn: int | None
    branches: bool
    output: Path | None
    no_pager: bool
    redact: bool = False
    max_tokens: int | None = None
    keep: Literal["newest", "outline"] = "newest"
    note: SessionNote | None = None

    @property
    def is_json(self) -> bool:
        """Whether the output is JSON."""
        return self.as_json or self.format == "json"

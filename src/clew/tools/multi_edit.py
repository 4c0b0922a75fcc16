"""MultiEdit: several replacements in one file, one after the other."""

from typing import Final

import msgspec

from clew.tools.patch import Hunk
from clew.tools.tool import Number, Tool


class EditStep(msgspec.Struct, frozen=True):
    """One replacement."""

    old_string: str
    new_string: str
    replace_all: bool = False
    expected_replacements: Number | None = None


class MultiEditInput(msgspec.Struct, frozen=True):
    """Which file, and its replacements in order."""

    file_path: str
    edits: tuple[EditStep, ...] | str


class MultiEditResult(msgspec.Struct, frozen=True, rename="camel"):
    """What was replaced, and the hunks that came of it."""

    file_path: str
    edits: tuple[EditStep, ...] = ()
    original_file_contents: str | None = None
    structured_patch: tuple[Hunk, ...] = ()
    user_modified: bool = False


def read_text(arguments: MultiEditInput, text: str) -> MultiEditResult | None:
    """Read the confirmation; it shortens the edits, so they are taken from the input."""
    if not text.startswith("Applied ") or isinstance(arguments.edits, str):
        return None
    return MultiEditResult(arguments.file_path, arguments.edits)


MULTI_EDIT: Final = Tool(
    names=("MultiEdit",), input=MultiEditInput, result=MultiEditResult, read_text=read_text
)

"""Write: a whole file, new or replaced."""

from typing import Final

import msgspec

from clew.tools.patch import GitDiff, Hunk
from clew.tools.tool import Tool


class WriteInput(msgspec.Struct, frozen=True):
    """Which file, and all it shall hold."""

    file_path: str
    content: str


class WriteResult(msgspec.Struct, frozen=True, rename="camel"):
    """`type` is create or update; a new file has no original."""

    type: str
    file_path: str
    content: str = ""
    structured_patch: tuple[Hunk, ...] = ()
    original_file: str | None = None
    user_modified: bool = False
    git_diff: GitDiff | None = None


def read_text(arguments: WriteInput, text: str) -> WriteResult | None:
    """Read the confirmation."""
    if text.startswith("File created successfully at: "):
        return WriteResult("create", arguments.file_path, arguments.content)
    if text.startswith("The file ") and " has been " in text:
        return WriteResult("update", arguments.file_path, arguments.content)
    return None


WRITE: Final = Tool(names=("Write",), input=WriteInput, result=WriteResult, read_text=read_text)

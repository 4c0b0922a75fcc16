"""Edit: one text in a file replaced by another."""

from typing import Final

import msgspec

from clew.tools.numbered import NumberedText, read_numbered
from clew.tools.patch import GitDiff, Hunk
from clew.tools.tool import Number, Tool


class EditInput(msgspec.Struct, frozen=True):
    """Which file, and which text becomes which."""

    file_path: str
    old_string: str
    new_string: str
    replace_all: bool = False
    expected_replacements: Number | None = None


class EditResult(msgspec.Struct, frozen=True, rename="camel"):
    """What was replaced, and the hunks that came of it.

    `snippet` is the edited stretch of the file, where only the result's text tells of the edit.
    """

    file_path: str
    old_string: str = ""
    new_string: str = ""
    original_file: str | None = None
    structured_patch: tuple[Hunk, ...] = ()
    user_modified: bool = False
    replace_all: bool = False
    git_diff: GitDiff | None = None
    snippet: NumberedText | None = None


def read_text(arguments: EditInput, text: str) -> EditResult | None:
    """Read the confirmation, and the snippet that older clients put below it."""
    if not (text.startswith("The file ") and " has been updated" in text):
        return None
    _, _, below = text.partition("snippet of the edited file:\n")
    return EditResult(
        arguments.file_path,
        arguments.old_string,
        arguments.new_string,
        replace_all=arguments.replace_all,
        snippet=read_numbered(below),
    )


EDIT: Final = Tool(names=("Edit",), input=EditInput, result=EditResult, read_text=read_text)

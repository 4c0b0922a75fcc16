"""LS: the files of a folder, as a tree of text."""

from typing import Final

import msgspec

from clew.tools.tool import Tool


class LsInput(msgspec.Struct, frozen=True):
    """Which folder, and the patterns to leave out."""

    path: str
    ignore: tuple[str, ...] | str = ()


class LsResult(msgspec.Struct, frozen=True):
    """The tree, one name a line, indented by depth."""

    listing: str


def read_text(_arguments: object, text: str) -> LsResult:
    """Take the tree without the note to the model below it."""
    return LsResult(text.partition("\n\nNOTE: ")[0])


LS: Final = Tool(
    names=("LS",), input=LsInput, result=LsResult, read_text=read_text, answers_in_text=True
)

"""LS: the files of a folder, as a tree of text."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Part
from clew.tools.paths import short_path
from clew.tools.pieces import options, output
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


def parts(_asked: object, result: LsResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the tree as it was printed."""
    yield from options(call)
    if result is not None:
        yield from output(result.listing)


LS: Final = Tool(
    names=("LS",),
    input=LsInput,
    result=LsResult,
    label=lambda asked, cwd: short_path(asked.path, cwd),
    parts=parts,
    read_text=read_text,
)

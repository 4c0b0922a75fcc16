"""Glob: files by a pattern of their names."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Listing, Note, Part
from clew.tools.paths import searched, searched_folder
from clew.tools.pieces import options
from clew.tools.tool import Number, Tool

_CUT: Final = "(Results are truncated"


class GlobInput(msgspec.Struct, frozen=True):
    """Which pattern, below which folder."""

    pattern: str
    path: str = ""


class GlobResult(msgspec.Struct, frozen=True, rename="camel"):
    """The files found; `total_matches` counts them before the cut, where it is known."""

    filenames: tuple[str, ...]
    num_files: Number | None = None
    truncated: bool = False
    duration_ms: Number | None = None
    total_matches: Number | None = None
    count_is_complete: bool | None = None


def read_text(_arguments: object, text: str) -> GlobResult:
    """Read one file a line."""
    if text.startswith("No files found"):
        return GlobResult((), 0)
    lines = [line for line in text.split("\n") if line]
    names = tuple(line for line in lines if not line.startswith(_CUT))
    return GlobResult(names, len(names), truncated=len(names) < len(lines))


def label(glob: GlobInput, cwd: str) -> str:
    """Tell the pattern, and where it is looked for."""
    return searched(glob.pattern, searched_folder(glob.path, cwd))


def parts(_glob: object, result: GlobResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the files, and how many there are."""
    yield from options(call)
    if result is None:
        return
    total = result.total_matches or result.num_files
    if result.filenames:
        yield Listing(result.filenames, len(result.filenames) if total is None else int(total))
    else:
        yield Note("No files found")
    if result.truncated:
        yield Note("Results are truncated", "warn")


GLOB: Final = Tool(
    names=("Glob",),
    input=GlobInput,
    result=GlobResult,
    label=label,
    parts=parts,
    read_text=read_text,
)

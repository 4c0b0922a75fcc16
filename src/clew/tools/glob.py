"""Glob: files by a pattern of their names."""

from typing import Final

import msgspec

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


GLOB: Final = Tool(names=("Glob",), input=GlobInput, result=GlobResult, read_text=read_text)

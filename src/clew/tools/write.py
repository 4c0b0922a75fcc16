"""Write: a whole file, new or replaced."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Code, Diff, Part
from clew.tools.diffs import diff_of_hunks, diff_of_texts
from clew.tools.patch import GitDiff, Hunk
from clew.tools.paths import language_of, short_path
from clew.tools.pieces import note, options
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


def write_diff(result: WriteResult) -> Diff | None:
    """Give what a write changed, or None where nobody kept what the file held before."""
    path = result.file_path
    if result.structured_patch:
        return diff_of_hunks(path, result.structured_patch)
    if result.type == "create":
        return diff_of_texts(path, "", result.content, 1)
    if result.original_file is not None:
        return diff_of_texts(path, result.original_file, result.content, 1)
    return None


def parts(write: WriteInput, result: WriteResult | None, call: ToolCall) -> Iterator[Part]:
    """Show a new file whole, and of a replaced one the diff."""
    yield from options(call, "file_path", "content")
    diff = None if result is None or result.type == "create" else write_diff(result)
    if diff is None:
        content = write.content if result is None else result.content
        yield Code(content, language_of(write.file_path), write.file_path, 1)
        yield from note("empty file", when=not content)
    else:
        yield diff
        yield from note("nothing changed", when=not diff.hunks)
    if result is not None:
        yield from note(
            "the user changed the text before it was written", when=result.user_modified
        )


WRITE: Final = Tool(
    names=("Write",),
    input=WriteInput,
    result=WriteResult,
    label=lambda write, cwd: short_path(write.file_path, cwd),
    parts=parts,
    read_text=read_text,
)

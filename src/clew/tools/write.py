"""Write: a whole file, new or replaced."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Code, Diff, Part
from clew.tools.diffs import diff_of_files, diff_of_hunks
from clew.tools.patch import GitDiff, Hunk
from clew.tools.paths import language_of, short_path
from clew.tools.pieces import note, options
from clew.tools.tool import Tool

_INDENTS: Final = ("\t", "  ")


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
    """Give what a write changed, or None where nothing says what the file contained before."""
    path, content = result.file_path, result.content
    if result.type == "create":
        return diff_of_files(path, "", content)
    if result.original_file is not None:
        return diff_of_files(path, result.original_file, content)
    if not result.structured_patch:
        return None
    diff = diff_of_hunks(path, result.structured_patch, "", content)
    # A line that was indented by tabs and now is by blanks is in no hunk that a client recorded.
    is_lower_bound = content.startswith(_INDENTS) or any(f"\n{i}" in content for i in _INDENTS)
    return msgspec.structs.replace(diff, is_lower_bound=is_lower_bound)


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

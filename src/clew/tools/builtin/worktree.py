"""EnterWorktree and ExitWorktree: work in another checkout of the repository."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Part
from clew.tools.display import fields, input_fields, short_path, words
from clew.tools.tool import Number, Tool

_ENTERED: Final = re.compile(
    r"[^\n]{0,60}?worktree at ([^\n]{1,4000}?)(?: on branch ([^\s]{1,400}?))?\.(?:\s|$)"
)
_EXITED: Final = re.compile(
    r"Exited[^\n]{0,200}? at ([^\n]{1,4000}?)(?: on branch ([^\s]{1,400}?))?\. "
)
_BACK: Final = re.compile(r"Session is now back in ([^\n]{1,4000}?)\.?(?:\n|$)")


class EnterWorktreeInput(msgspec.Struct, frozen=True):
    """A new worktree by name, or one that exists by path."""

    name: str = ""
    path: str = ""


class EnterWorktreeResult(msgspec.Struct, frozen=True, rename="camel"):
    """Where the session works from here on."""

    worktree_path: str
    worktree_branch: str = ""
    message: str = ""


class ExitWorktreeInput(msgspec.Struct, frozen=True):
    """Whether to keep the worktree or remove it."""

    action: str
    discard_changes: bool = False


class ExitWorktreeResult(msgspec.Struct, frozen=True, rename="camel"):
    """The worktree, and where the session works from here on."""

    action: str
    original_cwd: str = ""
    worktree_path: str = ""
    worktree_branch: str = ""
    tmux_session_name: str = ""
    discarded_files: Number | None = None
    discarded_commits: Number | None = None
    message: str = ""


def _read_entered(_arguments: object, text: str) -> EnterWorktreeResult | None:
    """Read path and branch."""
    match = _ENTERED.match(text)
    return None if match is None else EnterWorktreeResult(match[1], match[2] or "", text)


def _read_exited(arguments: ExitWorktreeInput, text: str) -> ExitWorktreeResult | None:
    """Read the path of the worktree, and the folder of the session."""
    if not text.startswith("Exited"):
        return None
    left, back = _EXITED.match(text), _BACK.search(text, 0, 16384)
    return ExitWorktreeResult(
        arguments.action,
        "" if back is None else back[1],
        "" if left is None else left[1],
        "" if left is None else left[2] or "",
        message=text,
    )


def _enter_parts(
    _arguments: object, result: EnterWorktreeResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from input_fields(call)
    if result is not None:
        yield from fields(("Worktree", result.worktree_path), ("Branch", result.worktree_branch))
        yield from words(result.message)


def _exit_parts(
    _arguments: object, result: ExitWorktreeResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from input_fields(call)
    if result is None:
        return
    yield from fields(
        ("Worktree", result.worktree_path),
        ("Branch", result.worktree_branch),
        ("Working directory", result.original_cwd),
        ("Terminal", result.tmux_session_name),
        ("Discarded files", result.discarded_files),
        ("Discarded commits", result.discarded_commits),
    )
    yield from words(result.message)


ENTER_WORKTREE: Final = Tool(
    names=("EnterWorktree",),
    input=EnterWorktreeInput,
    result=EnterWorktreeResult,
    label=lambda worktree, cwd: worktree.name or short_path(worktree.path, cwd),
    parts=_enter_parts,
    read_text=_read_entered,
)


EXIT_WORKTREE: Final = Tool(
    names=("ExitWorktree",),
    input=ExitWorktreeInput,
    result=ExitWorktreeResult,
    label=lambda worktree, _: worktree.action,
    parts=_exit_parts,
    read_text=_read_exited,
)

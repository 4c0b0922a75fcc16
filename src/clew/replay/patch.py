"""Changes → a patch that `git apply` takes."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.parts import DiffHunk
from clew.replay.changes import NetChange
from clew.replay.model import FileState
from clew.tools import diff_of_files, short_path

_NOWHERE: Final = "/dev/null"
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_MODE: Final = "100644"
_REFUSED: Final = frozenset((".git", ".."))


class Patch(msgspec.Struct, frozen=True):
    """A patch, the files in it, and those that it leaves out, each with the reason."""

    text: str
    files: tuple[NetChange, ...] = ()
    left_out: tuple[tuple[NetChange, str], ...] = ()


def make_patch(files: Iterable[NetChange], folder: str, *, reverse: bool = False) -> Patch:
    """Make the patch of changes, with paths relative to a folder.

    Args:
        files: What changed.
        folder: The folder in which the patch will be applied.
        reverse: Make the patch that takes the changes back.
    """
    texts: list[str] = []
    taken: list[NetChange] = []
    left_out: list[tuple[NetChange, str]] = []
    for file in files:
        if file.action == "none" and file.has_diff:
            continue
        below = short_path(file.path, folder)
        name = _with_slashes(below, file.path)
        if not file.has_diff:
            left_out.append((file, file.reason))
        elif below == file.path and _is_absolute(below):
            left_out.append((file, f"outside of {folder}"))
        elif not _REFUSED.isdisjoint(name.lower().split("/")):
            left_out.append((file, "git applies no patch to such a path"))
        else:
            old, new = (file.end, file.base) if reverse else (file.base, file.end)
            texts.append(file_patch(name, old, new))
            taken.append(file)
    return Patch("".join(texts), tuple(taken), tuple(left_out))


def _with_slashes(name: str, path: str) -> str:
    """Write the separators of a path of Windows as git does; elsewhere, they are letters."""
    is_windows = path[1:2] == ":" or path.startswith("\\")
    return name.replace("\\", "/") if is_windows else name


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "\\", "~")) or path[1:2] == ":"


def file_patch(name: str, old: FileState, new: FileState) -> str:
    """Make the patch that turns one known state of a file into another; empty if nothing differs.

    Args:
        name: The path in the patch, relative and with slashes.
        old: The file before.
        new: The file after.
    """
    is_same = (old.text or "", old.exists is False) == (new.text or "", new.exists is False)
    return "" if is_same else "".join(_patch_lines(name, old, new))


def _patch_lines(name: str, old: FileState, new: FileState) -> Iterator[str]:
    before, after = _quoted(f"a/{name}"), _quoted(f"b/{name}")
    yield f"diff --git {before} {after}\n"
    if old.exists is False:
        yield f"new file mode {_MODE}\n"
    elif new.exists is False:
        yield f"deleted file mode {_MODE}\n"
    hunks = diff_of_files(name, old.text or "", new.text or "").hunks
    if not hunks:
        # An empty file has no hunks: git tells it by its hash.
        yield "index 0000000..e69de29\n" if old.exists is False else "index e69de29..0000000\n"
        return
    yield f"--- {_NOWHERE if old.exists is False else _with_tab(before)}\n"
    yield f"+++ {_NOWHERE if new.exists is False else _with_tab(after)}\n"
    for hunk in hunks:
        yield _hunk_text(hunk)


def _hunk_text(hunk: DiffHunk) -> str:
    old = sum(line[:1] in (" ", "-") for line in hunk.lines)
    new = sum(line[:1] in (" ", "+") for line in hunk.lines)
    old_start = (hunk.old_start or 1) - (old == 0)
    new_start = (hunk.new_start or 1) - (new == 0)
    lines = "\n".join(hunk.lines)
    return f"@@ -{old_start},{old} +{new_start},{new} @@\n{lines}\n"


def _with_tab(name: str) -> str:
    """Mark the end of a name with spaces in it, as git does."""
    return f"{name}\t" if " " in name and not name.startswith('"') else name


def _quoted(name: str) -> str:
    """Write a name as git does, with quotes where characters in it would end it."""
    if not any(
        character in _ESCAPES or character < " " or character == "\x7f" for character in name
    ):
        return name
    letters = (
        _ESCAPES.get(c) or (f"\\{ord(c):03o}" if c < " " or c == "\x7f" else c) for c in name
    )
    return f'"{"".join(letters)}"'

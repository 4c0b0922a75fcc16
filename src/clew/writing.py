"""Atomic file writes that never follow a symbolic link below the target folder."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from clew.errors import ClewError

_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL
# Windows opens no link by these flags anyway, and needs one of its own for bytes.
_NO_LINKS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class LinkInTargetError(ClewError):
    """A folder to write to is a symbolic link, which may lead anywhere."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is a symbolic link and is not followed; remove it, or use another directory"
        )
        self.path = path


@contextmanager
def whole_file(
    path: Path, below: Path, *, mode: int = 0o666, folder_mode: int = 0o777
) -> Iterator[BinaryIO]:
    """Open a stream to write to; the file appears when all of it was written.

    It is written to a temporary file beside it and renamed, so an existing link is replaced and not
    followed.

    Args:
        path: Where the file goes.
        below: The target folder; it may be a link itself, and is created if missing.
        mode: The permissions of the file, before the umask.
        folder_mode: The permissions of new folders.

    Raises:
        LinkInTargetError: A folder between `below` and the file is a link.
    """
    make_folders(path.parent, below, folder_mode)
    part = path.with_name(f".clew-{secrets.token_hex(8)}.part")
    try:
        with os.fdopen(os.open(part, _FLAGS | _NO_LINKS, mode), "wb") as stream:
            yield stream
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def make_folders(folder: Path, below: Path, mode: int = 0o777) -> None:
    """Create a folder and its parents, of which none below `below` may be a link."""
    below.mkdir(parents=True, exist_ok=True, mode=mode)
    for each in reversed([folder, *folder.parents]):
        if each != below and each.is_relative_to(below):
            each.mkdir(exist_ok=True, mode=mode)
            if stat.S_ISLNK(each.lstat().st_mode):
                raise LinkInTargetError(each)

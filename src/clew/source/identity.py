"""Know a file again after it grew, was rewritten or moved."""

import hashlib
import os
from pathlib import Path
from typing import Final

import msgspec

from clew.source.files import SourceFile
from clew.source.regular_files import open_regular

_HEAD_SIZE: Final = 4096


class Identity(msgspec.Struct, frozen=True):
    """What distinguishes one file from another, and a grown file from a rewritten one.

    `head_hash` is over the first `head_size` bytes, fewer than 4,096 when the file is shorter.
    """

    path: Path
    device: int
    inode: int
    size: int
    mtime_ns: int
    head_size: int
    head_hash: str


def identity(file: SourceFile | Path, *, head_size: int = _HEAD_SIZE) -> Identity:
    """Open a file and return its identity as of now.

    With the `head_size` of an earlier identity, an equal `head_hash` means that the file still
    begins as it did, however much it has grown.
    """
    path = file.path if isinstance(file, SourceFile) else file
    with open_regular(path) as stream:
        status = os.fstat(stream.fileno())
        head = stream.read(head_size)
    return Identity(
        path=path,
        device=status.st_dev,
        inode=status.st_ino,
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        head_size=len(head),
        head_hash=hashlib.blake2b(head, digest_size=32).hexdigest(),
    )

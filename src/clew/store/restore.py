"""Kept bytes → files: as they were, below a folder, never over what stands there."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from clew.errors import ClewError
from clew.source import to_name
from clew.store.kept import Kept
from clew.store.reader import Reader


class FileExistsHereError(ClewError):
    """A file stands where one is to be written."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is there already; name a new folder, or write over it with --overwrite"
        )
        self.path = path


class Restored(msgspec.Struct, frozen=True):
    """A file that was written."""

    path: Path
    size_bytes: int


class _Order(msgspec.Struct, frozen=True):
    """A generation of a kept file, and where it goes."""

    file: Kept
    generation: int
    path: Path


def restore(
    reader: Reader, files: Iterable[Kept], folder: Path, *, overwrite: bool, earlier: bool
) -> Iterator[Restored]:
    """Write kept files below a folder, with their times; give each as it is done.

    Nothing is written when any of them would come over a file that is there.

    Args:
        reader: The archive.
        files: What to write.
        folder: Where to; it is made when it is not there.
        overwrite: Write over files that are there.
        earlier: Also write earlier versions of rewritten files, as `NAME.g1`.

    Raises:
        FileExistsHereError: A file stands there, and overwriting was not asked for.
        DamagedBlobError: A kept file does not hold what was put into it.
    """
    orders = list(_orders(reader, list(files), folder, earlier=earlier))
    if not overwrite:
        for order in orders:
            if os.path.lexists(order.path):
                raise FileExistsHereError(order.path)
    for order in orders:
        yield Restored(order.path, _write(order, reader))


def _orders(reader: Reader, files: list[Kept], folder: Path, *, earlier: bool) -> Iterator[_Order]:
    places = _places(folder, {file.root for file in files})
    for file in files:
        path = places[file.root].joinpath(*to_name(file.path).split("/"))
        if earlier:
            for generation in reader.generations(file):
                if generation != file.generation:
                    yield _Order(file, generation, path.with_name(f"{path.name}.g{generation}"))
        yield _Order(file, file.generation, path)


def _places(folder: Path, roots: set[str]) -> dict[str, Path]:
    """Give each root a folder of its own when there are several, told apart by a hash."""
    if len(roots) == 1:
        return dict.fromkeys(roots, folder)
    names = {root: Path(to_name(root)).name.lstrip(".") or "root" for root in roots}
    shared = {name for name in names.values() if list(names.values()).count(name) > 1}
    return {
        root: folder / (f"{name}-{_digest(root)}" if name in shared else name)
        for root, name in names.items()
    }


def _digest(root: str) -> str:
    return hashlib.blake2b(root.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()


def _write(order: _Order, reader: Reader) -> int:
    """Write a file beside its place, and move it there when it is whole."""
    order.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = order.path.with_name(f".{order.path.name[:40]}.{os.getpid()}.part")
    size = 0
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            for piece in reader.content(order.file, order.generation):
                size += stream.write(piece)
        if order.generation == order.file.generation:
            os.utime(part, ns=(order.file.mtime_ns, order.file.mtime_ns))
        part.replace(order.path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return size

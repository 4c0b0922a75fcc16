"""Archived bytes → files below a folder, as they were, never over files that exist."""

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from clew.errors import ClewError
from clew.source import to_name
from clew.store.archived_files import ArchivedFile
from clew.store.blobs import DamagedBlobError
from clew.store.damage import load_damage
from clew.store.reader import ArchiveReader
from clew.writing import whole_file

# Nothing else will go better either.
_FATAL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


class FileExistsHereError(ClewError):
    """A file to be written already exists."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} already exists; use another directory, or --overwrite")
        self.path = path


class RestoredFile(msgspec.Struct, frozen=True):
    """A file that was written, or one that could not be, with the reason."""

    path: Path
    size_bytes: int
    fault: str = ""


class _RestoreTask(msgspec.Struct, frozen=True):
    """A generation of an archived file, and its target."""

    file: ArchivedFile
    generation: int
    path: Path


def restore(
    reader: ArchiveReader,
    files: Iterable[ArchivedFile],
    folder: Path,
    *,
    overwrite: bool,
    earlier: bool,
) -> Iterator[RestoredFile]:
    """Write archived files below a folder, with their times; return each as it is done.

    Nothing is written when any of them would come over a file that is there. A file that is damaged
    or cannot be written is given with its fault, and the others are restored.

    Args:
        reader: The archive.
        files: What to write.
        folder: Where to; it is made when it is not there.
        overwrite: Write over files that are there.
        earlier: Also write earlier versions of rewritten files, as `NAME.g1`.

    Raises:
        FileExistsHereError: A file stands there, and overwriting was not asked for.
        LinkInTargetError: A folder to write in is a link.
        OSError: The disk is full, or takes nothing.
    """
    tasks = list(_restore_tasks(reader, list(files), folder, earlier=earlier))
    if not overwrite:
        for task in tasks:
            if _is_there(task.path):
                raise FileExistsHereError(task.path)
    damage = load_damage(reader.database)
    ahead = reader.read_ahead(task.file for task in tasks)
    for task, _ in zip(tasks, ahead, strict=True):
        known = damage.get((task.file.id, task.generation))
        if known is not None and known.is_incomplete:
            error = DamagedBlobError(task.file.blob_of(task.generation), known.reason)
            yield RestoredFile(task.path, 0, str(error))
        else:
            yield _restore_one(task, reader, folder)


def _restore_one(task: _RestoreTask, reader: ArchiveReader, folder: Path) -> RestoredFile:
    try:
        return RestoredFile(task.path, _write(task, reader, folder))
    except DamagedBlobError as error:
        return RestoredFile(task.path, 0, str(error))
    except OSError as error:
        if error.errno in _FATAL:
            raise
        return RestoredFile(task.path, 0, f"cannot be written: {error.strerror or error}")
    except (ValueError, OverflowError) as error:
        return RestoredFile(task.path, 0, f"cannot be written: {error}")


def _restore_tasks(
    reader: ArchiveReader, files: list[ArchivedFile], folder: Path, *, earlier: bool
) -> Iterator[_RestoreTask]:
    places = _places(folder, {file.root for file in files})
    paths = {file.id: places[file.root].joinpath(*to_name(file.path).split("/")) for file in files}
    taken = set(paths.values())
    for file in files:
        path = paths[file.id]
        for generation in reader.all_generations(file) if earlier else ():
            if generation != file.generation:
                beside = _free_path(path, f".g{generation}", taken)
                taken.add(beside)
                yield _RestoreTask(file, generation, beside)
        yield _RestoreTask(file, file.generation, path)


def _free_path(path: Path, suffix: str, taken: set[Path]) -> Path:
    """Return a path with a suffix that no other file has."""
    path = path.with_name(f"{path.name}{suffix}")
    return _free_path(path, suffix, taken) if path in taken else path


def _is_there(path: Path) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False


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


def _write(task: _RestoreTask, reader: ArchiveReader, folder: Path) -> int:
    """Write a file beside its place, and move it there when it is whole."""
    if ".." in task.file.path.split("/"):
        raise ValueError("its path is outside the directory")
    size = 0
    with whole_file(task.path, folder, mode=0o600, folder_mode=0o700) as stream:
        for piece in reader.read_file(task.file, task.generation):
            size += stream.write(piece)
        if task.generation == task.file.generation:
            stream.flush()
            os.utime(stream.name, ns=(task.file.mtime_ns, task.file.mtime_ns))
    return size

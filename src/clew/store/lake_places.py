"""Where a Parquet data set is: files below a folder, or objects below a prefix of a bucket."""

import datetime as dt
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from clew.writing import whole_file

if TYPE_CHECKING:
    from clew.store.s3 import Bucket

_S3: Final = "s3://"


class LakePlace(Protocol):
    """Files by their paths, each of which is there as a whole or not at all."""

    def read(self, path: str) -> bytes | None:
        """Return a file, if it exists."""

    def write(self, path: str, data: bytes) -> None:
        """Write a file, over one that exists."""

    def delete(self, paths: Iterable[str]) -> None:
        """Delete files; those that do not exist do not matter."""

    def files(self) -> Iterator[tuple[str, dt.datetime]]:
        """List all files, and when each was written."""


class FolderPlace:
    """Files below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, path: str) -> bytes | None:
        """Return a file, if it exists."""
        try:
            return (self.folder / path).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, path: str, data: bytes) -> None:
        """Write a file, over one that exists."""
        with whole_file(self.folder / path, self.folder) as stream:
            stream.write(data)

    def delete(self, paths: Iterable[str]) -> None:
        """Delete files, and folders that are empty then."""
        for path in paths:
            file = self.folder / path
            file.unlink(missing_ok=True)
            with suppress(OSError):
                for parent in list(file.parents)[: path.count("/")]:
                    parent.rmdir()

    def files(self) -> Iterator[tuple[str, dt.datetime]]:
        """List all files, and when each was written."""
        for path in self.folder.rglob("*"):
            if path.is_file():
                written = dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC)
                yield path.relative_to(self.folder).as_posix(), written


class BucketPlace:
    """Objects below a prefix of a bucket."""

    def __init__(self, bucket: "Bucket") -> None:
        self.bucket = bucket

    def read(self, path: str) -> bytes | None:
        """Return an object, if it exists."""
        from clew.store.s3 import ObjectMissingError  # noqa: PLC0415 (may not be installed)

        try:
            return self.bucket.get(path)
        except ObjectMissingError:
            return None

    def write(self, path: str, data: bytes) -> None:
        """Write an object, over one that exists."""
        self.bucket.put(path, data)

    def delete(self, paths: Iterable[str]) -> None:
        """Delete objects."""
        self.bucket.delete(paths)

    def files(self) -> Iterator[tuple[str, dt.datetime]]:
        """List all objects, and when each was written."""
        return ((each.key, each.modified) for each in self.bucket.objects())


def open_place(address: str) -> LakePlace:
    """Open a place: `s3://bucket/prefix`, or the path of a folder.

    Raises:
        BadAddressError: It is no address of a bucket.
    """
    if not address.startswith(_S3):
        return FolderPlace(Path(address))
    from clew.store.s3 import open_bucket  # noqa: PLC0415 (may not be installed)

    return BucketPlace(open_bucket(address))

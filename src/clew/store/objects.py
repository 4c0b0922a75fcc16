"""Objects under keys, in a folder or a bucket: what is not archived with a file yet, or any longer.

A key is written once. Blobs, which have frames and can grow, are made of the same in
`clew.store.blobs` and `clew.store.s3`.
"""

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol

from clew.store.open_blobs import UnknownAddressError

_S3: Final = "s3://"


class NoSuchObjectError(Exception):
    """There is no object of that key."""


class Objects(Protocol):
    """Bytes under keys such as `pushed/7/ab12`."""

    def put(self, key: str, data: bytes) -> None:
        """Write an object, so that it stays whatever happens afterwards."""

    def get(self, key: str) -> bytes:
        """Return an object.

        Raises:
            NoSuchObjectError: There is none.
        """

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects; those that are not there do not matter."""

    def keys(self, prefix: str) -> Iterator[str]:
        """List the keys below a prefix, which ends with a slash."""


class FolderObjects:
    """Objects as files below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, key: str, data: bytes) -> None:
        """Write an object beside its place, and move it there once it is on the disk."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = path.with_name(f".{secrets.token_hex(8)}.part")
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def get(self, key: str) -> bytes:
        """Return an object.

        Raises:
            NoSuchObjectError: There is none.
        """
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError as error:
            raise NoSuchObjectError(key) from error

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects; those that are not there do not matter."""
        for key in keys:
            with contextlib.suppress(FileNotFoundError):
                self._path(key).unlink()

    def keys(self, prefix: str) -> Iterator[str]:
        """List the keys below a prefix, which ends with a slash."""
        for place, _, names in os.walk(self._path(prefix.rstrip("/"))):
            for name in sorted(names):
                if not name.endswith(".part"):
                    yield Path(place, name).relative_to(self.folder).as_posix()

    def _path(self, key: str) -> Path:
        parts = key.split("/")
        if not all(parts) or any(part in {".", ".."} or "\0" in part for part in parts):
            raise ValueError(f"not a key: {key!r}")
        return self.folder.joinpath(*parts)


class BucketObjects:
    """Objects below a prefix of a bucket."""

    def __init__(self, address: str) -> None:
        from clew.store.s3 import open_bucket  # noqa: PLC0415 (may not be installed)

        self._bucket = open_bucket(address)

    def put(self, key: str, data: bytes) -> None:
        """Write an object."""
        self._bucket.put(key, data)

    def get(self, key: str) -> bytes:
        """Return an object.

        Raises:
            NoSuchObjectError: There is none.
        """
        from clew.store.s3.errors import ObjectMissingError  # noqa: PLC0415

        try:
            return self._bucket.get(key)
        except ObjectMissingError as error:
            raise NoSuchObjectError(key) from error

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects; those that are not there do not matter."""
        self._bucket.delete(keys)

    def keys(self, prefix: str) -> Iterator[str]:
        """List the keys below a prefix, which ends with a slash."""
        return (found.key for found in self._bucket.objects(prefix.rstrip("/")))


def open_objects(address: str) -> Objects:
    """Open the objects at `s3://bucket/prefix`, or in a folder.

    Raises:
        UnknownAddressError: The address is neither.
    """
    if address.startswith(_S3):
        return BucketObjects(address)
    if "://" in address:
        raise UnknownAddressError(address)
    return FolderObjects(Path(address))

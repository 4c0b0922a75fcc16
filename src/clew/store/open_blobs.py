"""The address of blobs → the blobs: a folder, or a prefix of a bucket.

Addresses are text, so that another process can be told one; each process connects once.
"""

from pathlib import Path
from typing import Final

from clew.errors import UsageError
from clew.store.blobs import FolderBlobs
from clew.store.protocols import Blobs

_S3: Final = "s3://"


class UnknownAddressError(UsageError):
    """An address has a scheme that blobs cannot be in."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"{address!r} is not an address for blobs; use a directory or s3://bucket/prefix"
        )


def open_blobs(address: str) -> Blobs:
    """Open blobs: `s3://bucket/prefix`, or the path of a folder.

    Raises:
        UnknownAddressError: The address is neither.
    """
    if address.startswith(_S3):
        from clew.store.s3 import S3Blobs, open_bucket  # noqa: PLC0415 (may not be installed)

        return S3Blobs(open_bucket(address))
    if "://" in address:
        raise UnknownAddressError(address)
    return FolderBlobs(Path(address))


def is_bucket(address: str) -> bool:
    """Tell whether an address is that of a bucket."""
    return address.startswith(_S3)


def address_below(address: str, folder: str) -> str:
    """Return the address of a folder below that of blobs, which may have options."""
    place, mark, options = address.partition("?") if address.startswith(_S3) else (address, "", "")
    if place == _S3:
        # Whoever opens it says what is missing.
        return address
    return f"{place.rstrip('/')}/{folder}{mark}{options}"

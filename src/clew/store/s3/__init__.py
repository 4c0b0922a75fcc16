"""Blobs on S3, and on everything that speaks its protocol.

Only this package knows the library that speaks it.
"""

from clew.store.s3.address import BadAddressError
from clew.store.s3.blobs import S3Blobs
from clew.store.s3.bucket import Bucket, open_bucket
from clew.store.s3.errors import (
    BucketMissingError,
    ObjectMissingError,
    S3LibraryMissingError,
    StorageDeniedError,
    StorageError,
    StorageUnavailableError,
)

__all__ = [
    "BadAddressError",
    "Bucket",
    "BucketMissingError",
    "ObjectMissingError",
    "S3Blobs",
    "S3LibraryMissingError",
    "StorageDeniedError",
    "StorageError",
    "StorageUnavailableError",
    "open_bucket",
]

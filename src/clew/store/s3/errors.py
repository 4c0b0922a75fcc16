"""Errors of an object store, each with what to do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from clew.errors import ClewError
from clew.store.errors import ArchiveUnavailableError
from clew.store.s3.address import S3Address

_CODE: Final = re.compile(r"<Code>(\w+)</Code>").search
_STATUS: Final = re.compile(r"status code: (\d+ [\w ]+)").search
_WRONG_KEYS: Final = frozenset(
    {"ExpiredToken", "InvalidAccessKeyId", "InvalidToken", "SignatureDoesNotMatch"}
)
_WRONG_REGION: Final = frozenset(
    {"AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "PermanentRedirect"}
)
# Where a machine of a cloud asks for its keys, after no others were found.
_INSTANCE_KEYS: Final = "169.254.169.254"
_NO_RANGE: Final = "non-partial response"


class S3LibraryMissingError(ClewError):
    """The library that speaks the protocol of S3 is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "addresses that begin with s3:// require obstore; install it with "
            "`uv sync --extra team` or `pip install 'clew[team]'`"
        )


class StorageError(ArchiveUnavailableError):
    """An object store failed, or refused."""


class StorageUnavailableError(StorageError):
    """An object store does not answer, or not as it should."""

    def __init__(self, address: S3Address, reason: str) -> None:
        super().__init__(
            f"{address} cannot be reached ({reason}); check the network, AWS_ENDPOINT_URL and "
            "AWS_REGION, then run this again: nothing that was archived is lost"
        )


class StorageDeniedError(StorageError):
    """An object store refuses the keys, or what they ask for."""

    def __init__(self, address: S3Address, reason: str) -> None:
        do = (
            "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN"
            if reason in _WRONG_KEYS
            else "allow these keys to list, read, write and delete objects there"
        )
        super().__init__(f"access to {address} is denied ({reason}); {do}")


class CredentialsMissingError(StorageError):
    """There are no keys for an object store."""

    def __init__(self, address: S3Address) -> None:
        super().__init__(
            f"no credentials for {address}; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
            "AWS_PROFILE"
        )


class BucketMissingError(StorageError):
    """There is no such bucket."""

    def __init__(self, address: S3Address) -> None:
        super().__init__(
            f"there is no bucket {address.bucket!r} for {address}; create it, or correct the "
            "address, AWS_ENDPOINT_URL or AWS_REGION"
        )


class ObjectMissingError(Exception):
    """There is no such object; whoever wanted it says what that means."""


class RangeIgnoredError(Exception):
    """An object store sends whole objects only."""


@contextmanager
def translate_storage_errors(address: S3Address) -> Iterator[None]:
    """Turn the errors of the library into ours, which say what to do."""
    from obstore.exceptions import BaseError  # noqa: PLC0415 (may not be installed)

    try:
        yield
    except (BaseError, FileNotFoundError) as error:
        raise _translated(address, error) from error


def _translated(address: S3Address, error: Exception) -> Exception:
    text = str(error)
    code = found[1] if (found := _CODE(text)) else ""
    if code == "NoSuchBucket":
        return BucketMissingError(address)
    if isinstance(error, FileNotFoundError):
        return ObjectMissingError(text)
    if _NO_RANGE in text:
        return RangeIgnoredError(text)
    if _INSTANCE_KEYS in text:
        return CredentialsMissingError(address)
    status = found[1] if (found := _STATUS(text)) else ""
    if status[:3] in ("401", "403"):
        return StorageDeniedError(address, code or status)
    if code in _WRONG_REGION or "configured region" in text:
        return StorageUnavailableError(address, "it is in another region")
    return StorageUnavailableError(address, code or status or _last_cause(text))


def _last_cause(text: str) -> str:
    """Return what the library says at the end of its first line."""
    return text.splitlines()[0].rpartition(" - ")[2] if text else "no reason given"

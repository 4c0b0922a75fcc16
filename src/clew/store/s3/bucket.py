"""A prefix of a bucket: put, get, list and delete objects, with our errors.

Nothing here needs conditions on a put; a range is asked for, and the whole object taken where a
server sends that instead.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from clew.store.s3.address import S3Address, parse_address
from clew.store.s3.credentials import has_credentials, read_profile
from clew.store.s3.errors import (
    CredentialsMissingError,
    RangeIgnoredError,
    S3LibraryMissingError,
    translate_storage_errors,
)
from clew.store.s3.frame_cache import FrameCache

if TYPE_CHECKING:
    from obstore.store import S3Store

_CHUNK_BYTES: Final = 8 << 20
_STREAM_BYTES: Final = 1 << 20
_PAGE: Final = 1000
_ENDPOINTS: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
_RETRY_SECONDS: Final = 60
# Some hundred megabytes of transcripts: the sessions that somebody reads at the moment.
_CACHED_BYTES: Final = 32 << 20


class ListedObject(msgspec.Struct, frozen=True):
    """What a listing says about an object."""

    key: str
    size: int
    modified: datetime


class Bucket:
    """The objects below a prefix. Any thread may use it.

    The cache is for whoever reads objects that never change.
    """

    def __init__(self, address: S3Address) -> None:
        self.address = address
        self.cache = FrameCache(_CACHED_BYTES)
        self._store = _connect(address)

    def put(self, key: str, data: bytes, attributes: dict[str, str] | None = None) -> None:
        """Write an object, which exists as a whole or not at all."""
        import obstore  # noqa: PLC0415 (may not be installed)

        with translate_storage_errors(self.address):
            obstore.put(self._store, key, data, attributes=attributes, use_multipart=False)

    def put_large(
        self, key: str, pieces: Iterable[bytes], attributes: dict[str, str] | None = None
    ) -> None:
        """Write an object from pieces, of which few are in memory at a time."""
        import obstore  # noqa: PLC0415

        with translate_storage_errors(self.address):
            obstore.put(
                self._store,
                key,
                pieces,
                attributes=attributes,
                use_multipart=True,
                chunk_size=_CHUNK_BYTES,
                max_concurrency=4,
            )

    def get(self, key: str) -> bytes:
        """Return an object.

        Raises:
            ObjectMissingError: There is none.
        """
        import obstore  # noqa: PLC0415

        with translate_storage_errors(self.address):
            return bytes(obstore.get(self._store, key).bytes())

    def attributes(self, key: str) -> dict[str, str]:
        """Return what was written beside an object."""
        import obstore  # noqa: PLC0415

        with translate_storage_errors(self.address):
            found = obstore.get(self._store, key, options={"head": True}).attributes
        return {str(name): str(value) for name, value in found.items()}

    def stream(self, key: str, start: int) -> Iterator[bytes]:
        """Return an object from a position on, piece by piece.

        Raises:
            ObjectMissingError: There is none.
        """
        skipped = 0
        try:
            pieces = self._stream(key, start)
        except RangeIgnoredError:
            pieces, skipped = self._stream(key, 0), start
        with translate_storage_errors(self.address):
            for piece in pieces:
                data = bytes(piece)
                if len(data) > skipped:
                    yield data[skipped:]
                skipped = max(0, skipped - len(data))

    def _stream(self, key: str, start: int) -> Iterable[Any]:
        import obstore  # noqa: PLC0415

        with translate_storage_errors(self.address):
            found = obstore.get(
                self._store, key, options={"range": {"offset": start}} if start else None
            )
            return found.stream(min_chunk_size=_STREAM_BYTES)

    def objects(self, prefix: str = "") -> Iterator[ListedObject]:
        """List the objects below a folder, in the order of their keys."""
        import obstore  # noqa: PLC0415

        with translate_storage_errors(self.address):
            for page in obstore.list(self._store, prefix or None, chunk_size=_PAGE):
                for meta in page:
                    yield ListedObject(meta["path"], meta["size"], meta["last_modified"])

    def folders(self) -> list[str]:
        """List the folders directly below the prefix."""
        import obstore  # noqa: PLC0415

        with translate_storage_errors(self.address):
            found = obstore.list_with_delimiter(self._store)["common_prefixes"]
        return [str(name) for name in found]

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects; those that do not exist do not matter."""
        import obstore  # noqa: PLC0415

        with translate_storage_errors(self.address), suppress(FileNotFoundError):
            obstore.delete(self._store, list(keys))

    def sign(self, key: str, seconds: int, endpoint: str = "") -> str:
        """Return a URL by which anybody can get an object for a time.

        The name of the server is signed, too: `endpoint` is another one that it is reached by.
        """
        import obstore  # noqa: PLC0415

        with translate_storage_errors(self.address):
            store = self._store
            if endpoint:
                store = _connect(msgspec.structs.replace(self.address, endpoint=endpoint))
            return obstore.sign(store, "GET", key, timedelta(seconds=seconds))


def open_bucket(text: str) -> Bucket:
    """Open a prefix of a bucket by its address; each process opens each once.

    Raises:
        BadAddressError: It is no address of a bucket.
        S3LibraryMissingError: The library is not installed.
        CredentialsMissingError: There are no keys.
    """
    variables = tuple(
        sorted((name, value) for name, value in os.environ.items() if name.startswith("AWS_"))
    )
    return _open_bucket(text, variables, os.getpid())


@lru_cache(maxsize=8)
def _open_bucket(text: str, _variables: tuple[tuple[str, str], ...], _process: int) -> Bucket:
    return Bucket(parse_address(text))


def _connect(address: S3Address) -> "S3Store":
    """Make the client. What the address does not say, the library takes from the environment."""
    try:
        from obstore.store import S3Store  # noqa: PLC0415
    except ImportError as error:
        raise S3LibraryMissingError from error
    set_here = {
        "endpoint": address.endpoint,
        "region": address.region,
        "virtual_hosted_style_request": address.is_virtual_hosted,
    }
    config: Any = {name: value for name, value in set_here.items() if value is not None}
    # Google's servers delete one object at a time only.
    config["disable_bulk_delete"] = True
    if not has_credentials(os.environ):
        config |= _credentials(address)
    with translate_storage_errors(address):
        return S3Store(
            address.bucket,
            prefix=address.prefix or None,
            config=config,
            client_options=_client_options(address),
            retry_config={
                "max_retries": address.retries,
                "retry_timeout": timedelta(seconds=_RETRY_SECONDS),
                "backoff": {
                    "init_backoff": timedelta(milliseconds=200),
                    "max_backoff": timedelta(seconds=10),
                    "base": 2,
                },
            },
        )


def _client_options(address: S3Address) -> Any:
    """Bound how long a request takes, and how long nothing comes.

    Whoever gives an address without TLS means it.
    """
    options = {"connect_timeout": "10s", "read_timeout": "30s", "timeout": "10min"}
    is_plain = _endpoint(address).startswith("http://")
    return {**options, "allow_http": True} if is_plain else options


def _endpoint(address: S3Address) -> str:
    """Return the server's address; of AWS itself there is none."""
    endpoints = (address.endpoint, *map(os.environ.get, _ENDPOINTS))
    return next((each for each in endpoints if each), "")


def _credentials(address: S3Address) -> dict[str, str]:
    """Return the keys of a profile; without any, only a machine of AWS has keys of its own."""
    keys = read_profile(os.environ)
    if not keys and _endpoint(address):
        raise CredentialsMissingError(address)
    return keys

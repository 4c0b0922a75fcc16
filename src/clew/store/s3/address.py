"""`s3://bucket/prefix?endpoint=…` ↔ where objects are, and how to reach them."""

from typing import Final
from urllib.parse import parse_qsl, urlsplit

import msgspec

from clew.errors import UsageError

SCHEME: Final = "s3://"
_STYLES: Final = {"path": False, "virtual": True}


class BadAddressError(UsageError):
    """An address names no bucket."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text!r} is not the address of a bucket; use s3://bucket/prefix, with the options "
            "endpoint, region, style (path or virtual) and retries after a question mark"
        )


class S3Address(msgspec.Struct, frozen=True):
    """A bucket and a prefix in it; what is None here comes from the environment."""

    bucket: str
    prefix: str
    endpoint: str | None = None
    region: str | None = None
    is_virtual_hosted: bool | None = None
    retries: int = 6

    def __str__(self) -> str:  # type: ignore[explicit-override]
        """Return it as messages name it."""
        return f"{SCHEME}{self.bucket}/{self.prefix}".removesuffix("/")


def parse_address(text: str) -> S3Address:
    """Read an address.

    Raises:
        BadAddressError: It names no bucket, or has an unknown option.
    """
    parts = urlsplit(text)
    if f"{parts.scheme}://" != SCHEME or not parts.netloc or "@" in parts.netloc:
        raise BadAddressError(text)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    style = options.pop("style", None)
    retries = options.pop("retries", "6")
    address = S3Address(
        parts.netloc,
        parts.path.strip("/"),
        endpoint=options.pop("endpoint", None),
        region=options.pop("region", None),
        is_virtual_hosted=None if style is None else _STYLES.get(style),
        retries=int(retries) if retries.isdecimal() else -1,
    )
    if options or (style is not None and style not in _STYLES) or address.retries < 0:
        raise BadAddressError(text)
    return address

"""Images as data URIs: only bitmaps whose bytes are of the type they claim."""

import binascii
from typing import Final

from clew.parts import Image

_BEGINNINGS: Final = {
    "image/png": (b"\x89PNG",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
_ALSO: Final = {"image/jpg": "image/jpeg"}


def data_uri(image: Image) -> str:
    """Return an image as a data URI; empty where it cannot be shown safely."""
    media_type = _ALSO.get(image.media_type, image.media_type)
    beginnings = _BEGINNINGS.get(media_type)
    if beginnings is None or not image.data:
        return ""
    try:
        raw = binascii.a2b_base64(image.data.encode("ascii"), strict_mode=True)
    except (ValueError, UnicodeEncodeError):
        return ""
    return f"data:{media_type};base64,{image.data}" if raw.startswith(beginnings) else ""

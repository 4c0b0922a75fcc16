"""Long outputs that the client wrote to a file of their own, leaving a preview."""

import re
from typing import Final

import msgspec

_UNITS: Final = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}
_SIZE: Final = re.compile(r"(\d{1,12}(?:\.\d{1,6})?) ?([KMG]?)(?:B|bytes?)\b")
_SAVED: Final = re.compile(r"Output too large \(([^)\n]{1,40})\)\. Full output saved to: ([^\n]+)")
_TAG: Final = "<persisted-output>"
_ERROR: Final = "Error: result ("
_TOO_LONG: Final = re.compile(
    r"Error: result \([^)\n]{1,40}\) exceeds maximum allowed tokens\. "
    r"Output has been saved to ([^\n]+?)\.?(?:\n|$)"
)


class PersistedOutput(msgspec.Struct, frozen=True):
    """The file with the full output, its rounded size, and the preview in the transcript."""

    path: str
    size_bytes: int | None = None
    preview: str = ""


def find_persisted(text: str) -> PersistedOutput | None:
    """Read the note that replaces a long output; None if `text` is not one."""
    if text.startswith(_TAG):
        saved = _SAVED.search(text, 0, 8192)
        if saved is None:
            return None
        return PersistedOutput(saved[2].strip(), read_size(saved[1]), _preview(text))
    # Hardly any text is such a note, and a prefix is faster to test than a pattern.
    too_long = _TOO_LONG.match(text) if text.startswith(_ERROR) else None
    return None if too_long is None else PersistedOutput(too_long[1])


def read_size(text: str) -> int | None:
    """Read a size as people write it: `106.3KB`, `301 bytes`."""
    match = _SIZE.search(text)
    return None if match is None else round(float(match[1]) * _UNITS[match[2]])


def _preview(text: str) -> str:
    _, _, rest = text.partition("\nPreview (first ")
    _, _, preview = rest.partition("):\n")
    return preview.rstrip().removesuffix("</persisted-output>").rstrip().removesuffix("\n...")

"""How blobs are named after their sources, so that no two of them share one."""

import hashlib
import re
from functools import lru_cache
from typing import Final

# No name of a file or folder may be longer than 255 bytes, and blobs add a few to their source's.
_MOST_NAME_BYTES: Final = 240
_SHORT_BYTES: Final = 200
_DIGEST_BYTES: Final = 16
# What archives have from before digests were made longer.
_OLD_DIGEST_BYTES: Final = 4
_NUMBERED: Final = re.compile(r"(.*)\.g([0-9]+)", re.DOTALL).fullmatch
_SHORTENED: Final = re.compile(r"(.*)-(?:[0-9a-f]{8}|[0-9a-f]{32})", re.DOTALL).fullmatch


def blob_name(root: str, path: str, generation: int, blob_path: str | None = None) -> str:
    """Name a blob after its source; a rewritten file's later generations are numbered.

    So is the first one of a file that has such a number in its own name. Where a blob is not named
    after its source's own path, `blob_path` says what it is named after instead.
    """
    is_plain = generation == 1 and _NUMBERED(blob_path or path) is None
    suffix = ".zst" if is_plain else f".g{generation}.zst"
    name = blob_path or "/".join(map(_shorten_old, path.split("/")))
    return f"{root_folder(root)}/{name}{suffix}"


def choose_blob_path(path: str) -> str | None:
    """Return what to name a new file's blob after, if its own path will not do."""
    chosen = "/".join(map(_shorten, path.split("/")))
    return None if chosen == path else chosen


@lru_cache(maxsize=64)
def root_folder(root: str) -> str:
    """Name the folder for the blobs of a root."""
    slug = root.strip("/\\").replace("/", "-").replace("\\", "-").replace(":", "") or "root"
    return f"{_shorten_old(slug)}-{_digest(root, _OLD_DIGEST_BYTES)}"


def source_name(blob: str) -> tuple[str, int]:
    """Return the path and the generation that a blob is named after, below its root's folder."""
    name = blob.removesuffix(".zst")
    numbered = _NUMBERED(name)
    return (numbered[1], int(numbered[2])) if numbered else (name, 1)


def _shorten(name: str) -> str:
    """Cut a name that is too long for the disk, and one that looks as if it had been cut."""
    raw = _encode(name)
    if len(raw) <= _MOST_NAME_BYTES and not _looks_shortened(name):
        return name
    return _with_digest(name, _DIGEST_BYTES)


def _looks_shortened(name: str) -> bool:
    """Tell whether another name may have become this one; the cut falls between characters."""
    found = _SHORTENED(name)
    return found is not None and _SHORT_BYTES - 3 <= len(_encode(found[1])) <= _SHORT_BYTES


def _shorten_old(name: str) -> str:
    # No character takes more than four bytes.
    is_short = 4 * len(name) <= _MOST_NAME_BYTES or len(_encode(name)) <= _MOST_NAME_BYTES
    return name if is_short else _with_digest(name, _OLD_DIGEST_BYTES)


def _with_digest(name: str, size: int) -> str:
    beginning = _encode(name)[:_SHORT_BYTES].decode("utf-8", "ignore")
    return f"{beginning}-{_digest(name, size)}"


def _digest(name: str, size: int) -> str:
    return hashlib.blake2b(_encode(name), digest_size=size).hexdigest()


def _encode(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")

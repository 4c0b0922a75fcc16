"""What a manifest may say: lengths, characters, kinds and numbers, before anything is looked up."""

import re
from typing import Final

from clew.protocol import (
    MAX_FRAME_BYTES,
    MAX_MANIFEST_FRAMES,
    MAX_NAME,
    FileManifest,
    FrameReference,
    Tier,
)
from clew.server.refusals import RefusedPushError
from clew.source import SESSION_KINDS
from clew.storable import storable

MAX_ID: Final = 256
"""How long the id of a session, an agent or a workflow may be."""
MAX_NUMBER: Final = (1 << 63) - 1
_KEY: Final = re.compile(r"[0-9A-Za-z_.-]{1,128}")
_RECEIPT: Final = re.compile(r"[0-9a-f]{64}")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class BadFieldError(RefusedPushError):
    """A field of a message has a value that it cannot have."""

    def __init__(self, field: str, expected: str) -> None:
        super().__init__(f"`{field}` must be {expected}; install a newer version of clew")


def check_manifest(manifest: FileManifest) -> None:
    """Make sure that a manifest can be understood.

    Raises:
        BadFieldError: One of its fields cannot.
    """
    check_root(manifest.root)
    check_project_key(manifest.project_key)
    _check_file(manifest.file)
    if manifest.kind not in SESSION_KINDS:
        raise BadFieldError("kind", "the kind of a file that belongs to one session")
    check_session(manifest.session)
    _check_id("agent", manifest.agent)
    _check_id("workflow", manifest.workflow)
    if manifest.tier is Tier.NOTHING:
        raise BadFieldError("tier", "one of structure, redacted and everything")
    if manifest.parent is not None and _RECEIPT.fullmatch(manifest.parent) is None:
        raise BadFieldError("parent", "a receipt of this server")
    if not 0 <= manifest.epoch <= MAX_NUMBER:
        raise BadFieldError("epoch", "the epoch of a consent")
    if not -MAX_NUMBER <= manifest.mtime_ns <= MAX_NUMBER:
        raise BadFieldError("mtime_ns", "a time in nanoseconds")
    _check_frames(manifest)


def check_root(root: str) -> None:
    """Make sure that a root's id is one."""
    if _KEY.fullmatch(root) is None:
        raise BadFieldError("root", "an id of letters, digits, - and _")


def check_project_key(key: str) -> None:
    """Make sure that a project's key is one."""
    if _KEY.fullmatch(key) is None:
        raise BadFieldError("project_key", "an id of letters, digits, - and _")


def check_session(session: str) -> None:
    """Make sure that a session's id is one."""
    if not session:
        raise BadFieldError("session", "an id")
    _check_id("session", session)


def _check_id(field: str, text: str | None) -> None:
    if text is None:
        return
    if not _is_text(text, MAX_ID) or not text or "/" in text or text in {".", ".."}:
        raise BadFieldError(field, f"an id of at most {MAX_ID} bytes without slashes")


def _check_file(file: str) -> None:
    """Make sure that a path stays below its root, on every system."""
    parts = file.split("/")
    is_below = all(part not in {"", ".", ".."} for part in parts) and not parts[0].endswith(":")
    if not is_below or not _is_text(file, MAX_NAME):
        raise BadFieldError("file", f"a relative path of at most {MAX_NAME:,} bytes")


def _is_text(text: str, most: int) -> bool:
    return (
        len(text) <= most
        and storable(text) == text
        # An index takes no more.
        and len(text.encode()) <= most
        and "\\" not in text
        and _CONTROL.search(text) is None
    )


def _check_frames(manifest: FileManifest) -> None:
    if len(manifest.frames) > MAX_MANIFEST_FRAMES:
        raise BadFieldError("frames", f"at most {MAX_MANIFEST_FRAMES:,} frames")
    if not all(_is_frame(frame) for frame in manifest.frames):
        raise BadFieldError("frames", f"SHA-256 sums, with sizes of 1 to {MAX_FRAME_BYTES:,} bytes")
    if manifest.size != sum(frame.size for frame in manifest.frames):
        raise BadFieldError("size", "the sum of the sizes of all frames")


def _is_frame(frame: FrameReference) -> bool:
    return _RECEIPT.fullmatch(frame.sha256) is not None and 1 <= frame.size <= MAX_FRAME_BYTES

"""Folders for tests, in one expression."""

from pathlib import Path

from clew.source import Discovery

SID = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
NEXT = "1a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"


def grow(folder: Path, *names: str) -> Path:
    """Write a small file at each name below `folder`, and give the folder."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}\n")
    return folder


def listed(found: Discovery) -> dict[str, str]:
    """Give the kinds of the files found, by their relative paths."""
    return {file.relative: file.kind.value for file in found.files}

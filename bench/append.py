"""A session of 5 MB that grows by 100 lines: what its growth costs, beside its first sync."""

import atexit
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Final

from bench.child import Given
from bench.contestant import Contestant, Limit, Run
from bench.own_folders import one_session

# Each function imports clew inside, so that the memory of one does not count for another.
# ruff: noqa: PLC0415

SIZE: Final = 5_000_000
LINES: Final = 100
FIRST: Final = "5 MB session"
# What may be read beside the new lines, to know growth from a rewrite.
COMPARED_BYTES: Final = 256 << 10
WORK_MS: Final = 150


def first_sync() -> Run:
    """Sync the session into a new archive, but for its last lines."""
    from clew.archive import open_archive

    place = _new_place()
    root = _copy(place)
    _take_end(root)

    def run(_: Given) -> dict[str, float]:
        with open_archive(place / "home") as archive:
            return {"entries": archive.sync([root], workers=1).entries_decoded}

    return run


def append_sync() -> Run:
    """Sync the session once more when its last lines are there too."""
    from clew.archive import open_archive

    place = _new_place()
    root = _copy(place)
    end = _take_end(root)
    archive = open_archive(place / "home")
    archive.sync([root], workers=1)
    with _transcript(root).open("ab") as stream:
        stream.write(end)

    def run(_: Given) -> dict[str, float]:
        before = time.process_time()
        report = archive.sync([root], workers=1)
        return {
            "entries": report.entries_decoded,
            "bytes beside the lines": report.bytes_read - len(end),
            "work, ms": round((time.process_time() - before) * 1000),
        }

    return run


def make_session(_: Path) -> None:
    """Write the session, once for all rounds; the same bytes each time."""
    one_session(SIZE)


def _new_place() -> Path:
    """Give an empty folder that is gone when the process ends."""
    place = Path(tempfile.mkdtemp(prefix="clew-bench-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def _copy(place: Path) -> Path:
    root = place / "root"
    shutil.copytree(one_session(SIZE), root)
    return root


def _transcript(root: Path) -> Path:
    return max(root.rglob("*.jsonl"), key=lambda path: path.stat().st_size)


def _take_end(root: Path) -> bytes:
    """Cut the last lines off the session, and give them."""
    path = _transcript(root)
    lines = path.read_bytes().splitlines(keepends=True)
    end = b"".join(lines[-LINES:])
    os.truncate(path, path.stat().st_size - len(end))
    return end


APPEND: Final = (
    Contestant(FIRST, "append", "sync it for the first time", first_sync, setup=make_session),
    Contestant(
        f"{LINES} lines more",
        "append",
        "sync what was added",
        append_sync,
        setup=make_session,
        limits=(Limit("bytes beside the lines", COMPARED_BYTES), Limit("work, ms", WORK_MS)),
    ),
)

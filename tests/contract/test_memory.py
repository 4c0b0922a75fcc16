"""How much memory a sync takes: of large sessions a small multiple, of an oversized line nothing.

The bounds are generous: they tell a whole file more or less in memory, and nothing finer.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from bench.clients import pick_client
from bench.dice import Dice
from bench.generate import LONG_SESSION_VERSION
from bench.project import Project
from bench.session import Order, SessionWriter
from clew.source.lines import LARGEST_LINE

STATUS: Final = Path("/proc/self/status")
PEAK: Final = "VmHWM:"
SYNC: Final = f"""
import datetime as dt, sys
from pathlib import Path
from clew.store import Home, sync
sync(Home(Path(sys.argv[1])), [Path(sys.argv[2])], now=dt.datetime.now(dt.UTC), workers=1)
print(Path("{STATUS}").read_text().partition("{PEAK}")[2].split()[0])
"""

pytestmark = pytest.mark.skipif(
    not STATUS.exists() or PEAK not in STATUS.read_text(),
    reason="the system does not report how much memory a process took",
)


def peak_bytes(root: Path, home: Path) -> int:
    """Sync in a process of its own, and give the most memory that it took."""
    words: list[str | Path] = [sys.executable, "-c", SYNC, home, root]
    done = subprocess.run(words, check=True, capture_output=True, text=True)  # noqa: S603
    return int(done.stdout) << 10


def test_a_large_session_takes_a_small_multiple_of_its_size(tmp_path: Path) -> None:
    size = 60_000_000
    dice = Dice("memory")
    client = pick_client(dice, LONG_SESSION_VERSION)
    SessionWriter(dice, Project(Dice("project"), scale=0.1), client, tmp_path / "root").write(
        Order(size)
    )

    assert peak_bytes(tmp_path / "root", tmp_path / "home") < 3.6 * size


def test_a_line_that_is_too_large_is_never_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "root" / "projects" / "-code" / "0b01479b-5d2d-4af1-a784-02b5aaf4b2a9.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"type":"summary","summary":"a"}\n')
    size = 4 * LARGEST_LINE
    # Nothing but a hole, which takes no room on most disks.
    os.truncate(path, size)

    assert peak_bytes(tmp_path / "root", tmp_path / "home") < 3 * LARGEST_LINE

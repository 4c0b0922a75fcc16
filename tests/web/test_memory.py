"""The memory of a server process that shows one long session after the other."""

import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from clew.archive import open_archive
from tests.build import SessionBuilder, image
from tests.web.serving import PATIENCE, client_for

SESSIONS = 16
FIRST = 4
PICTURE_BYTES = 600_000
LIMIT = 500_000
"""Less than one session."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads memory from /proc")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give an archive of sessions with a large picture each."""
    folder = tmp_path_factory.mktemp("long-sessions")
    for number in range(SESSIONS):
        picture = random.Random(number).randbytes(PICTURE_BYTES)  # noqa: S311 (only bulk)
        session = SessionBuilder(f"long-{number}").user("look", image(picture)).assistant("nice")
        session.user("thanks").assistant("welcome").write(folder / "claude")
    with open_archive(folder / "archive") as archive:
        archive.sync([folder / "claude"])
    return folder / "archive"


@contextmanager
def limited_server(home: Path) -> Iterator[tuple[httpx.Client, int]]:
    """Run a server process with small caches; give a client and the process id."""
    command = [sys.executable, "-m", "tests.web.limited_server", str(home), str(LIMIT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        try:
            assert process.stdout is not None
            with client_for(process.stdout.readline().strip()) as client:
                yield client, process.pid
        finally:
            process.terminate()
            process.wait(PATIENCE)


def memory_of(process_id: int) -> int:
    """Return how many bytes of memory a process has for itself."""
    status = Path(f"/proc/{process_id}/status").read_text("utf-8")
    return int(status.partition("RssAnon:")[2].split()[0]) * 1024


def read(client: httpx.Client, session_ids: Sequence[str]) -> None:
    """Open sessions, and load their first section again as an open page would."""
    for session_id in session_ids:
        assert client.get(f"/sessions/{session_id}").status_code == httpx.codes.OK
        part = client.get(f"/sessions/{session_id}/sections/0")
        assert part.status_code == httpx.codes.OK
        assert "look" in part.text


def test_memory_does_not_grow_with_the_number_of_long_sessions_that_were_opened(
    home: Path,
) -> None:
    with limited_server(home) as (client, process_id):
        listed = client.get("/api/sessions", params={"limit": SESSIONS}).json()["sessions"]
        ids = [session["id"] for session in listed]
        read(client, ids[:FIRST])
        before = memory_of(process_id)
        read(client, ids[FIRST:])
        after = memory_of(process_id)

    opened = sum(session["size_bytes"] for session in listed[FIRST:])
    assert len(ids) == SESSIONS
    assert after - before < opened / 4

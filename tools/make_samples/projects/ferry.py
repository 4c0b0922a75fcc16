"""ferry: a command that uploads large files in chunks and goes on after an interruption."""

from typing import Final

ROOT: Final = "/home/mira/code/ferry"

UPLOAD: Final = '''\
"""Send a file in chunks, and go on where an earlier try stopped."""

import time
from collections.abc import Iterator
from pathlib import Path

from ferry.session import Session

CHUNK = 4 * 1024 * 1024
TRIES = 5


def upload(file: Path, session: Session, known: str | None = None, chunk: int = CHUNK) -> str:
    """Upload a file, by default as a new upload, and give the upload's address."""
    address = known or session.begin(file.name, file.stat().st_size)
    offset = session.offset(address)
    with file.open("rb") as stream:
        stream.seek(offset)
        while data := stream.read(chunk):
            _send(session, address, offset, data)
            offset += len(data)
    return address


def _send(session: Session, address: str, offset: int, data: bytes) -> None:
    """Send one chunk, and try again when the line is bad."""
    for seconds in _waits():
        try:
            session.put(address, offset, data)
        except ConnectionError:
            time.sleep(seconds)
        else:
            return
    session.put(address, offset, data)


def _waits() -> Iterator[float]:
    """Give the pauses between tries, each twice as long as the one before."""
    yield from (0.5 * 2**attempt for attempt in range(TRIES - 1))
'''

SESSION: Final = '''\
"""One connection to a ferry server; every method is one request."""

from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urlsplit


class TransferError(Exception):
    """The server refused a request."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{status} {reason}")
        self.status = status


class Session:
    """Talks to one server."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._connection = HTTPConnection(parts.hostname or "localhost", parts.port or 80)

    def begin(self, name: str, size: int) -> str:
        """Announce a file and give the address of its upload."""
        headers = {"Upload-Name": name, "Upload-Length": str(size)}
        return self._request("POST", "/uploads", headers=headers).headers["Location"]

    def offset(self, address: str) -> int:
        """Ask how many bytes the server has."""
        return int(self._request("HEAD", address).headers["Upload-Offset"])

    def put(self, address: str, offset: int, data: bytes) -> None:
        """Send bytes that belong at an offset."""
        self._request("PATCH", address, data, {"Upload-Offset": str(offset)})

    def _request(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> HTTPResponse:
        self._connection.request(method, path, body, headers or {})
        response = self._connection.getresponse()
        response.read()
        if response.status >= 400:
            raise TransferError(response.status, response.reason)
        return response
'''

TEST_UPLOAD: Final = '''\
from pathlib import Path

import pytest

from ferry import upload as module
from ferry.session import TransferError
from ferry.upload import upload


class FakeSession:
    """A server in memory that answers as it is told, then well."""

    def __init__(self, *troubles: Exception) -> None:
        self.troubles = list(troubles)
        self.stored = b""
        self.puts = 0

    def begin(self, name: str, size: int) -> str:
        return f"/uploads/{name}"

    def offset(self, address: str) -> int:
        return len(self.stored)

    def put(self, address: str, offset: int, data: bytes) -> None:
        self.puts += 1
        if self.troubles:
            raise self.troubles.pop(0)
        assert offset == len(self.stored)
        self.stored += data


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pauses: list[float] = []
    monkeypatch.setattr(module.time, "sleep", pauses.append)
    return pauses


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "film.mkv"
    path.write_bytes(b"0123456789")
    return path


def test_sends_a_file_in_chunks(file: Path) -> None:
    session = FakeSession()

    upload(file, session, chunk=4)

    assert session.stored == b"0123456789"
    assert session.puts == 3


def test_goes_on_where_it_stopped(file: Path) -> None:
    session = FakeSession()
    session.stored = b"0123"

    upload(file, session, known="/uploads/film.mkv", chunk=4)

    assert session.puts == 2


def test_tries_again_when_the_line_drops(file: Path, slept: list[float]) -> None:
    session = FakeSession(ConnectionResetError(), ConnectionResetError())

    upload(file, session)

    assert session.stored == b"0123456789"
    assert slept == [0.5, 1.0]


def test_does_not_repeat_what_the_server_refuses(file: Path, slept: list[float]) -> None:
    session = FakeSession(TransferError(413, "Content Too Large"))

    with pytest.raises(TransferError):
        upload(file, session)

    assert slept == []
'''

JOURNAL: Final = '''\
"""The journal: which uploads are under way, so that an interrupted one can go on."""

import json
from collections.abc import Iterator
from pathlib import Path


class Journal:
    """A file with one line for each change; of several lines about a file the last one counts."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def find(self, file: Path) -> str | None:
        """Give the upload that was begun for a file, if the file is unchanged since."""
        key = _key(file)
        addresses = [entry["upload"] for entry in self._entries() if entry["key"] == key]
        return addresses[-1] if addresses else None

    def begin(self, file: Path, address: str) -> None:
        """Note that an upload of a file was begun."""
        self._append({"key": _key(file), "upload": address})

    def finish(self, file: Path) -> None:
        """Note that nothing of a file is left to upload."""
        self._append({"key": _key(file), "upload": None})

    def _append(self, entry: dict[str, str | None]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as stream:
            stream.write(json.dumps(entry) + "\\n")

    def _entries(self) -> Iterator[dict[str, str | None]]:
        if not self.path.exists():
            return
        with self.path.open() as stream:
            yield from (json.loads(line) for line in stream)


def _key(file: Path) -> str:
    """Name a file by its place, its size and the moment of its last change."""
    stat = file.stat()
    return f"{file.resolve()}:{stat.st_size}:{stat.st_mtime_ns}"
'''

COMMAND: Final = '''\
"""The command line: `ferry FILE... URL`."""

import argparse
from pathlib import Path

from ferry.journal import Journal
from ferry.session import Session
from ferry.upload import upload

JOURNAL = Path.home() / ".local/state/ferry/journal.jsonl"


def main(arguments: list[str] | None = None) -> None:
    """Upload files, one after the other."""
    parser = argparse.ArgumentParser(prog="ferry")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("url")
    given = parser.parse_args(arguments)
    journal, session = Journal(JOURNAL), Session(given.url)
    for file in given.files:
        address = journal.find(file) or session.begin(file.name, file.stat().st_size)
        journal.begin(file, address)
        upload(file, session, address)
        journal.finish(file)
        print(f"{file.name} -> {address}")
'''

TEST_JOURNAL: Final = """\
from pathlib import Path

import pytest

from ferry.journal import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state" / "journal.jsonl")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "notes.txt"
    path.write_text("first")
    return path


def test_an_upload_under_way_is_found(journal: Journal, file: Path) -> None:
    journal.begin(file, "/uploads/7")

    assert journal.find(file) == "/uploads/7"


def test_a_finished_upload_is_not_found(journal: Journal, file: Path) -> None:
    journal.begin(file, "/uploads/7")
    journal.finish(file)

    assert journal.find(file) is None


def test_a_changed_file_is_not_resumed(journal: Journal, file: Path) -> None:
    journal.begin(file, "/uploads/7")
    file.write_text("other")

    assert journal.find(file) is None
"""

INIT: Final = '''\
"""Upload large files over bad lines."""

__version__ = "0.4.0"
'''

PYPROJECT: Final = """\
[project]
name = "ferry"
version = "0.4.0"
description = "Upload large files over bad lines."
requires-python = ">=3.12"

[project.scripts]
ferry = "ferry.command:main"

[dependency-groups]
dev = ["pytest>=9", "ruff>=0.15"]

[tool.pytest.ini_options]
pythonpath = ["src"]

[tool.ruff]
line-length = 100
"""

CHANGELOG: Final = """\
# Changelog

## 0.4.0 (2026-10-02)

- An interrupted upload goes on where it stopped, also after a restart.
- `ferry` takes several files.

## 0.3.1 (2026-08-19)

- Chunks are sent with their offset, so that a repeated one does no harm.
"""

FILES: Final = {
    "pyproject.toml": PYPROJECT,
    "CHANGELOG.md": CHANGELOG,
    "src/ferry/__init__.py": INIT,
    "src/ferry/command.py": COMMAND,
    "src/ferry/journal.py": JOURNAL,
    "src/ferry/session.py": SESSION,
    "src/ferry/upload.py": UPLOAD,
    "tests/test_journal.py": TEST_JOURNAL,
    "tests/test_upload.py": TEST_UPLOAD,
}

"""Real S3 servers for tests, from wheels, and an empty bucket for each test.

They differ where it matters. rclone checks signatures, but answers a range with the whole object
and ignores conditions; moto honours both, and lets everybody in.
"""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

import httpx
import pytest

_HOST: Final = "127.0.0.1"
_START_SECONDS: Final = 60
_numbers: Final = count(1)


class S3Server:
    """A server that listens on the loopback interface; `folder` is where rclone's buckets are."""

    def __init__(self, folder: Path | None = None) -> None:
        self.port = _free_port()
        self.endpoint = f"http://{_HOST}:{self.port}"
        self.folder = folder
        self.key = secrets.token_hex(8)
        self.secret = secrets.token_hex(16)
        self.command: Sequence[str] = ()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it listens."""
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(self.command, stdout=quiet, stderr=quiet)  # noqa: S603 (of the test environment)
        self._process = process
        until = time.monotonic() + _START_SECONDS
        while process.poll() is None and time.monotonic() < until:
            try:
                socket.create_connection((_HOST, self.port), 1).close()
            except OSError:
                time.sleep(0.02)
            else:
                return
        raise RuntimeError(f"{self.command[0]} does not listen")

    def kill(self) -> None:
        """Stop it as a power cut does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables by which a client finds the server and signs its requests."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": self.key,
            "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_REGION": "us-east-1",
        }

    def make_bucket(self) -> str:
        """Make an empty bucket and return its name."""
        name = f"test-{os.getpid()}-{next(_numbers)}"
        if self.folder is not None:
            (self.folder / name).mkdir()
        else:
            httpx.put(f"{self.endpoint}/{name}").raise_for_status()
        return name

    def drop_bucket(self, name: str) -> None:
        """Delete the files of a bucket, where it has some."""
        if self.folder is not None:
            shutil.rmtree(self.folder / name, ignore_errors=True)


def use_s3_server(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let clients of this process, and of those it starts, use a server."""
    for name in list(os.environ):
        if name.startswith("AWS_"):
            monkeypatch.delenv(name)
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)


@contextmanager
def running_rclone() -> Iterator[S3Server]:
    """Start rclone over a temporary folder, and stop it at the end."""
    with tempfile.TemporaryDirectory(prefix="clew-rclone-", ignore_cleanup_errors=True) as place:
        folder = Path(place, "buckets")
        folder.mkdir()
        server = S3Server(folder)
        key = f"{server.key},{server.secret}"
        address = server.endpoint.removeprefix("http://")
        options = ["--addr", address, "--auth-key", key, "--config", str(Path(place, "none"))]
        # Buckets are made, and objects damaged, behind its back.
        options += ["--dir-cache-time", "1ms"]
        server.command = [_program("rclone"), "serve", "s3", *options, str(folder)]
        with _running(server):
            yield server


@contextmanager
def running_moto() -> Iterator[S3Server]:
    """Start moto, which keeps everything in memory, and stop it at the end."""
    server = S3Server()
    server.command = [_program("moto_server"), "-H", _HOST, "-p", str(server.port)]
    with _running(server):
        yield server


@contextmanager
def _running(server: S3Server) -> Iterator[None]:
    server.start()
    try:
        yield
    finally:
        server.kill()


def _program(name: str) -> str:
    """Return the path of a program beside the interpreter, whose folder need not be in PATH."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or name


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind((_HOST, 0))
        return int(listener.getsockname()[1])

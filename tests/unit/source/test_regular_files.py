"""Tests of opening nothing but regular files."""

import os
import socket
from pathlib import Path

import pytest

from clew.source.regular_files import open_regular


def test_a_regular_file_is_opened_for_reading(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"{}\n")

    with open_regular(path) as stream:
        assert stream.read() == b"{}\n"
        assert not stream.writable()


def test_a_link_to_a_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(b"{}\n")
    (tmp_path / "link.jsonl").symlink_to("s.jsonl")

    with open_regular(tmp_path / "link.jsonl") as stream:
        assert stream.read() == b"{}\n"


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        open_regular(tmp_path)


def test_a_fifo_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "fifo.jsonl"
    os.mkfifo(path)

    with pytest.raises(OSError, match="not a regular file"):
        open_regular(path)


def test_a_fifo_keeps_its_writer(tmp_path: Path) -> None:
    path = tmp_path / "fifo.jsonl"
    os.mkfifo(path)
    both_ends = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    with pytest.raises(OSError, match="not a regular file"):
        open_regular(path)

    assert os.write(both_ends, b"still open") == 10
    os.close(both_ends)


def test_a_device_is_refused() -> None:
    with pytest.raises(OSError, match="not a regular file"):
        open_regular(Path("/dev/zero"))


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.sock")

        with pytest.raises(OSError, match="not a regular file"):
            open_regular(Path("s.sock"))


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "none.jsonl")

"""Tests of knowing a file again."""

from pathlib import Path

import pytest

from clew.source.discover import discover
from clew.source.identity import identity


def test_an_identity_says_what_the_system_says(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"{}\n")
    status = path.stat()

    known = identity(path)

    assert (known.path, known.size, known.head_size) == (path, 3, 3)
    assert (known.device, known.inode) == (status.st_dev, status.st_ino)
    assert known.mtime_ns == status.st_mtime_ns


def test_a_listed_file_has_the_identity_of_its_path(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"{}\n")
    (file,) = discover(path).files

    assert identity(file) == identity(path)


def test_only_the_first_bytes_are_hashed(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"x" * 4096 + b"one")
    before = identity(path)
    path.write_bytes(b"x" * 4096 + b"two, three")

    after = identity(path)

    assert before.head_size == after.head_size == 4096
    assert before.head_hash == after.head_hash


def test_a_short_file_that_grew_is_known_by_the_bytes_it_had(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one\n")
    before = identity(path)
    path.write_bytes(b"one\ntwo\n")

    after = identity(path, head_size=before.head_size)

    assert (after.head_hash, after.size) == (before.head_hash, 8)


def test_a_rewritten_file_has_another_hash(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one\n")
    before = identity(path)
    path.write_bytes(b"uno\n")

    assert identity(path).head_hash != before.head_hash


def test_a_vanished_file_has_no_identity(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        identity(tmp_path / "none.jsonl")

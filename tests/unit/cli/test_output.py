"""Output: files written whole or not at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.cli.output import write_file


def test_a_file_holds_all_pieces(tmp_path: Path) -> None:
    write_file(tmp_path / "a", [b"one", b"two"])

    assert (tmp_path / "a").read_bytes() == b"onetwo"


def test_a_failure_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    def failing() -> Iterator[bytes]:
        yield b"half"
        raise RuntimeError

    (tmp_path / "a").write_bytes(b"before")

    with pytest.raises(RuntimeError):
        write_file(tmp_path / "a", failing())
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"before")]


def test_a_failure_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        write_file(tmp_path / "nowhere" / "a", [b"one"])

    assert caught.value.filename == str(tmp_path / "nowhere" / "a")

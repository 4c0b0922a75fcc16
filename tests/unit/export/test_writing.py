"""Files are whole, or they are not there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.export.writing import write_file, write_text


def failing() -> Iterator[bytes]:
    yield b"half"
    raise ValueError("broken off")


def test_a_file_is_written_piece_by_piece(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"

    assert write_file(path, [b"one ", b"two"], tmp_path) == 7
    assert path.read_bytes() == b"one two"


def test_a_file_that_fails_half_way_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")

    with pytest.raises(ValueError, match="broken off"):
        write_file(path, failing(), tmp_path)

    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_text_with_half_a_character_can_be_written(tmp_path: Path) -> None:
    write_text(tmp_path / "file", "a\ud800b", tmp_path)

    assert (tmp_path / "file").read_text("utf-8") == "a\\ud800b"


def test_a_file_is_readable_to_whom_any_new_file_is(tmp_path: Path) -> None:
    plain, path = tmp_path / "plain", tmp_path / "file"
    plain.touch()

    write_file(path, [b"one"], tmp_path)

    assert path.stat().st_mode == plain.stat().st_mode

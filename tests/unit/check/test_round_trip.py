"""Whether lines, joined again, are the file."""

from pathlib import Path

import msgspec
import pytest

from clew.check.round_trip import RoundTripReader
from clew.source import read_lines


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"a\nb\n",
        b"a\r\nb",
        b"\xef\xbb\xbf{}\x00\n\xff\n\n",
        "a\u2028b\n".encode(),
        b"x" * 3_000_000 + b"\nend\n" + b"y" * 2_000_000,
    ],
)
def test_lines_of_any_bytes_joined_are_the_file(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)

    with RoundTripReader(path) as mirror:
        for line in read_lines(path):
            mirror.add(line)

        assert mirror.is_identical()
    assert mirror.size_read == len(data)


def test_a_changed_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one\ntwo\n")

    with RoundTripReader(path) as mirror:
        for line in read_lines(path):
            mirror.add(msgspec.structs.replace(line, raw=line.raw.replace(b"tw", b"TW")))

        assert not mirror.is_identical()


def test_a_lost_last_line_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one\ntwo")

    with RoundTripReader(path) as mirror:
        for line in read_lines(path, with_tail=False):
            mirror.add(line)

        assert not mirror.is_identical()


def test_what_was_added_meanwhile_is_not_missed(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one\n")

    with RoundTripReader(path) as mirror:
        for line in read_lines(path):
            mirror.add(line)
        with path.open("ab") as stream:
            stream.write(b"two\n")

        assert mirror.is_identical()

"""Tests of reading lines."""

import os
import tracemalloc
from pathlib import Path

import pytest

from clew.source.lines import Line, join_lines, line_at, read_lines, split_lines

MEGABYTE = 1 << 20


def write(folder: Path, data: bytes) -> Path:
    path = folder / "s.jsonl"
    path.write_bytes(data)
    return path


def raws(path: Path) -> list[bytes]:
    return [line.raw for line in read_lines(path)]


def test_a_line_knows_its_file_number_and_offset(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\ntwo\n")

    lines = list(read_lines(path))

    assert lines == [Line(b"one", str(path), 1, 0), Line(b"two", str(path), 2, 4)]


def test_the_file_of_a_line_may_be_named_by_the_caller(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\n")

    assert [line.file for line in read_lines(path, file="p/s.jsonl")] == ["p/s.jsonl"]


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    assert raws(write(tmp_path, b"")) == []


def test_empty_lines_are_lines(tmp_path: Path) -> None:
    path = write(tmp_path, b"\n\none\n\n")

    lines = list(read_lines(path))

    assert [(line.raw, line.offset) for line in lines] == [
        (b"", 0),
        (b"", 1),
        (b"one", 2),
        (b"", 6),
    ]


def test_a_last_line_without_newline_is_given_as_not_ended(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"a":1}\n{"b":')

    lines = list(read_lines(path))

    assert [(line.raw, line.ended) for line in lines] == [(b'{"a":1}', True), (b'{"b":', False)]


def test_a_last_line_without_newline_can_be_left_for_later(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\ntw")

    lines = list(read_lines(path, with_tail=False))

    assert [line.raw for line in lines] == [b"one"]


def test_reading_goes_on_where_the_last_ended_line_stopped(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\ntw")
    (first,) = read_lines(path, with_tail=False)
    path.write_bytes(b"one\ntwo\n")

    rest = list(read_lines(path, offset=first.offset + 4, number=first.number + 1))

    assert rest == [Line(b"two", str(path), 2, 4)]


def test_reading_from_beyond_the_end_gives_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\n")

    assert list(read_lines(path, offset=100)) == []


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"one\r", id="carriage return"),
        pytest.param(b"\xef\xbb\xbf{}", id="byte order mark"),
        pytest.param(b"\0\0\0\0{}\0\0", id="NUL bytes"),
        pytest.param("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg".encode(), id="other separators"),
        pytest.param(b"  {} \t", id="white space"),
        pytest.param(b"\xff\xfe\xed\xa0\x80", id="not UTF-8"),
    ],
)
def test_all_but_the_newline_is_content(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path, content + b"\nnext\n")

    assert raws(path) == [content, b"next"]


def test_a_run_of_nul_bytes_longer_than_a_chunk_is_one_line(tmp_path: Path) -> None:
    path = write(tmp_path, b"\0" * (3 * MEGABYTE) + b"\n{}\n")

    assert raws(path) == [b"\0" * (3 * MEGABYTE), b"{}"]


def test_a_huge_line_takes_memory_for_itself_and_little_more(tmp_path: Path) -> None:
    path = write(tmp_path, b"a\n" + b"x" * (20 * MEGABYTE) + b"\nb\n")
    tracemalloc.start()

    sizes = [len(line.raw) for line in read_lines(path)]

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sizes == [1, 20 * MEGABYTE, 1]
    assert peak < 45 * MEGABYTE


def test_a_file_of_many_lines_is_streamed(tmp_path: Path) -> None:
    path = write(tmp_path, (b"x" * 1023 + b"\n") * (20 * 1024))
    tracemalloc.start()

    count = sum(1 for _ in read_lines(path))

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 20 * 1024
    assert peak < 4 * MEGABYTE


def test_a_file_that_grows_is_read_to_the_end_found_then(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\n")
    lines = read_lines(path)
    first = next(lines)
    with path.open("ab") as stream:
        stream.write(b"two\nthr")

    rest = list(lines)

    assert [line.raw for line in [first, *rest]] == [b"one", b"two", b"thr"]


def test_a_file_that_shrinks_ends_early(tmp_path: Path) -> None:
    path = write(tmp_path, (b"x" * 1023 + b"\n") * 4096)
    lines = read_lines(path)
    next(lines)
    os.truncate(path, 10)

    rest = list(lines)

    assert 0 < len(rest) < 4095


def test_a_file_that_vanishes_while_it_is_read_is_read_to_its_end(tmp_path: Path) -> None:
    path = write(tmp_path, (b"x" * 1023 + b"\n") * 4096)
    lines = read_lines(path)
    next(lines)
    path.unlink()

    assert sum(1 for _ in lines) == 4095


def test_a_file_that_is_not_there_is_told_when_the_first_line_is_asked_for(tmp_path: Path) -> None:
    lines = read_lines(tmp_path / "none.jsonl")

    with pytest.raises(FileNotFoundError):
        next(lines)


def test_leaving_early_closes_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\ntwo\n")
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208 - a count, not paths

    lines = read_lines(path)
    next(lines)
    del lines

    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208 - a count, not paths


def test_a_line_is_found_by_its_offset(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\ntwo\nthree\n")

    assert line_at(path, 4, number=2) == Line(b"two", str(path), 2, 4)


def test_a_long_line_is_found_whole_by_its_offset(tmp_path: Path) -> None:
    path = write(tmp_path, b"a\n" + b"x" * MEGABYTE + b"\nb\n")

    found = line_at(path, 2)

    assert found is not None
    assert found.raw == b"x" * MEGABYTE


def test_a_torn_line_is_found_by_its_offset_as_not_ended(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\ntw")

    assert line_at(path, 4, file="s") == Line(b"tw", "s", 1, 4, ended=False)


def test_no_line_begins_at_the_end_of_a_file(tmp_path: Path) -> None:
    assert line_at(write(tmp_path, b"one\n"), 4) is None


def test_lines_joined_again_keep_a_missing_last_newline() -> None:
    lines = [Line(b"one", "s", 1, 0), Line(b"", "s", 2, 4), Line(b"tw", "s", 3, 5, ended=False)]

    assert join_lines(lines) == b"one\n\ntw"


def test_chunks_may_be_cut_anywhere() -> None:
    lines = list(split_lines([b"", b"on", b"e", b"\n", b"\ntw", b"", b"o\nthree"], "s"))

    assert [(line.raw, line.number, line.offset, line.ended) for line in lines] == [
        (b"one", 1, 0, True),
        (b"", 2, 4, True),
        (b"two", 3, 5, True),
        (b"three", 4, 9, False),
    ]


def test_chunks_have_the_bytes_of_all_lines_each_with_a_newline() -> None:
    pieces = [b"", b"on", b"e\n\ntwo", b"\nth", b"ree\nfo", b"ur"]

    chunks = [(list(chunk.lines), chunk.ended) for chunk in split_lines(pieces, "s").chunks]

    assert [text for texts, _ in chunks for text in texts] == [
        b"one\n",
        b"\n",
        b"two\n",
        b"three\n",
        b"four\n",
    ]
    assert [ended for _, ended in chunks] == [True] * (len(chunks) - 1) + [False]


def test_lines_tell_whether_one_was_taken() -> None:
    lines = split_lines([b"one\ntwo\n"], "s")

    before = lines.begun
    next(lines)

    assert (before, lines.begun) == (False, True)

"""What must hold for the lines of any bytes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.source import join_lines, line_at, read_lines, split_lines

# Newlines, and bytes that others take for newlines, are far more frequent than by chance.
data = st.lists(
    st.sampled_from([b"\n", b"\r\n", b"\r", b"\0", b"\xe2\x80\xa8", b"\x85", b"\x0c", b"{}"])
    | st.binary(max_size=8),
    max_size=40,
).map(b"".join)


def write(factory: pytest.TempPathFactory, content: bytes) -> Path:
    path = factory.getbasetemp() / "s.jsonl"
    path.write_bytes(content)
    return path


@given(data)
def test_lines_joined_again_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = write(tmp_path_factory, content)

    assert join_lines(read_lines(path)) == content


@given(data)
def test_lines_are_what_stands_between_newlines(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = write(tmp_path_factory, content)

    lines = list(read_lines(path))

    *ended, tail = content.split(b"\n")
    assert [line.raw for line in lines if line.ended] == ended
    assert [line.raw for line in lines if not line.ended] == [tail] * bool(tail)


@given(data)
def test_every_line_stands_where_it_says(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = write(tmp_path_factory, content)

    for number, line in enumerate(read_lines(path), 1):
        assert line.number == number
        assert content.startswith(line.raw, line.offset)
        assert line_at(path, line.offset, number=number) == line


@given(data, st.integers(min_value=0))
def test_reading_from_any_line_on_gives_the_rest(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, choice: int
) -> None:
    path = write(tmp_path_factory, content)
    lines = list(read_lines(path))
    start = choice % len(lines) if lines else 0

    rest = [
        line
        for first in lines[start : start + 1]
        for line in read_lines(path, offset=first.offset, number=first.number)
    ]

    assert rest == lines[start:]


@given(data, st.lists(st.integers(min_value=0, max_value=400), max_size=12))
def test_where_chunks_are_cut_makes_no_difference(content: bytes, cuts: list[int]) -> None:
    ends = sorted({*cuts, len(content)})
    chunks = [content[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    assert list(split_lines(chunks, "s")) == list(split_lines([content], "s"))


@given(data)
def test_a_torn_tail_is_all_that_is_withheld(content: bytes) -> None:
    lines = list(split_lines([content], "s"))

    withheld = list(split_lines([content], "s", with_tail=False))

    assert withheld == [line for line in lines if line.ended]

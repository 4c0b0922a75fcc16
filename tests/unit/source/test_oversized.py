"""A line that is too large is passed over: its beginning and its size are told, and no more."""

from collections.abc import Iterator

import pytest

from clew.entries import Broken, decode, decode_all
from clew.source import lines as module
from clew.source import split_lines

LIMIT = 1_000
HEAD = 100


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have lines be too large that a test can hold."""
    monkeypatch.setattr(module, "LARGEST_LINE", LIMIT)
    monkeypatch.setattr(module, "_HEAD_SIZE", HEAD)


def chunks(data: bytes, size: int) -> Iterator[bytes]:
    """Cut bytes into chunks."""
    return (data[start : start + size] for start in range(0, len(data), size))


def large(size: int) -> bytes:
    """Give a record of a size."""
    head = b'{"uuid":"u1","sessionId":"s1","type":"user","message":"'
    return head + b"x" * (size - len(head) - 2) + b'"}'


@pytest.mark.parametrize("chunk", [1, 64, 999, 5_000, 100_000])
@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT, LIMIT + 1, 20 * LIMIT])
@pytest.mark.parametrize("ended", [True, False])
def test_other_lines_stand_where_they_stood(chunk: int, size: int, *, ended: bool) -> None:
    data = b'{"type":"a"}\n' + large(size) + b'\n{"type":"b"}\n' + large(size)
    data += b"\n" if ended else b""

    found = list(split_lines(chunks(data, chunk), "f"))

    sizes = [size if size > LIMIT else 0] * 2
    assert [line.offset for line in found] == [0, 13, 14 + size, 27 + size]
    assert [line.oversize for line in found] == [0, sizes[0], 0, sizes[1]]
    assert [line.ended for line in found] == [True, True, True, ended]
    assert found[1].raw == (large(size) if size <= LIMIT else large(size)[:HEAD])


@pytest.mark.parametrize("chunk", [64, 100_000])
def test_a_line_that_is_too_large_is_an_entry_with_what_its_beginning_tells(chunk: int) -> None:
    data = large(20 * LIMIT) + b'\n{"type":"summary","summary":"a"}\n'

    entries = list(decode_all(split_lines(chunks(data, chunk), "f")))

    first = entries[0]
    assert isinstance(first.body, Broken)
    assert (first.body.uuid, first.body.session_id) == ("u1", "s1")
    assert [(found.kind, found.line, found.offset) for found in first.problems] == [
        ("oversized", 1, 0)
    ]
    assert "20,000 bytes" in first.problems[0].text
    assert (entries[1].number, entries[1].offset) == (2, 20 * LIMIT + 1)
    lines = split_lines(chunks(data, chunk), "f")
    assert [entry for line in lines for entry in decode(line)] == entries


@pytest.mark.parametrize("first", [1, HEAD - 1, HEAD, HEAD + 1])
def test_its_beginning_is_told_whole_wherever_it_was_cut(first: int) -> None:
    data = large(20 * LIMIT) + b"\n"

    [line] = split_lines([data[:first], data[first:]], "f")

    assert line.raw == data[:HEAD]

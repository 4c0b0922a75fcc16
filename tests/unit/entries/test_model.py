import msgspec

from clew.entries import Broken, Unknown
from clew.entries.model import entry_on
from clew.source import Line

LINE = Line(b'{"a":1}{"b":2}', "s.jsonl", 3, 500)


def test_an_entry_is_the_whole_line_unless_it_shares_it() -> None:
    entry = entry_on(LINE, Unknown(type="zz"))

    assert (entry.raw, entry.file, entry.number, entry.offset) == (LINE.raw, "s.jsonl", 3, 500)


def test_an_entry_that_shares_its_line_has_its_own_bytes_and_place() -> None:
    whole = entry_on(LINE, Broken("x"))

    first = msgspec.structs.replace(whole, start=0, end=7)
    second = msgspec.structs.replace(whole, start=7, end=14)

    assert (first.raw, first.offset) == (b'{"a":1}', 500)
    assert (second.raw, second.offset) == (b'{"b":2}', 507)
    assert second.line == LINE


def test_an_entry_gives_back_its_line_as_it_was() -> None:
    lines = [LINE, Line(b"", "s.jsonl", 1, 0), Line(b'{"a":', "s.jsonl", 9, 9, ended=False)]

    given_back = [entry_on(line, Broken("x")).line for line in lines]

    assert given_back == lines

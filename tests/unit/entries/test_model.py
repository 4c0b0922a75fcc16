from clew.entries import Broken, Entry, Unknown
from clew.source import Line

LINE = Line(b'{"a":1}{"b":2}', "s.jsonl", 3, 500)


def test_an_entry_is_the_whole_line_unless_it_shares_it() -> None:
    entry = Entry(LINE, Unknown(type="zz"))

    assert (entry.raw, entry.offset) == (LINE.raw, 500)


def test_an_entry_that_shares_its_line_has_its_own_bytes_and_place() -> None:
    first, second = Entry(LINE, Broken("x"), 0, 7), Entry(LINE, Broken("x"), 7, 14)

    assert (first.raw, first.offset) == (b'{"a":1}', 500)
    assert (second.raw, second.offset) == (b'{"b":2}', 507)

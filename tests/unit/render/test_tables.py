"""Tables and fields on a terminal."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from clew.parts import Table
from clew.render.terminal.lines import Line
from clew.render.terminal.tables import draw_fields, draw_table


def texts(lines: list[Line]) -> list[str]:
    """Give lines without their styles."""
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def test_the_widest_column_gives_way() -> None:
    table = Table(("id", "what"), (("1", "several words that do not fit"),))

    assert texts(list(draw_table(table, 20))) == [
        "id  what",
        "──  ────────────────",
        "1   several words",
        "    that do not fit",
    ]


def test_columns_that_are_too_thin_become_fields() -> None:
    table = Table(("first", "second", "third"), (("a" * 12, "b" * 12, "c" * 12),))

    assert texts(list(draw_table(table, 24))) == [
        "first   aaaaaaaaaaaa",
        "second  bbbbbbbbbbbb",
        "third   cccccccccccc",
    ]


def test_a_name_without_room_stands_above_its_value() -> None:
    lines = texts(list(draw_fields([("a name that goes on and on", "x"), ("b", "y")], 40)))

    assert lines == ["a name that goes on and on", "               x", "b              y"]


@given(
    st.lists(st.lists(st.text(max_size=30), max_size=5).map(tuple), max_size=4).map(tuple),
    st.integers(24, 80),
)
def test_no_table_is_wider_than_the_terminal(rows: tuple[tuple[str, ...], ...], width: int) -> None:
    lines = texts(list(draw_table(Table(("a", "重试错误"), rows), width)))

    assert [line for line in lines if cell_len(line) > width] == []

"""Every kind of part and of message as HTML, compared with golden files."""

from typing import get_args

import pytest

from clew.parts import Part
from clew.render.html import HtmlOptions, render_section
from clew.render.html.parts import draw_parts
from tests.conftest import Golden
from tests.unit.render.html.parsing import parse_piece
from tests.unit.render.shapes import ITEMS, PARTS, page_of


def one_a_line(html: str) -> str:
    return html.replace("><", ">\n<").rstrip("\n") + "\n"


def test_there_is_a_shape_of_each_kind_of_part() -> None:
    kinds = {kind.__struct_config__.tag for kind in get_args(Part)}

    assert kinds == set(PARTS)


@pytest.mark.parametrize("kind", PARTS)
def test_a_part_of_each_kind_is_drawn_as_it_was_looked_at(kind: str, golden: Golden) -> None:
    html = draw_parts(PARTS[kind])

    parse_piece(html)
    golden(f"html/part-{kind}.html", one_a_line(html))


@pytest.mark.parametrize("kind", ITEMS)
def test_a_message_of_each_kind_is_drawn_as_it_was_looked_at(kind: str, golden: Golden) -> None:
    section = page_of(ITEMS[kind]).sections[0]

    html = render_section(section, HtmlOptions())

    parse_piece(html)
    golden(f"html/message-{kind}.html", one_a_line(html))

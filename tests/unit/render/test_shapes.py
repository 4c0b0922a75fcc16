"""Every kind of part and of message, in Markdown and on a terminal, compared with golden files."""

import datetime as dt

import pytest

from clew.render.markdown import MarkdownOptions, render_markdown
from clew.render.markdown.options import MarkdownContext, discard_image
from clew.render.markdown.parts import write_parts
from clew.render.terminal import TerminalOptions, render_page
from clew.render.terminal.context import make_context
from clew.render.terminal.parts import draw_parts
from clew.render.terminal.styles import ColourMode, paint
from clew.view import Detail
from tests.conftest import Golden
from tests.unit.render.shapes import ITEMS, PARTS, page_of

MARKDOWN = MarkdownOptions(zone=dt.UTC, front_matter=False)
TERMINAL = TerminalOptions(detail=Detail.EVERYTHING, width=60, branches=True, zone=dt.UTC)


@pytest.mark.parametrize("kind", PARTS)
def test_a_part_of_each_kind_is_written_as_it_was_looked_at(kind: str, golden: Golden) -> None:
    place = MarkdownContext(options=MARKDOWN, save=discard_image)

    blocks = write_parts(PARTS[kind], place)

    golden(f"markdown/part-{kind}.md", "\n\n".join(blocks) + "\n")


@pytest.mark.parametrize("kind", PARTS)
def test_a_part_of_each_kind_is_drawn_as_it_was_looked_at(kind: str, golden: Golden) -> None:
    sheet = make_context(page_of(), TERMINAL)

    lines = draw_parts(PARTS[kind], sheet)

    golden(f"terminal/part-{kind}.txt", "".join(paint(line, ColourMode.PLAIN) for line in lines))


@pytest.mark.parametrize("kind", ITEMS)
def test_a_message_of_each_kind_is_written_as_it_was_looked_at(kind: str, golden: Golden) -> None:
    text = "".join(render_markdown(page_of(ITEMS[kind]), MARKDOWN))

    golden(f"markdown/message-{kind}.md", text.split("\n", 4)[-1])


@pytest.mark.parametrize("kind", ITEMS)
def test_a_message_of_each_kind_is_drawn_as_it_was_looked_at(kind: str, golden: Golden) -> None:
    text = "".join(render_page(page_of(ITEMS[kind]), TERMINAL))

    golden(f"terminal/message-{kind}.txt", text.split("\n\n", 1)[-1])

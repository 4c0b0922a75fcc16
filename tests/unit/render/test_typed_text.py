"""What a person typed is shown as it was typed, in every format."""

import html
import re

import comrak
import pytest

from clew.parts import Words
from clew.render.html.parts import draw_part
from clew.render.html.prose import draw_typed
from clew.render.markdown import MarkdownOptions
from clew.render.markdown.options import MarkdownContext
from clew.render.markdown.parts import write_part
from clew.render.typed_text import TypedBlock, typed_blocks

DIFF = (
    "Apply this:\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-old = 1\n+new = 2\n+ spaced\n unchanged"
)
TYPED = [
    DIFF,
    "# no heading\n* no list\n1. nor this\n> nor a quote",
    "a *b* _c_ `d` [e](f) <g> &amp; ~~h~~ \\i",
    "two\n\n\nparagraphs, and  wide   gaps",
    "\tindented\n    more",
    "| a | b |\n|---|---|",
    "Title\n=====\nand\n-----",
    "```\nnothing closes this",
]


def shown_in(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", markup.replace("</p><pre", "</p>\n<pre")))


@pytest.mark.parametrize("text", TYPED)
def test_a_page_shows_every_sign(text: str) -> None:
    assert shown_in(draw_typed(text)) == text.strip("\n")
    assert "<strong>" not in draw_part(Words(text, is_typed=True))


@pytest.mark.parametrize("text", TYPED)
def test_markdown_reads_as_it_was_typed(text: str) -> None:
    place = MarkdownContext(options=MarkdownOptions(), save=lambda _path, _data: None)
    written = "\n\n".join(write_part(Words(text, is_typed=True), place))

    extensions = comrak.ExtensionOptions()
    extensions.table = extensions.strikethrough = True
    read = shown_in(comrak.render_markdown(written, extensions))

    assert [line for line in read.split("\n") if line.strip()] == [
        line for line in text.split("\n") if line.strip()
    ]


def test_code_between_fences_is_a_block() -> None:
    text = "Look:\n```python\nx  = 1\n```\nand ~~~ this"

    assert list(typed_blocks(text)) == [
        TypedBlock("Look:"),
        TypedBlock("x  = 1", is_code=True, language="python"),
        TypedBlock("and ~~~ this"),
    ]
    assert '<pre data-language="python"><code>x  = 1</code></pre>' in draw_typed(text)


def test_addresses_are_links_without_what_follows_them() -> None:
    drawn = draw_typed('See https://a.test/b_c?d=1&e=2, (http://b.test). javascript:alert(1) "x')

    links = re.findall(r'<a href="([^"]*)"', drawn)
    assert links == ["https://a.test/b_c?d=1&amp;e=2", "http://b.test"]


def test_tags_in_what_was_typed_are_words() -> None:
    assert "<script" not in draw_typed('https://a.test/"><script>alert(1)</script>')

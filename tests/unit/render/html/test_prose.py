"""Markdown, made harmless."""

import time
from xml.etree.ElementTree import Element

import comrak
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from clew.render.html import prose
from clew.render.html.prose import draw_prose, language_of
from tests.unit.render.html.parsing import find, parse_piece, text_of


def drawn(text: str) -> Element:
    return parse_piece(draw_prose(text))


def test_markdown_is_markup() -> None:
    assert draw_prose("*a* **b** `c` ~~d~~") == (
        "<p><em>a</em> <strong>b</strong> <code>c</code> <del>d</del></p>"
    )


def test_raw_html_is_words() -> None:
    tree = drawn("<script>alert(1)</script>\n\nand <img src=x onerror=y> here")

    assert not list(find(tree, "script"))
    assert not list(find(tree, "img"))
    assert "<img src=x onerror=y>" in text_of(tree)


def test_a_block_of_html_keeps_its_lines() -> None:
    assert draw_prose("<task>\n  do <b>it</b>\n</task>") == (
        "<p>&lt;task&gt;\n  do &lt;b&gt;it&lt;/b&gt;\n&lt;/task&gt;</p>"
    )


def test_a_footnote_keeps_its_words() -> None:
    shown = text_of(drawn("So they say[^1].\n\n[^1]: hearsay\n\n> [^b]: rumour"))

    assert "So they say[^1]." in shown
    assert "[^1]: hearsay" in shown
    assert "[^b]: rumour" in shown


def test_a_footnote_in_code_stays_as_it_is() -> None:
    code = "```md\n[^1]: hearsay\n```"

    assert text_of(drawn(f"{code}\n\n[^1]: hearsay")).count("\\") == 0
    assert "[^1]: hearsay" in text_of(drawn(code))


def test_links_to_the_web_can_be_followed() -> None:
    html = draw_prose("[a](https://example.org/?a=1&b=2)")

    assert html == '<p><a href="https://example.org/?a=1&amp;b=2" rel="noreferrer">a</a></p>'


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "JaVaScRiPt:x", "data:text/html,x", "src/a.py", "&#x01;javascript:1"],
)
def test_other_links_are_words(url: str) -> None:
    tree = drawn(f"[words]({url}) <{url}>")

    assert not list(find(tree, "a"))
    assert "words" in text_of(tree)


def test_a_picture_from_elsewhere_is_a_link_and_loads_nothing() -> None:
    tree = drawn("![a chart](https://example.org/c.png) ![](data:image/png;base64,AAAA)")

    assert not list(find(tree, "img"))
    assert [text_of(link) for link in find(tree, "a")] == ["a chart"]


def test_a_picture_in_a_link_does_not_nest_links() -> None:
    tree = drawn("[![badge](https://example.org/b.svg)](https://example.org)")

    assert len(list(find(tree, "a"))) == 1


def test_headings_stand_below_those_of_the_page() -> None:
    assert draw_prose("# a\n\n## b\n\n##### c") == "<h4>a</h4><h5>b</h5><h6>c</h6>"


def test_a_fence_tells_its_language() -> None:
    html = draw_prose('```py "title"\na < b\n```')

    assert html == '<pre data-language="py"><code>a &lt; b\n</code></pre>'


def test_a_fence_with_odd_words_tells_none() -> None:
    assert draw_prose('```"onclick=x\na\n```') == "<pre><code>a\n</code></pre>"


def test_tables_scroll_and_align_by_class() -> None:
    html = draw_prose("|a|b|\n|-|-:|\n|1|2|")

    assert html.startswith('<div class="wide"><table>')
    assert '<td class="right">2</td>' in html


def test_tasks_are_boxes_with_a_name() -> None:
    html = draw_prose("- [x] a\n- [ ] b")

    assert 'aria-label="done">☑' in html
    assert 'aria-label="to do">☐' in html


def test_characters_hidden_as_entities_are_seen() -> None:
    assert "⟨U+202E⟩" in draw_prose("a&#x202e;b")


def test_half_a_character_does_not_stop_a_page() -> None:
    assert draw_prose("a\ud800b") == "<p>a\ufffdb</p>"


def test_a_table_that_would_be_millions_of_cells_is_none() -> None:
    text = "|a" * 3000 + "|\n" + "|-" * 3000 + "|\n" + "b\n" * 3000

    start = time.process_time()
    html = draw_prose(text)

    assert "<table" not in html
    assert time.process_time() - start < 5


def test_a_text_too_long_to_be_prose_stays_as_it_is() -> None:
    html = draw_prose("*a*\n" * 60_000)

    assert html.startswith('<div class="words">*a*\n')


@settings(deadline=None)
@given(st.text(st.sampled_from('<>&"[]()!`*_#|-\n aj:/x')))
def test_any_markdown_is_valid_html(text: str) -> None:
    tree = drawn(text)

    assert all(link.get("href", "").startswith(("http", "mailto:")) for link in find(tree, "a"))


def test_a_language_is_named_by_fence_or_file() -> None:
    assert language_of("Python title=x") == "python"
    assert language_of("", "/a/b.test.TS") == "ts"
    assert language_of("", "C:\\a\\Makefile") == "makefile"
    assert language_of('"><b>') == ""


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("see http://a.example now", "http://a.example"),
        ("see www.a.example now", "http://www.a.example"),
        ("ask me@a.example now", "mailto:me@a.example"),
        ("ask me&#64;a.example now", "mailto:me@a.example"),
    ],
)
def test_bare_addresses_are_links(text: str, address: str) -> None:
    links = find(drawn(text), "a")

    assert [link.get("href") for link in links] == [address]


_PIECES = (
    "w",
    "www",
    "http",
    ":",
    "/",
    "//",
    ".",
    "a.example",
    " ",
    "\n",
    "*",
    "`",
    "[",
    "](",
    ")",
)


@given(
    st.lists(st.sampled_from((*_PIECES, "~~", "|", "-", "\\", "<", "!", "mailto:"))).map("".join)
)
def test_looking_for_addresses_changes_nothing_where_there_can_be_none(text: str) -> None:
    assume(not prose._may_link(text))  # noqa: SLF001

    looked, not_looked = (
        comrak.render_markdown(
            text,
            prose._extensions(tables=True, links=links),  # noqa: SLF001
            None,
            prose._render_options(),  # noqa: SLF001
        )
        for links in (True, False)
    )

    assert looked == not_looked

"""Markdown: what holds for every page, checked with a parser."""

import datetime as dt
import html
import json
import re
from itertools import product

import comrak
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.parts import Code, Diff, DiffHunk, Fields, Image, Output, Part, Prose, Table, Words
from clew.render.markdown import MarkdownOptions, estimate_tokens, render_markdown
from clew.render.markdown.inline import cell, code_span, fence, inline, link
from clew.render.markdown.prose import contain
from clew.render.safe import printable, safe_line
from clew.sessions import load
from clew.view import Detail, Item, UsageView, ViewOptions, make_page
from tests.recordings import HERE, Recording, parameters
from tests.unit.render.shapes import (
    ANSWER,
    EDIT,
    HEADER,
    ITEMS,
    PARTS,
    RUN,
    TURN,
    call,
    message,
    page_of,
)

END = "# the end of it"
PLAIN = MarkdownOptions(zone=dt.UTC, front_matter=False, details="plain")
FOLDED = MarkdownOptions(zone=dt.UTC, front_matter=False)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
PIECES = [
    *("```", "````", "~~~", "`", "``", "# ", "## ", "===", "---", "- ", "> ", "1. ", "    ", "\t"),
    *("</details>", "<details>", "<script>", "<!--", "-->", "<?", "<![CDATA[", "<b>", "</summary>"),
    *("[a](javascript:b)", "![a](http://b/c.png)", "[a]: data:x", "[a]", "<javascript:x>"),
    *(
        "|",
        "| - |",
        "a",
        "word",
        " ",
        "\n",
        "\n",
        "\n\n",
        "\\",
        "*",
        "_",
        "%%",
        "$$",
        "&lt;",
        "\x1b[2J",
    ),
    *("\u202e", "\x07", "请", "<https://a.b>", "[ ] ", "^", "\r", "{{ x }}", "[[a]]", "![[a]]"),
]
nasty = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)
anything = st.text(st.characters(codec=None), max_size=60) | nasty


def parsed(text: str, *, unsafe: bool = False) -> str:
    """Give the HTML that a parser makes of Markdown."""
    extensions, rendering = comrak.ExtensionOptions(), comrak.RenderOptions()
    extensions.table = extensions.tasklist = extensions.strikethrough = True
    rendering.unsafe_ = unsafe
    return comrak.render_markdown(text, extensions, comrak.ParseOptions(), rendering)


def written(*items: Item, options: MarkdownOptions = PLAIN) -> str:
    """Write a page of items."""
    return "".join(render_markdown(page_of(*items), options))


def told(text: str) -> MarkdownOptions:
    """Make options for so many tokens, an outline or not."""
    most, keep = text.split()
    return msgspec.convert(
        {"max_tokens": int(most), "keep": keep, "details": "plain"}, MarkdownOptions
    )


@given(nasty | anything)
def test_prose_ends_where_it_ends_and_keeps_below_its_heading(text: str) -> None:
    html = parsed(f"{contain(text, 3)}\n\n{END}\n")

    assert html.endswith("<h1>the end of it</h1>\n")
    assert re.findall("<h[123]>", html) == ["<h1>"]
    assert "raw HTML omitted" not in html
    assert "<img" not in html


@given(nasty)
def test_prose_links_nowhere_but_to_the_web_and_to_mail(text: str) -> None:
    html = parsed(contain(text, 3))

    found = re.findall('href="([^"]*)"', html)
    assert [url for url in found if not re.match(r"https?:|mailto:|[^:]+$", url)] == []


@given(anything)
def test_code_is_one_block_and_says_what_it_said(text: str) -> None:
    blocks = re.findall("<pre><code[^>]*>(.*?)</code></pre>", parsed(fence(text)), re.DOTALL)

    assert [html.unescape(block).strip("\n") for block in blocks] == [printable(text).strip("\n")]


@given(anything)
def test_a_line_of_words_says_what_it_said(text: str) -> None:
    shown = parsed(f"x {inline(text)}")

    assert (
        html.unescape(re.sub("<a [^>]*>|</a>", "", shown))
        == f"<p>{f'x {safe_line(text)}'.strip()}</p>\n"
    )


@given(anything)
def test_a_line_of_code_says_what_it_said(text: str) -> None:
    shown = re.findall("<code>(.*?)</code>", parsed(f"x {code_span(text)}"), re.DOTALL)

    assert [html.unescape(code) for code in shown] == [safe_line(text)][: len(shown)]
    assert bool(shown) == bool(safe_line(text))


@given(st.lists(anything, min_size=1, max_size=4))
def test_a_row_has_as_many_cells_as_it_was_given(cells: list[str]) -> None:
    row = f"| {' | '.join(map(cell, cells))} |"
    rule = "|---" * len(cells) + "|"

    assert parsed(f"{rule.replace('-', 'a')}\n{rule}\n{row}").count("<td>") == len(cells)


@given(nasty, st.sampled_from(["fold", "plain"]))
def test_no_text_breaks_the_structure_of_a_page(text: str, details: str) -> None:
    parts: list[Part] = [Prose(text), Words(text), Code(text, text), Output(text, text)]
    parts += [Fields(((text, text),)), Table((text,), ((text,),))]
    bash = call(text, text, *parts, state=text)
    page = [message("prompt", *parts, who=text, title=text), message("answer", bash, who=text)]
    options = msgspec.structs.replace(FOLDED, details=details)

    shown = parsed(f"{written(*page, options=options)}\n\n{END}\n", unsafe=True)

    heads = 3 if text.strip() else len(re.findall("<h3>", shown)) + 1
    assert shown.endswith("<h1>the end of it</h1>\n")
    assert len(re.findall("<h[123]>", shown)) == heads + 1
    assert shown.count("<details>") == shown.count("</details>")
    assert re.search("<(?:script|!--|[?]|!)", shown) is None


@given(nasty, st.integers(0, 600), st.sampled_from(["newest", "outline"]))
def test_tokens_are_never_more_than_were_asked_for(text: str, most: int, keep: str) -> None:
    page = page_of(ITEMS["prompt"], message("answer", Prose(text * 9), who="Opus"), ANSWER)
    options = told(f"{most} {keep}")

    shown = "".join(render_markdown(page, options))

    assert estimate_tokens(shown) <= most


def test_with_room_enough_a_counted_page_is_the_whole_page() -> None:
    page = page_of(*ITEMS.values())
    counted = msgspec.structs.replace(PLAIN, max_tokens=100_000)

    assert "".join(render_markdown(page, counted)) == "".join(render_markdown(page, PLAIN))


def test_of_a_long_text_the_middle_is_left_out_with_a_note() -> None:
    text = " ".join(f"word{number}" for number in range(5000))
    counted = msgspec.structs.replace(PLAIN, max_tokens=400)

    shown = written(message("prompt", Prose(text), who="You", id="turn-1"), options=counted)

    assert "word0 " in shown
    assert "word4999" in shown
    assert re.search("… [0-9,]+ characters left out …", shown)
    assert "*Shortened: turn 1.*" in shown


def test_chinese_counts_by_its_characters_and_latin_by_its_bytes() -> None:
    assert (estimate_tokens("abcdefgh"), estimate_tokens("重试错误重试")) == (2, 4)


def test_every_fact_of_the_front_matter_can_be_read_back() -> None:
    title = 'a: "b" # \\ - [c] {d}\n---\nkey: x'
    page = page_of(header=msgspec.structs.replace(HEADER, title=title))

    shown = "".join(render_markdown(page, MarkdownOptions(zone=dt.UTC))).split("\n---\n")[0]

    facts = dict(re.findall(r"^(\w+): (.*)$", shown, re.MULTILINE))
    assert json.loads(facts["title"]) == 'a: "b" # \\ - [c] {d} --- key: x'
    assert facts["started"] == "2026-11-01T09:00:00Z"
    assert facts["cost_usd"] == "0.07 # estimate at API prices"
    assert " ".join(facts) == "title session project branch started ended tokens cost_usd"


def test_pictures_are_written_beside_once_asked_for() -> None:
    saved: dict[str, bytes] = {}
    options = msgspec.structs.replace(PLAIN, images="link")
    page = page_of(ITEMS["picture"], ITEMS["picture"])

    shown = "".join(render_markdown(page, options, saved.__setitem__))

    [(path, data)] = saved.items()
    assert re.fullmatch("assets/[0-9a-f]{16}[.]png", path)
    assert data.startswith(b"\x89PNG")
    assert shown.count(f"![a dot]({path})") == 2


@pytest.mark.parametrize(
    "image",
    [
        Image("image/svg+xml", "PHN2Zy8+"),
        Image("image/png", "no base64"),
        Image("image/png", url="http://a.b/c.png"),
        Image("text/html", "PGI+"),
    ],
)
def test_what_is_no_picture_to_trust_is_only_named(image: Image) -> None:
    options = msgspec.structs.replace(PLAIN, images="embed")

    shown = written(message("prompt", image, who="You"), options=options)

    assert "![" not in shown
    assert "*image" in shown


def test_a_picture_can_be_part_of_the_file() -> None:
    options = msgspec.structs.replace(PLAIN, images="embed")

    shown = written(ITEMS["picture"], options=options)

    assert f"](data:image/png;base64,{PARTS['image'][0].data})" in shown  # type: ignore[union-attr] # an image


def test_lines_that_are_a_lower_bound_are_marked() -> None:
    least = msgspec.structs.replace(EDIT, is_lower_bound=True)

    text = written(message("answer", least))

    assert "≥ +2 -1" in text


def test_the_first_line_of_an_empty_file_is_line_zero_of_a_diff() -> None:
    diff = Diff("a.txt", (DiffHunk(1, 1, ("+one",)),), 1, 0)

    assert "@@ -0,0 +1,1 @@" in written(message("answer", call("Edit", "a", diff)))


def test_without_details_a_call_is_one_line() -> None:
    options = msgspec.structs.replace(PLAIN, details="none")

    lines = written(ANSWER, options=options).split("\n")

    listed = [line for line in lines if line.startswith("- **")]
    assert listed == [
        "- **Edit** `src/a.py` — +2 -1, 4.1 kB, 1.2 s",
        "- **Bash** `make | tee log` — exit 2, 12.4 s",
        "- **Write** `b.txt` — denied",
    ]


def test_only_addresses_of_the_web_and_of_mail_are_links() -> None:
    assert link("https://a.b", "A") == "[A](https://a.b)"
    assert link("mailto:a@b.c", "") == "[mailto:a@b.c](mailto:a@b.c)"
    assert link("file:///etc/passwd", "A") == "A `file:///etc/passwd`"
    assert link("https://a.b) [x](y", "A") == "A `https://a.b) [x](y`"


@pytest.mark.parametrize("recording", parameters(HERE))
def test_every_recording_is_written_at_every_detail(recording: Recording) -> None:
    for conversation, detail in product(map(load, recording.transcripts()), Detail):
        page = make_page(conversation, ViewOptions(detail=detail))

        shown = "".join(render_markdown(page, FOLDED))

        assert CONTROL.search(shown) is None
        assert parsed(f"{shown}\n\n{END}\n").endswith("<h1>the end of it</h1>\n")


def test_the_same_page_is_always_the_same_text() -> None:
    page = page_of(*ITEMS.values())

    assert "".join(render_markdown(page, FOLDED)) == "".join(render_markdown(page, FOLDED))


def test_what_a_turn_and_a_run_cost_at_least_is_told_as_that() -> None:
    spent = UsageView(given_tokens=9, cost_nano_usd=310_000_000, quality="lower_bound")
    run = msgspec.structs.replace(RUN, spent=spent)
    page = page_of(
        message("prompt", id="turn-1"), message("answer", call("Agent", "x", runs=(run,)))
    )
    turn = msgspec.structs.replace(TURN, spent=spent)
    frame = msgspec.structs.replace(page.frame, turns=(turn,))

    text = "".join(render_markdown(msgspec.structs.replace(page, frame=frame), PLAIN))

    assert text.count("≥ $0.31") == 3


def test_what_a_person_said_to_a_call_keeps_its_lines() -> None:
    text = written(message("answer", call("AskUserQuestion", "Two", reply="One? → *a*\nTwo? → b")))

    assert "<p>One? → *a*</p>\n<p>Two? → b</p>" in parsed(text)

"""Text that is made safe."""

import re

from hypothesis import given
from hypothesis import strategies as st

from clew.render.html.escaping import (
    anchor,
    class_names,
    clean,
    escape,
    escape_fully,
    escape_value,
    safe_url,
    tint,
)

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
ANY_TEXT = st.text(st.characters(codec=None))


def test_tags_and_entities_are_escaped() -> None:
    assert escape('<b title="x">&amp;') == '&lt;b title="x"&gt;&amp;amp;'


def test_a_value_cannot_end_its_attribute() -> None:
    assert escape_value('" onclick="x') == "&quot; onclick=&quot;x"


def test_turners_of_direction_and_controls_are_seen() -> None:
    assert clean("a\u202eb\x00c\x1bd\x85") == "a⟨U+202E⟩b␀c␛d⟨U+0085⟩"


def test_hidden_tags_are_seen() -> None:
    assert clean("ok\U000e0041") == "ok⟨U+E0041⟩"


def test_half_a_character_becomes_a_mark() -> None:
    assert clean("a\ud800b") == "a\ufffdb"


def test_lines_tabs_and_joiners_stay() -> None:
    text = "a\n\tb\u200dc\u200fd — 你好"

    assert clean(text) == text


def test_line_ends_of_windows_are_line_ends() -> None:
    assert clean("a\r\nb\rc") == "a\nb␍c"


@given(ANY_TEXT)
def test_no_text_keeps_a_control(text: str) -> None:
    escaped = escape_value(text)

    assert CONTROLS.search(escaped) is None
    assert not set('<>"') & set(escaped)


def test_a_long_text_is_cleaned_as_a_short_one_is() -> None:
    assert clean("x" * 5000 + "\x07") == "x" * 5000 + "␇"


def test_usual_ids_are_anchors_as_they_are() -> None:
    assert anchor("m", "msg_01-ab") == "m-msg_01-ab"


@given(st.sets(ANY_TEXT, min_size=2, max_size=6))
def test_other_ids_give_other_anchors(names: set[str]) -> None:
    anchors = {anchor("m", name) for name in names}

    assert len(anchors) == len(names)
    assert all(re.fullmatch(r"m-[A-Za-z0-9_.-]*", each) for each in anchors)


def test_a_long_id_gives_a_short_anchor() -> None:
    one, other = anchor("m", "/" * 500), anchor("m", "/" * 501)

    assert one != other
    assert len(one) < 150


def test_links_lead_to_the_web_and_to_mail() -> None:
    for url in ("https://example.org/a?b=c#d", "HTTP://example.org", "mailto:a@example.org"):
        assert safe_url(f" {url} ") == url


def test_no_other_link_is_followed() -> None:
    for url in (
        "javascript:alert(1)",
        " java\nscript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//example.org",
        "src/a.py",
        'https://a"onclick=x',
        "https://",
        "",
    ):
        assert safe_url(url) == ""


def test_classes_are_words() -> None:
    assert class_names(("prompt", 'x" onclick', "system-info", "")) == "prompt system-info"


def test_only_our_colours_are_colours() -> None:
    assert [tint("purple"), tint("red; background: url(x)")] == ["tint-purple", ""]


def test_what_stands_in_many_parts_is_escaped_as_templates_do() -> None:
    assert escape_fully("a'b\"/<&>\x1b") == "a&#x27;b&quot;&#x2f;&lt;&amp;&gt;␛"

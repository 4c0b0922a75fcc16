"""Long texts, code with numbers, diffs and pictures."""

import base64

import pytest

from clew.parts import Code, Diff, DiffHunk, Image, Output
from clew.render.html.diff import draw_hunks
from clew.render.html.folding import code_ranges, output_ranges
from clew.render.html.images import data_uri

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\nrest").decode()


def numbered_lines(count: int) -> str:
    return "\n".join(f"line {number}" for number in range(1, count + 1))


def test_a_short_text_is_one_stretch() -> None:
    (stretch,) = code_ranges(Code(numbered_lines(40) + "\n"))

    assert (stretch.lines, stretch.is_folded, stretch.numbers) == (40, False, "")


def test_the_middle_of_a_long_text_is_folded_and_nothing_is_lost() -> None:
    text = numbered_lines(100)

    stretches = output_ranges(Output(text))

    assert [(s.lines, s.is_folded) for s in stretches] == [(20, False), (70, True), (10, False)]
    assert "\n".join(stretch.text for stretch in stretches) == text


def test_a_colour_that_is_on_at_a_cut_goes_on() -> None:
    stretches = output_ranges(Output("\x1b[31m" + numbered_lines(50)))

    assert all(stretch.text.startswith('<span class="ink-red">') for stretch in stretches)


@pytest.mark.parametrize("first", [0, 1, 41, 3980, 9000])
def test_lines_have_their_true_numbers(first: int) -> None:
    stretches = code_ranges(Code(numbered_lines(60), first_line=first))

    numbers = "\n".join(stretch.numbers for stretch in stretches).split("\n")
    assert numbers == [str(number) for number in range(first, first + 60)]


def test_a_diff_numbers_removed_lines_as_they_were() -> None:
    hunk = DiffHunk(40, 50, (" a", "-b", "+c", "+d", " e", "\\ No newline at end of file"))

    (view,) = draw_hunks(Diff("x", (hunk,), 2, 1))

    assert view.numbers.split("\n") == ["50", "41", "51", "52", "53", ""]


def test_a_diff_of_unknown_place_has_no_numbers() -> None:
    (view,) = draw_hunks(Diff("x", (DiffHunk(None, None, ("+a",)),), 1, 0))

    assert view.numbers == ""


def test_a_diff_marks_what_changed_inside_a_line() -> None:
    hunk = DiffHunk(1, 1, ("-    return put(1)", "+    return put(<2>)"))

    (view,) = draw_hunks(Diff("x", (hunk,), 1, 1))

    assert view.text == (
        '<span class="removed">-    return put(<b class="changed">1</b>)\n</span>'
        '<span class="added">+    return put(<b class="changed">&lt;2&gt;</b>)\n</span>'
    )


def test_lines_that_share_little_are_not_compared() -> None:
    (view,) = draw_hunks(Diff("x", (DiffHunk(1, 1, ("-one", "+other thing")),), 1, 1))

    assert "changed" not in view.text


def test_a_picture_is_shown_from_its_own_bytes() -> None:
    assert data_uri(Image("image/png", PNG)) == f"data:image/png;base64,{PNG}"


@pytest.mark.parametrize(
    "image",
    [
        Image("image/svg+xml", PNG),
        Image("text/html", PNG),
        Image("image/png", 'AAAA" onerror="x'),
        Image("image/png", base64.b64encode(b"<svg onload=x>").decode()),
        Image("image/png", "é"),
        Image("image/png", url="https://example.org/a.png"),
    ],
)
def test_what_is_no_bitmap_is_not_shown(image: Image) -> None:
    assert data_uri(image) == ""


def test_a_return_at_the_end_of_a_line_of_a_diff_is_seen() -> None:
    diff = Diff("a", (DiffHunk(1, 1, ("+one\r", "+<two>")),), 2, 0)

    (hunk,) = draw_hunks(diff)

    assert hunk.text == '<span class="added">+one␍\n+&lt;two&gt;\n</span>'

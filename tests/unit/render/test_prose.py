"""Prose, code and output as lines."""

from clew.render.terminal.lines import Line
from clew.render.terminal.prose import fold, folded, prose


def texts(lines: list[Line]) -> list[str]:
    """Give lines without their styles."""
    return ["".join(text for text, _ in line) for line in lines]


def test_prose_is_at_most_a_hundred_columns_wide() -> None:
    lines = texts(list(prose("word " * 100, 200)))

    assert max(map(len, lines)) <= 100


def test_code_and_tables_take_the_whole_width() -> None:
    text = f"```\n{'x' * 150}\n```\n| {'y' * 150} |"

    assert texts(list(prose(text, 200))) == ["```", "x" * 150, "```", f"| {'y' * 150} |"]


def test_lists_keep_their_indent() -> None:
    lines = texts(list(prose("  1. " + "word " * 30, 60)))

    assert {line[:5] for line in lines[1:]} == {"     "}


def test_code_and_bold_words_have_a_style_and_keep_their_marks() -> None:
    [line] = prose("a `b` **c**", 80)

    assert line == [("a ", ""), ("`b`", "code"), (" ", ""), ("**c**", "strong")]


def test_empty_lines_are_joined_but_not_in_code() -> None:
    text = "\n\na\n\n\nb\n```\nc\n\n\nd\n```\n"

    assert texts(list(prose(text, 80))) == ["a", "", "b", "```", "c", "", "", "d", "```"]


def test_long_output_is_folded_to_its_ends_with_a_count() -> None:
    output = "\n".join(map(str, range(100)))

    lines = texts(list(folded(output, 80, 6)))

    assert lines == ["0", "1", "2", "3", "… 94 lines …", "98", "99"]


def test_a_single_line_is_never_folded_away() -> None:
    output = "\n".join(map(str, range(7)))

    assert texts(list(folded(output, 80, 6))) == list("0123456")
    assert texts(fold([[line] for line in prose(output, 80)], 6)) == list("0123456")


def test_of_a_line_without_end_only_the_start_is_shown() -> None:
    lines = texts(list(folded("x" * 5000, 1000, 6)))

    assert lines == ["x" * 1000, "x" * 1000, "… 3,000 more characters"]

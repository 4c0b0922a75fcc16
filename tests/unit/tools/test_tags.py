"""Tags in a result's text."""

import pytest

from clew.tools.result_text.tags import read_body, read_tag, without_reminders

REMINDER = "<system-reminder>\nBe good.\n</system-reminder>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "a"),
        ("a \n", "a \n"),
        (f"a\n\n{REMINDER}", "a"),
        (f"a\n{REMINDER}\n\n{REMINDER}\n", "a"),
        (f"a\n{REMINDER}\nb", f"a\n{REMINDER}\nb"),
        (REMINDER, ""),
        ("a</system-reminder>", "a</system-reminder>"),
    ],
)
def test_reminders_at_the_end_are_cut_off(text: str, expected: str) -> None:
    assert without_reminders(text) == expected


def test_many_reminders_take_no_time() -> None:
    text = "a" + "<system-reminder></system-reminder>" * 100_000

    assert without_reminders(text) == "a"


def test_a_tag_ends_at_its_first_close_and_a_body_at_its_last() -> None:
    text = "<x>a</x>b</x>"

    assert read_tag(text, "x") == "a"
    assert read_body(text, "x") == "a</x>b"


def test_a_tag_that_is_not_there_is_none() -> None:
    assert read_tag("</x><x>a", "x") is None
    assert read_tag("a</x>", "x") is None
    assert read_body("</x><x>a", "x") == ""

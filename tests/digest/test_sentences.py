"""What counts as a sentence of a message, and when two are the same."""

from time import process_time

import pytest

from clew.digest.plain import cut, is_plain, strip_markdown
from clew.digest.sentences import count_words, sentence_key, split_sentences


def texts_of(text: str, *, is_typed: bool = False) -> list[str]:
    return [sentence.text for sentence in split_sentences(text, is_typed=is_typed)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It works. It is fast!", ["It works.", "It is fast!"]),
        ("We use e.g. a cache. Then we stop.", ["We use e.g. a cache.", "Then we stop."]),
        ("See a.py. it is short", ["See a.py. it is short"]),
        ("We did not\ndelete the database.", ["We did not delete the database."]),
        ("Add a page\nAlso fix the header", ["Add a page", "Also fix the header"]),
        ("One is done.\ntwo is not", ["One is done.", "two is not"]),
        ("Work:\nNothing was done", ["Work:", "Nothing was done"]),
        ("We never did this:\ndelete rows", ["We never did this: delete rows"]),
        ("# Plan\n- [ ] first thing\n- second\n  thing", ["Plan", "first thing", "second thing"]),
        ("| a | b |\n|---|---|\n| c | d |", ["a b", "c d"]),
        ("修复了错误。现在正常\uff01", ["修复了错误。", "现在正常\uff01"]),
        ("**Done.** Next one", ["Done.", "Next one"]),
        ("See [the docs](https://example.org/a) now", ["See the docs now"]),
        ("Version 1.2 of `a.b` is out", ["Version 1.2 of a.b is out"]),
        ("", []),
    ],
)
def test_splits_talk_into_sentences(text: str, sentences: list[str]) -> None:
    assert texts_of(text) == sentences


@pytest.mark.parametrize(
    "text",
    [
        "```\nThe build is broken on main.\n```",
        "~~~text\nThe build is broken on main.\n```\n~~~",
        "- ```\n  The build is broken on main.\n  ```",
        "> The build is broken on main.\nand so are the tests",
        "```\nnever closed\n\nThe build is broken on main.",
        "    The build is broken on main.",
    ],
)
def test_code_and_quotations_are_no_sentences(text: str) -> None:
    assert texts_of(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "$ make\nThe build is broken on main.",
        "mira@laptop:~/shop$ make\nThe build is broken on main.",
        "(env) mira@laptop:~/shop$ make\nThe build is broken on main.",
        "Traceback (most recent call last):\n  The build is broken on main.",
        "2026-11-01 09:00:00 The build is broken on main.",
        "ERROR The build is broken on main.",
        "  ⎿  The build is broken on main.",
        "fatal: The build is broken on main.",
    ],
)
def test_pasted_output_is_no_sentence_of_its_user(text: str) -> None:
    assert texts_of(f"Please look at this.\n\n{text}", is_typed=True) == ["Please look at this."]


@pytest.mark.parametrize(
    "quote",
    [
        "we DID not delete  the\ndatabase",
        "**We did not** delete the `database`.",
        "- We did not delete the _database_",
        "“We did not delete the database”",
        "We did not delete [the database](https://example.org)",
        "We did\u200b not delete the database",
    ],
)
def test_whitespace_case_and_markdown_make_no_difference(quote: str) -> None:
    assert sentence_key(quote) == sentence_key("We did not delete the database.")


@pytest.mark.parametrize(
    "quote",
    [
        "We did delete the database.",
        "We did not delete the datab\u0430se.",
        "did not delete the database",
    ],
)
def test_words_make_a_difference(quote: str) -> None:
    assert sentence_key(quote) != sentence_key("We did not delete the database.")


@pytest.mark.parametrize(
    ("text", "count"),
    [("one two", 2), ("1 2 three - four", 2), ("修复了错误。", 2), ("don't stop a.py", 3), ("", 0)],
)
def test_counts_words(text: str, count: int) -> None:
    assert count_words(text) == count


@pytest.mark.parametrize(
    "text",
    [
        "see https://example.org",
        "see www.example.org",
        "javascript:alert(1)",
        "data:text/html,x",
        "<b>bold</b>",
        "</p>",
        "&lt;b&gt;",
        "&#60;b",
        "[a](b)",
        "![a",
        "**bold**",
        "`code`",
        "~~gone~~",
        "a\x1b[31mb",
        "a\u202eb",
        "a\u200bb",
        "a" + "\u0301" * 9,
    ],
)
def test_markup_and_unseen_characters_are_not_plain(text: str) -> None:
    assert not is_plain(text)


@pytest.mark.parametrize(
    "text", ["a < b && c > d", "x[0] is 1", "café *.py", "__init__ 修复", "a_b"]
)
def test_signs_of_other_use_are_plain(text: str) -> None:
    assert is_plain(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**a** and *b* and ***c***", "a and b and c"),
        ("_a_ __b c__ __init__ a_b_c", "a b c __init__ a_b_c"),
        ("`src/**/*.py` stays", "src/**/*.py stays"),
        ("![alt](x.png) [a](b(c)d)", "alt a"),
        (r"\*not\*", "*not*"),
        ("a\u2028b\u200bc", "a bc"),
    ],
)
def test_strips_markdown(text: str, plain: str) -> None:
    assert strip_markdown(text) == plain


def test_cuts_at_a_word() -> None:
    assert cut("one two three", 9) == "one two…"
    assert cut("onetwothree", 6) == "onetw…"
    assert cut("one", 3) == "one"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\n\n".join(["..." * 6000] * 5), id="dots"),
        pytest.param("- " * 40_000 + "x", id="dashes"),
        pytest.param("\n\n".join(["".join("`" * n + " " for n in range(1, 190))] * 5), id="ticks"),
    ],
)
def test_hostile_text_takes_no_long_time(text: str) -> None:
    start = process_time()

    split_sentences(text)

    assert process_time() - start < 2

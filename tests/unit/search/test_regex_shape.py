"""What is known of a regular expression before it runs."""

import math

import pytest

from clew.search.regex_shape import read_shape

LENGTH = 2000


def needles(source: str) -> tuple[str, ...]:
    shape = read_shape(source)
    assert shape is not None
    return shape.needles


def steps(source: str, length: int = LENGTH) -> float:
    shape = read_shape(source)
    assert shape is not None
    return shape.steps.at(length)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("timeout", ("timeout",)),
        ("time ?out", ("time",)),
        (r"\bimport\b", ("import",)),
        (r"a\.py", ("a.py",)),
        ("]}", ("]}",)),
        ("(time)out", ("timeout",)),
        ("(?:ab)+c", ("ab",)),
        ("abd*c{2}", ("ab",)),
        ("b+", ("b",)),
        ("x{0,3}", ()),
        ("cache|retry", ("cache", "retry")),
        ("(bug|x)fixed", ("fixed",)),
        ("(cache|retry)s?", ("cache", "retry")),
        ("cache|", ()),
        (r"[ab]\w.", ()),
        ("[]x]y", ("y",)),
        ("^$", ()),
        ("", ()),
    ],
)
def test_every_match_holds_one_of_the_needles(source: str, expected: tuple[str, ...]) -> None:
    assert needles(source) == expected


@pytest.mark.parametrize(
    "source", [r"(\w)\1", "(?=a)", "(?i)a", "(?P<x>a)", r"\x41", "[[a]", "[a--b]", "a{", "a{}"]
)
def test_of_what_is_not_plain_nothing_is_known(source: str) -> None:
    assert read_shape(source) is None


@pytest.mark.parametrize(
    "source", ["timeout", "(a|b)?c{1,3}d", r"inval\w+", r"(https?://\S+)", r"x.*|y\w{2,}?", "[^a]b"]
)
def test_what_cannot_go_far_back_takes_no_longer_on_long_texts(source: str) -> None:
    assert steps(source, 10) == steps(source, 1_000_000)


@pytest.mark.parametrize("source", ["a.*b", r"(\w+)x", r"\w+\.\w+\(", r'"[^"]*"', r"\d{2,}:"])
def test_one_that_may_go_back_from_anywhere_takes_as_long_as_the_text(source: str) -> None:
    assert LENGTH < steps(source) < 10 * LENGTH


@pytest.mark.parametrize("source", ["a.*b.*c", r"\w+\.?\w+x", "[a-z]+X.*y"])
def test_each_repeat_that_may_give_back_multiplies(source: str) -> None:
    assert LENGTH**2 < steps(source) < 20 * LENGTH**2


@pytest.mark.parametrize(
    "source", ["(a+)+$", "(a|aa)+b", "(.*)*x", "(a{2}){3}", "a?" * 30 + "a" * 30, ".*" * 9 + "x"]
)
def test_one_that_may_never_end_is_beyond_measure(source: str) -> None:
    assert steps(source) > 1e9


def test_a_pattern_as_long_as_can_be_is_still_measured() -> None:
    assert steps("(a|b)?" * 160) > 1e9
    assert steps(".{1,999}" * 120 + "x") == math.inf

"""What errors say."""

import pytest

from clew.errors import SessionNotFoundError


@pytest.mark.parametrize(
    ("matches", "named"),
    [
        (["3f00aaaa-1", "3f00bbbb-1"], "3f00aaaa, 3f00bbbb"),
        (["3f00aaaa-12", "3f00aaaa-11"], "3f00aaaa-11, 3f00aaaa-12"),
        (["3f", "3f0"], "3f, 3f0"),
        ([f"3f{number:06}" for number in range(9)], "3f000000, 3f000001, 3f000002, 3f000003, "),
    ],
)
def test_a_prefix_of_several_sessions_is_answered_with_prefixes_of_one(
    matches: list[str], named: str
) -> None:
    told = str(SessionNotFoundError("3f", matches))

    assert told.startswith(f"{len(matches)} session ids start with '3f': {named}")


def test_of_many_sessions_some_are_named() -> None:
    matches = [f"3f{number:06}" for number in range(9)]

    assert str(SessionNotFoundError("3f", matches)).endswith(", 3f000004, …; use a longer prefix")

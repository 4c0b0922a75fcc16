"""What is suggested for a query."""

import pytest

from clew.web.suggestions import suggest_terms, suggest_values

VALUES = {
    "project": ["/srv/harbour", "/srv/harbour/.worktrees/1", "/srv/my app", '/srv/a"b'],
    "branch": ["main", "harbour-fix"],
    "client_version": ["2.1.47"],
}


def values(name: str) -> list[str]:
    return VALUES.get(name, [])


def texts(text: str, page: str = "sessions", *, is_team: bool = False) -> list[str]:
    return [one.text for one in suggest_terms(text, values, page=page, is_team=is_team)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pro", ["project:"]),
        ("-pro", ["-project:"]),
        ("project:MY", ['project:"/srv/my app"']),
        ('project:"my', ['project:"/srv/my app"']),
        ("-project:1", ["-project:/srv/harbour/.worktrees/1"]),
        # A name that begins so comes before a path that contains it.
        ("project:harb", ["project:/srv/harbour", "project:/srv/harbour/.worktrees/1"]),
        ("client-version:", ["client-version:2.1.47"]),
        ("since:9", ["since:90d"]),
        ("is:", ["is:error", "is:running", "is:waiting"]),
        ("colour:", []),
        ("member:", []),
        ("branch:", ["branch:main", "branch:harbour-fix"]),
        (
            "harb",
            ["project:/srv/harbour", "project:/srv/harbour/.worktrees/1", "branch:harbour-fix"],
        ),
        # One letter begins too much.
        ("h", []),
        ("hid", ["hidden:"]),
        ("fix", ["branch:harbour-fix"]),
        # Words of a question are in the middle of many values, and begin none.
        ("arb", []),
        ("ha", []),
        ("id", []),
        # What stands before it changes nothing.
        ("ferry pro", ["project:"]),
        ("ferry is:err", ["is:error"]),
        ('"--- FAIL" is:err', ["is:error"]),
        ('is:error "a b" project:"my a', ['project:"/srv/my app"']),
        ("(ferry OR boat) -is:run", ["-is:running"]),
        ('"ferry is:err', []),
        ("is:err ", []),
    ],
)
def test_what_begins_so_is_suggested(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_search_knows_fields_and_no_running_sessions() -> None:
    assert texts("is:", "search") == ["is:error"]
    assert "in:results" in texts("in:", "search")
    assert texts("in:") == []


def test_members_are_suggested_in_a_team() -> None:
    assert "member:" in texts("mem", is_team=True)
    assert texts("mem") == []


def test_a_value_says_what_it_is() -> None:
    found = {one.value: one.help for one in suggest_values("project", "", values)}

    assert found["/srv/harbour/.worktrees/1"] == "worktree of harbour"
    assert '/srv/a"b' not in found


def test_what_is_so_or_not_is_yes_or_no() -> None:
    assert [one.text for one in suggest_values("starred", "", values)] == [
        "starred:yes",
        "starred:no",
    ]

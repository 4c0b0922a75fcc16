"""The filters of a query, as they were typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.search import filter_terms, quote_value, without_term


def test_filters_are_found_in_their_order() -> None:
    query = 'retry project:"my app" -tool:Bash is:error "in:all"'

    assert [(term.name, term.value, term.is_wanted) for term in filter_terms(query)] == [
        ("project", "my app", True),
        ("tool", "Bash", False),
        ("is", "error", True),
    ]


@pytest.mark.parametrize("query", ["", 'one "two', "project:", "std::vector http://x retry"])
def test_what_has_no_filters_or_cannot_be_read_has_none(query: str) -> None:
    assert filter_terms(query) == []


@pytest.mark.parametrize(
    ("query", "shown", "rest"),
    [
        ("retry tool:Bash", "tool:Bash", "retry"),
        ('project:"my app" retry', 'project:"my app"', "retry"),
        ("a -tool:Bash b", "-tool:Bash", "a b"),
        ("is:error", "is:error", ""),
    ],
)
def test_a_filter_is_taken_away_whole(query: str, shown: str, rest: str) -> None:
    [term] = filter_terms(query)

    assert query[term.start : term.end] == shown
    assert term.is_wanted != shown.startswith("-")
    assert without_term(query, term) == rest


@given(st.text(min_size=1, max_size=30))
def test_a_value_that_is_quoted_is_read_as_it_is(value: str) -> None:
    quoted = quote_value(value)
    if quoted is None:
        assert '"' in value or not value.strip()
        return
    [term] = filter_terms(f"project:{quoted}")
    assert term.value == value.strip()

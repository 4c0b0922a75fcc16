"""What newness adds to a score, and what comes first."""

from datetime import timedelta

import pytest

from clew.clock import format_time
from clew.search.filters import SessionFacts
from clew.search.ranking import AGELESS, HALF_LIFE_DAYS, Candidate, in_order, recency
from tests.unit.search.archives import NOW


def days_ago(days: float) -> str:
    return format_time(NOW - timedelta(days=days))


def test_half_of_what_newness_adds_is_gone_after_a_half_life() -> None:
    share = (recency(days_ago(HALF_LIFE_DAYS), NOW) - AGELESS) / (1 - AGELESS)

    assert share == pytest.approx(0.5, abs=0.01)


def test_the_newest_counts_in_full_and_the_oldest_keeps_its_share() -> None:
    assert recency(days_ago(0), NOW) == 1.0
    assert recency(days_ago(-3), NOW) == 1.0
    assert recency("1999-01-01", NOW) == pytest.approx(AGELESS)


@pytest.mark.parametrize("at", ["", "soon", "2026-99-99"])
def test_what_has_no_time_counts_as_old(at: str) -> None:
    assert recency(at, NOW) == AGELESS


def candidate(title: str, at: str, score: float) -> Candidate:
    return Candidate(SessionFacts(1, "s", title, "", "", "[]", at, at), "title", at, score)


def test_at_the_same_score_the_newer_comes_first_and_else_the_order_is_kept() -> None:
    old, new = "2026-11-01T09:00:00.000Z", "2026-11-02T09:00:00.000Z"
    given = [
        candidate("old", old, 1.0),
        candidate("new", new, 1.0),
        candidate("also new", new, 1.0),
        candidate("best", old, 2.0),
    ]

    ordered = [one.session.title for one in in_order(given)]

    assert ordered == ["best", "new", "also new", "old"]

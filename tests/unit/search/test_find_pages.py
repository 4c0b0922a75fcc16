"""Pages of hits: every hit is on one of them, the best first."""

from pathlib import Path

import pytest

from clew.search import parse_query, search
from clew.search.matches import RANKED
from clew.store import SearchIndex
from tests.build import SessionBuilder
from tests.unit.search.archives import NOW, archive, every_page, find, marked, written


def test_a_page_follows_the_other(tmp_path: Path) -> None:
    index = written(tmp_path, *(f"needle {number}" for number in range(7)))

    pages = [find(index, "needle", limit=3, offset=offset) for offset in (0, 3, 6, 9)]

    assert [len(page.hits) for page in pages] == [3, 3, 1, 0]
    assert {page.total for page in pages} == {7}
    assert len({hit.snippet.text for page in pages for hit in page.hits}) == 7


def test_no_hits_are_asked_for_with_a_limit_of_none(tmp_path: Path) -> None:
    results = find(written(tmp_path, "needle"), "needle", limit=0)

    assert (results.hits, results.total) == ((), 1)


def test_a_message_that_a_fork_repeats_is_one_hit(tmp_path: Path) -> None:
    session = SessionBuilder("first").at("2026-11-10T09:00:00Z").user("needle").assistant("Found.")
    fork = session.fork("second", marked=True).wait(3600).user("more").custom_title("-")
    index = archive(tmp_path, session.custom_title("-"), fork)

    (hit,) = find(index, "needle").hits

    assert (hit.session_id, hit.copies) == (session.session_id, 1)


def test_of_a_very_common_word_the_newest_texts_are_ranked_first(tmp_path: Path) -> None:
    many = SessionBuilder("old").at("2026-01-01T09:00:00Z").custom_title("-")
    for number in range(RANKED):
        many.user(f"needle {number}")
    few = SessionBuilder("new").at("2026-11-10T09:00:00Z").custom_title("-").user("needle, new")
    index = archive(tmp_path, many, few)

    results = find(index, "needle", limit=1)

    assert (results.total, results.is_exact, results.is_sampled) == (RANKED, False, True)
    assert results.hits[0].snippet.text == "needle, new"
    assert results.notes == (
        f"hits are ranked in groups of {RANKED} texts, the newest first",
        f"searched the newest {RANKED} of {RANKED + 1} texts; the next page continues",
    )
    assert results.next_offset == 1
    last = find(index, "needle", offset=RANKED)
    assert [hit.snippet.text for hit in last.hits] == ["needle 0"]
    assert (last.total, last.is_exact, last.next_offset) == (RANKED + 1, True, None)


@pytest.fixture(scope="module")
def needles(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    """Give an archive with 14 prompts and 13 answers that have the word, and a fork of them."""
    session = SessionBuilder("first").at("2026-11-10T09:00:00Z").custom_title("-")
    for number in range(13):
        text = f"needle {number} need-le"
        session.user(text).assistant(f"the needle of {text}")
    fork = session.fork("second", marked=True).wait(3600).user("needle, new: need-le")
    return archive(tmp_path_factory.mktemp("needles"), session, fork.custom_title("-"))


@pytest.mark.parametrize(
    "query",
    ["needle", "needle in:prompts", "needle -file:x", "/needle/", "/need(?=le)/ needle", "need-le"],
)
@pytest.mark.parametrize("limit", [1, 3, 20])
def test_every_hit_is_on_one_page(
    needles: SearchIndex, monkeypatch: pytest.MonkeyPatch, query: str, limit: int
) -> None:
    monkeypatch.setattr("clew.search.blocks.RANKED", 3)
    monkeypatch.setattr("clew.search.matches.RANKED", 3)
    monkeypatch.setattr("clew.search.blocks._EXAMINED", 1)
    monkeypatch.setattr("clew.search.find.REGEX_SECONDS", 60.0)
    monkeypatch.setattr("clew.search.windows.MATCHED", 2)
    monkeypatch.setattr("clew.search.windows._MATCHED_THEN", 3)

    pages = every_page(needles, query, limit)

    hits = [(hit.message_id, hit.block_ordinal) for page in pages for hit in page.hits]
    expected = 14 if "in:prompts" in query else 27
    assert (len(hits), len(set(hits))) == (expected, expected)
    assert (pages[-1].total, pages[-1].is_exact) == (expected, True)
    assert all(page.total <= expected for page in pages)


def test_a_page_that_took_long_need_not_be_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.search.blocks.RANKED", 2)
    monkeypatch.setattr("clew.search.matches.RANKED", 2)
    monkeypatch.setattr("clew.search.blocks._EXAMINED", 2)
    monkeypatch.setattr("clew.search.find._WORD_SECONDS", 0.0)
    index = written(tmp_path, *(f"needle {number}" for number in range(9)))

    results = find(index, "needle in:prompts")

    assert [hit.snippet.text for hit in results.hits] == ["needle 8", "needle 7"]
    assert (results.total, results.is_exact, results.next_offset) == (2, False, 2)
    assert results.notes[-1] == "searched the newest 2 of 9 texts; the next page continues"


def test_every_hit_of_a_long_page_is_shown_where_it_matches(tmp_path: Path) -> None:
    words = "long " * 2000 + "needle"
    session = SessionBuilder().at("2026-11-10T09:00:00Z").custom_title("-")
    for number in range(40):
        session.user(f"{number} {words}")
    index = archive(tmp_path, session)

    query = parse_query("needle", now=NOW)
    results = search(index, query, now=NOW, limit=40, read_text=lambda _: words)

    assert [marked(hit) for hit in results.hits] == [["needle"]] * 40

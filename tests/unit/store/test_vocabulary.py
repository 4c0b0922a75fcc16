"""The words of the full text, noted down."""

from pathlib import Path

import pytest

from clew.search import parse_query, search
from clew.store import SearchIndex
from tests.build import SessionBuilder, bash
from tests.unit.search.archives import NOW, archive

pytestmark = pytest.mark.usefixtures("few")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let three blocks be many."""
    monkeypatch.setattr("clew.store.sqlite.vocabulary._MANY_NEW", 3)


def talk(name: str, *words: str) -> SessionBuilder:
    session = SessionBuilder(name).at("2026-11-10T09:00:00Z").custom_title("-")
    for word in words:
        session.user(word)
    return session


def found(index: SearchIndex, regex: str) -> list[str]:
    query = parse_query(regex, now=NOW)
    return [hit.snippet.text for hit in search(index, query, now=NOW).hits]


def test_words_of_few_blocks_are_gathered_when_they_are_asked_for(tmp_path: Path) -> None:
    index = archive(tmp_path, talk("a", "needles", "Nadel"))

    assert index.words_with("prose", "eed") == (["needles"], None)


def test_words_of_many_blocks_are_noted(tmp_path: Path) -> None:
    session = talk("a", "needles", "haystack 12").tools(bash("ls", "needle and thread"))

    index = archive(tmp_path, session)

    newest = next(index.database.rows("newest_block"))
    assert index.words_with("prose", "eed") == (["needles"], newest[0])
    assert index.words_with("result", "eed") == (["needle"], newest[0])
    assert index.words_with("result", "zzz") == ([], newest[0])


def test_what_is_newer_than_the_note_is_found_too(tmp_path: Path) -> None:
    archive(tmp_path, talk("a", "one", "two", "needle")).database.close()

    index = archive(tmp_path, talk("b", "unneeded"))

    _, bound = index.words_with("prose", "eed")
    assert bound == 3
    assert sorted(found(index, "/eed/")) == ["needle", "unneeded"]
    assert found(index, "/eeded/") == ["unneeded"]
    assert found(index, "unneeded /eed/") == ["unneeded"]


def test_what_takes_the_place_of_something_else_is_found(tmp_path: Path) -> None:
    archive(tmp_path, talk("a", "one", "two", "needle")).database.close()

    index = archive(tmp_path, talk("a", "six", "ten", "speedy"))

    assert found(index, "/eed/") == ["speedy"]


def test_after_many_more_blocks_words_are_noted_again(tmp_path: Path) -> None:
    archive(tmp_path, talk("a", "one", "two", "needle")).database.close()

    index = archive(tmp_path, talk("b", "four", "five", "unneeded"))

    assert index.words_with("prose", "eed") == (["needle", "unneeded"], 6)

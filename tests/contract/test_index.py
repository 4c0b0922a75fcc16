"""What every index must do, tested through its protocol."""

import datetime as dt
from pathlib import Path

import pytest

from clew.search import Results, parse_query, search
from clew.store import Database, IndexAll, IndexAny, IndexPhrase, IndexQuery, SearchIndex
from clew.store.rows import SessionRows
from tests.build import SessionBuilder, bash
from tests.contract.backends import (
    Backend,
    reading,
    rows_of,
    write_sessions,
    writing,
)

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
WORDS = ("red apple", "green apple pie", "red wine", "Äpfel and fooBar")


def talk(name: str, *prompts: str) -> SessionBuilder:
    session = SessionBuilder(name).at("2026-11-10T09:00:00Z").custom_title("-")
    for prompt in prompts:
        session.user(prompt)
    return session


@pytest.fixture
def written(backend: Backend, tmp_path: Path) -> Backend:
    """Give a backend with a session of some prompts and a tool result."""
    session = talk("talk", *WORDS).tools(bash("ls", "an apple in a result"))
    with writing(backend) as index:
        write_sessions(index, [rows_of(session, tmp_path / "a")])
    return backend


def found(index: SearchIndex, query: IndexQuery, after: int = 0) -> list[str]:
    """Give the texts that a query finds among all but results."""
    blocks = index.find("prose", query, after)
    texts = {block: text for block, text, _ in index.database.rows("search_texts", {"ids": blocks})}
    return [texts[block] for block in sorted(blocks)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (IndexPhrase("apple"), [0, 1]),
        (IndexPhrase("APPLE"), [0, 1]),
        (IndexPhrase("apfel"), [3]),
        (IndexPhrase("red apple"), [0]),
        (IndexPhrase("apple red"), []),
        (IndexPhrase("app"), []),
        (IndexPhrase("app", is_prefix=True), [0, 1]),
        (IndexPhrase("green app", is_prefix=True), [1]),
        (IndexPhrase("bar"), [3]),
        (IndexAny((IndexPhrase("pie"), IndexPhrase("wine"))), [1, 2]),
        (IndexAll((IndexPhrase("red"), IndexPhrase("apple"))), [0]),
        (IndexAll((IndexPhrase("red"),)), [0, 2]),
        (IndexAll((IndexPhrase("red"),), (IndexPhrase("wine"),)), [0]),
        (IndexAll((IndexPhrase("apple"),), (IndexPhrase("pie"), IndexPhrase("red"))), []),
        (
            IndexAll((IndexAny((IndexPhrase("red"), IndexPhrase("pie"))), IndexPhrase("apple"))),
            [0, 1],
        ),
        (IndexPhrase('pie" OR "wine'), []),
    ],
)
def test_a_query_finds_texts(written: Backend, query: IndexQuery, expected: list[int]) -> None:
    with reading(written) as reader:
        assert found(reader.index, query) == [WORDS[number] for number in expected]


def test_results_are_found_apart_from_all_else(written: Backend) -> None:
    with reading(written) as reader:
        [result] = reader.index.find("result", IndexPhrase("apple"))

        assert result not in reader.index.find("prose", IndexPhrase("apple"))


def test_only_newer_blocks_are_found_on_request(written: Backend) -> None:
    with reading(written) as reader:
        first, second = sorted(reader.index.find("prose", IndexPhrase("apple")))

        assert reader.index.find("prose", IndexPhrase("apple"), after=first) == [second]
        assert reader.index.find("prose", IndexPhrase("apple"), after=second) == []


def test_a_replaced_session_is_found_by_its_new_words(written: Backend, tmp_path: Path) -> None:
    with writing(written) as index:
        write_sessions(index, [rows_of(talk("talk", "blue cheese"), tmp_path / "b")])

        assert found(index, IndexPhrase("apple")) == []
        assert index.find("result", IndexPhrase("apple")) == []
        assert found(index, IndexPhrase("cheese")) == ["blue cheese"]


def test_a_deleted_session_is_not_found(written: Backend, tmp_path: Path) -> None:
    with writing(written) as index:
        write_sessions(index, [rows_of(talk("other", "another apple"), tmp_path / "b")])
        with index.database.transaction():
            index.database.delete_session(talk("talk").session_id)

        assert found(index, IndexPhrase("apple")) == ["another apple"]


def fail_half_way(database: Database, rows: SessionRows) -> None:
    with database.transaction():
        database.write_session(rows)
        raise ZeroDivisionError


def test_a_failed_transaction_indexes_nothing(written: Backend, tmp_path: Path) -> None:
    with writing(written) as index:
        with pytest.raises(ZeroDivisionError):
            fail_half_way(index.database, rows_of(talk("talk", "blue cheese"), tmp_path / "b"))

        assert found(index, IndexPhrase("cheese")) == []
        assert len(found(index, IndexPhrase("apple"))) == 2


def test_the_last_of_several_writes_in_a_transaction_counts(
    written: Backend, tmp_path: Path
) -> None:
    texts = (("blue cheese", "a wheel"), ("goat cheese",))
    versions = [rows_of(talk("talk", *own), tmp_path / own[0]) for own in texts]
    other = rows_of(talk("other", "hard cheese"), tmp_path / "c")
    with writing(written) as index:
        with index.database.transaction():
            for rows in (versions[0], other, versions[1]):
                index.database.write_session(rows)

        assert sorted(found(index, IndexPhrase("cheese"))) == ["goat cheese", "hard cheese"]
        assert found(index, IndexPhrase("wheel")) == []
        assert found(index, IndexPhrase("apple")) == []


def test_a_session_written_and_deleted_in_one_transaction_is_not_found(
    written: Backend, tmp_path: Path
) -> None:
    rows = [rows_of(talk(name, f"{name} cheese"), tmp_path / name) for name in ("new", "newer")]
    with writing(written) as index:
        with index.database.transaction():
            index.database.write_session(rows[0])
            index.database.delete_session(rows[0].session_id)
            index.database.write_session(rows[1])

        assert found(index, IndexPhrase("cheese")) == ["newer cheese"]
        assert len(found(index, IndexPhrase("apple"))) == 2
        assert index.database.check() == []


def test_a_failed_transaction_leaves_no_texts_to_the_next(written: Backend, tmp_path: Path) -> None:
    other = rows_of(talk("other", "hard cheese"), tmp_path / "c")
    with writing(written) as index:
        with pytest.raises(ZeroDivisionError):
            fail_half_way(index.database, rows_of(talk("new", "blue cheese"), tmp_path / "b"))
        with index.database.transaction():
            index.database.write_session(other)

        assert found(index, IndexPhrase("cheese")) == ["hard cheese"]
        assert len(index.find("prose", IndexPhrase("cheese"))) == 1


def test_texts_outlive_the_rows_until_they_are_indexed(written: Backend, tmp_path: Path) -> None:
    rows = rows_of(talk("other", "hard cheese"), tmp_path / "c")
    with writing(written) as index:
        with index.database.transaction():
            index.database.write_session(rows)
            rows.release()

        assert found(index, IndexPhrase("cheese")) == ["hard cheese"]


def test_a_session_is_written_in_a_transaction_only(written: Backend, tmp_path: Path) -> None:
    with writing(written) as index, pytest.raises(RuntimeError, match="transaction"):
        index.database.write_session(rows_of(talk("other", "cheese"), tmp_path / "c"))


def test_better_matches_score_higher(backend: Backend, tmp_path: Path) -> None:
    filler = [f"something else number {number}" for number in range(9)]
    texts = ("needle", "needle " + "and a lot of other words " * 20, *filler)
    with writing(backend) as index:
        write_sessions(index, [rows_of(talk("talk", *texts), tmp_path / "a")])
        short, long = sorted(index.find("prose", IndexPhrase("needle")))

        scores = index.scores("prose", IndexPhrase("needle"), [short, long])

        assert scores[short] > scores[long] > 0
        assert list(index.scores("prose", IndexPhrase("needle"), [long])) == [long]


LONG = [f"w{number}" for number in range(40_000)]


OVER_PARTS = " ".join(LONG[15_900:16_100])
LONG_QUERIES: dict[IndexQuery, bool] = {
    IndexPhrase("w39999"): True,
    IndexPhrase("w3999", is_prefix=True): True,
    IndexPhrase("w15998 w15999 w16000 w16001"): True,
    IndexPhrase("w15998 w16000"): False,
    IndexPhrase(OVER_PARTS): True,
    IndexPhrase(OVER_PARTS[:-1]): False,
    IndexPhrase(OVER_PARTS[:-1], is_prefix=True): True,
    IndexPhrase(f"{OVER_PARTS} w9"): False,
    IndexAll((IndexPhrase("w5"), IndexPhrase("w39999"))): True,
    IndexAll((IndexPhrase("w5"),), (IndexPhrase("w39999"),)): False,
    IndexAll((IndexPhrase("w39999"),), (IndexPhrase("w40000"),)): True,
    IndexAny((IndexPhrase("none"), IndexPhrase("w20000 w20001"))): True,
}


def test_all_of_a_long_text_is_found(backend: Backend, tmp_path: Path) -> None:
    with writing(backend) as index:
        write_sessions(index, [rows_of(talk("talk", " ".join(LONG)), tmp_path / "a")])

        found = {query: len(index.find("prose", query)) for query in LONG_QUERIES}

        assert found == LONG_QUERIES
        assert (
            len(
                index.scores("prose", IndexPhrase("w39999"), index.find("prose", IndexPhrase("w5")))
            )
            == 1
        )


def test_texts_are_split_as_they_are_indexed(written: Backend) -> None:
    with reading(written) as reader:
        assert reader.index.split("Red-Apple Äpfel x1") == ["red", "apple", "apfel", "x1"]


def test_words_are_found_by_their_letters(
    written: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reading(written) as reader:
        words, bound = reader.index.words_with("prose", "ppl")
        assert (sorted(words), bound) == (["apple"], None)
    with writing(written) as index:
        monkeypatch.setattr("clew.store.sqlite.vocabulary._MANY_NEW", 1)
        index.update_words()
        write_sessions(index, [rows_of(talk("other", "suppleness"), tmp_path / "b")])
    with reading(written) as reader:
        words, bound = reader.index.words_with("prose", "ppl")
        newer = reader.index.find("prose", IndexPhrase("suppleness"), after=bound or 0)
        assert "apple" in words
        assert "suppleness" in words or bound is not None
        assert len(newer) == 1


def hits(index: SearchIndex, text: str, limit: int = 20, offset: int = 0) -> Results:
    return search(index, parse_query(text, now=NOW), now=NOW, limit=limit, offset=offset)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("apple", {0, 1}),
        ('"red apple"', {0}),
        ("red -wine", {0}),
        ("pie OR wine", {1, 2}),
        ("app*", {0, 1}),
        ("/r.d w/", {2}),
        ("fooBar", {3}),
        ("nothing", set()),
    ],
)
def test_a_search_gives_hits(written: Backend, text: str, expected: set[int]) -> None:
    with reading(written) as reader:
        results = hits(reader.index, f"{text} in:prompts")

    assert {hit.snippet.text for hit in results.hits} == {WORDS[number] for number in expected}
    assert (results.total, results.is_exact) == (len(expected), True)


def test_every_hit_is_on_one_page(written: Backend) -> None:
    with reading(written) as reader:
        whole = hits(reader.index, "apple OR wine")
        pages = [hits(reader.index, "apple OR wine", limit=1, offset=n).hits for n in range(4)]

    assert [hit for page in pages for hit in page] == list(whole.hits)
    assert [len(page) for page in pages] == [1, 1, 1, 0]


@pytest.mark.parametrize(("sessions", "prompts"), [(1, 650), (70, 10)])
def test_of_words_joined_by_or_the_most_and_rarest_come_first(
    backend: Backend, tmp_path: Path, sessions: int, prompts: int
) -> None:
    old = SessionBuilder("old").at("2025-01-10T09:00:00Z").custom_title("-")
    old.user("the pelican reads a git index").user("Why the pelican left the git harbour")
    new = [
        talk(f"new {number}", *(f"git add part {part}" for part in range(prompts)))
        for number in range(sessions)
    ]
    new[0].user("a quiet harbour")
    built = [rows_of(one, tmp_path / str(number)) for number, one in enumerate([old, *new])]
    with writing(backend) as index:
        write_sessions(index, built)

    with reading(backend) as archive:
        first = hits(archive.index, "git OR harbour OR pelican", limit=4)
        after = hits(archive.index, "git OR harbour OR pelican", limit=700, offset=4)
    texts = [hit.snippet.text for hit in first.hits]
    assert texts[0] == "Why the pelican left the git harbour"
    assert set(texts[1:3]) == {"the pelican reads a git index", "a quiet harbour"}
    assert texts[3].startswith("git add part")
    assert "those with the most and rarest words first" in first.notes[0]
    shown = [(hit.session_id, hit.message_id) for hit in (*first.hits, *after.hits)]
    assert len(shown) == len(set(shown)) > 600

"""What must hold for any query and any text."""

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime

import apsw
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from clew.search import Query, QueryError, parse_query, search
from clew.search.index_query import to_query, to_sure_query
from clew.search.language import Phrase, Regex
from clew.search.regex_child import compile_all, find_places
from clew.search.regexes import match_texts
from clew.search.snippets import Match, cut_snippet, find_matches
from clew.search.words import bare_letters, cut_words, find_spans, matches, needles
from clew.store import Home, IndexQuery, SearchIndex, open_any_version, sync
from clew.store.fulltext import to_words
from clew.store.sqlite.index import write_match
from tests.build import SessionBuilder, bash, edit

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)
PIECES = (
    *('"', "(", ")", "-", "*", " ", " OR ", " AND ", "/", "\\", "[", ":", "::", "'", ";", "\0"),
    *("project:", "branch:", "model:", "tool:", "agent:", "file:", "is:error", "before:", "after:"),
    *("in:", "in:all", "in:files ", "7d", "2026-11-01", "NEAR", "NOT", "text:", "^", "{a}", "+"),
    *("needle", "fooBar", "api_key", "src/a.py", "日本", "🎉", "é", "e\u0301", "\ud800", "│", "ﬁ"),
)
queries = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12).map("".join)
# Signs on which the index and we agree in every version of Unicode.
texts = st.lists(
    st.sampled_from([*"aAbBzZ019_-./ \n", "日", "本", "ー", "🎉", "é", "É", "e\u0301", "ñ", "ж"]),
    max_size=30,
).map("".join)

# Between words these stand for nothing, as a space does.
between = st.sampled_from(["…", "—", "→", "✅", "“", "│", "·", "\u00a0"])
dashed = st.lists(between | st.sampled_from([*"abAB019_-./ \n", "foo", "Bar"]), max_size=30)
patterns = st.lists(
    st.sampled_from(
        ["a", "B", "s", "é", ".", r"\w", "[^b]", "[a-z]", r"\b", r"\.", "(", "(?:", ")"]
    )
    | st.sampled_from(["|", "*", "+", "?", "{2}", "{1,}?", "$", "ab", "K", "(?=a)"]),
    min_size=1,
    max_size=8,
).map("".join)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    folder = tmp_path_factory.mktemp("archive")
    session = SessionBuilder().at("2026-11-10T09:00:00Z").user("needle 日本 🎉 fooBar api_key")
    session.tools(bash("ls src/a.py", "needle"), edit("/src/a.py", "a", "a", "é"))
    session.custom_title("needle").write(folder / "claude")
    home = Home(folder / "home")
    sync(home, [folder / "claude"], now=NOW, workers=1)
    with closing(open_any_version(home)) as reader:
        yield reader.index


@pytest.fixture(scope="module")
def index() -> Iterator[apsw.Connection]:
    with closing(apsw.Connection(":memory:")) as connection:
        connection.execute(
            "CREATE VIRTUAL TABLE one USING fts5 (text, content='', contentless_delete=1, "
            "tokenize=\"unicode61 remove_diacritics 2 categories 'L* N* Co So'\")"
        )
        yield connection


def is_regex(source: str) -> bool:
    try:
        re.compile(source)
    except re.error:
        return False
    return True


def read(text: str) -> Query | QueryError:
    try:
        return parse_query(text, now=NOW)
    except QueryError as error:
        return error


@settings(deadline=None)
@given(queries | st.text(max_size=40))
def test_a_query_is_read_or_its_error_points_into_it(text: str) -> None:
    result = read(text)

    if isinstance(result, QueryError):
        assert 0 <= result.position <= len(text)
        assert str(result).endswith("^")
    else:
        assert len(result.text) == len(text)


@settings(deadline=None)
@given(queries)
@example('" OR "')
@example("a\0b")
@example("\ud800 OR a")
def test_whatever_is_read_runs(archive: SearchIndex, text: str) -> None:
    query = read(text)
    assume(isinstance(query, Query) and not query.regexes)
    assert isinstance(query, Query)

    results = search(archive, query, now=NOW)

    assert len(results.hits) <= results.total


@settings(deadline=None)
@given(st.text(max_size=30), st.booleans())
def test_any_phrase_is_a_string_to_the_index(
    index: apsw.Connection,
    text: str,
    is_prefix: bool,  # noqa: FBT001 (drawn)
) -> None:
    match = write_match(to_query(Phrase(text, is_prefix)))

    assert index.execute("SELECT count(*) FROM one WHERE one MATCH ?", (match,)).fetchone()


@settings(deadline=None)
@given(texts, texts, st.booleans(), st.data())
def test_the_index_finds_what_we_find_and_maybe_more(
    index: apsw.Connection,
    text: str,
    other: str,
    is_prefix: bool,  # noqa: FBT001 (drawn)
    data: st.DataObject,
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    phrase = Phrase(data.draw(st.sampled_from([text[start:end], other])), is_prefix)
    assume(cut_words(phrase.text))
    index.execute("DELETE FROM one WHERE rowid = 1")
    index.execute("INSERT INTO one (rowid, text) VALUES (1, ?)", (to_words(text),))

    may_match = _is_in(index, to_query(phrase))
    surely_matches = _is_in(index, to_sure_query(phrase))

    is_found = matches(phrase, text)
    shown = [text[span.start : span.end] for span in find_spans(phrase, text)]
    assert is_found or not surely_matches
    # Beyond the index, letters of one identifier are found as one word.
    assert may_match or not is_found or any(len(cut_words(s)) > 1 for s in shown)


def _is_in(index: apsw.Connection, query: IndexQuery | None) -> bool:
    if query is None:
        return False
    match = write_match(query)
    found = index.execute("SELECT rowid FROM one WHERE one MATCH ?", (match,))
    return any(True for _ in found)


@settings(deadline=None)
@given(st.text("aB1 .-+#/_()", max_size=12), st.data())
def test_a_part_of_a_text_with_symbols_is_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    is_edge = all(
        not (text[place - 1 : place].isalnum() and text[place : place + 1].isalnum())
        for place in (start, end)
    )
    phrase = Phrase(text[start:end])
    assume(is_edge and cut_words(phrase.text))

    assert matches(phrase, text)


@settings(deadline=None)
@given(texts, st.data())
def test_a_text_that_matches_has_a_needle(text: str, data: st.DataObject) -> None:
    words = cut_words(text)
    assume(words)
    start = data.draw(st.integers(0, len(words) - 1))
    phrase = Phrase(" ".join(words[start : start + 3]))

    assert any(needle in " ".join(words) for needle in needles(phrase))


@settings(deadline=None)
@given(texts, st.lists(texts, min_size=1, max_size=3), st.integers(10, 60))
def test_marks_are_matches_and_the_rest_is_cut_from_the_text(
    text: str, words: list[str], length: int
) -> None:
    phrases = [Phrase(one) for one in words]
    long = f"{text} {'filler ' * 20}{text}"

    snippet = cut_snippet(long, find_matches(phrases, long), length)

    assert all(piece in long for piece in snippet.text.strip("…").split(" … "))
    places = {long[span.start : span.end] for one in phrases for span in find_spans(one, long)}
    for mark in snippet.marks:
        marked = snippet.text[mark.start : mark.end]
        assert any(marked in place or place in marked for place in places)


@settings(deadline=None)
@given(dashed.map("".join), st.text("abAB09_. ", min_size=1, max_size=6), st.booleans())
@example("foo—bar", "foobar", False)  # noqa: FBT003 (drawn)
@example("foo→Bar…", "foo bar", False)  # noqa: FBT003 (drawn)
def test_words_between_dashes_and_arrows_are_found_like_those_beside_letters(
    text: str,
    words: str,
    is_prefix: bool,  # noqa: FBT001 (drawn)
) -> None:
    phrase = Phrase(words, is_prefix)

    assert list(find_spans(phrase, text)) == list(find_spans(phrase, f"{text}\n日é"))


@settings(deadline=None)
@given(texts, st.text("abz019", min_size=1, max_size=6))
@example("Éa-b", "eab")
@example("e\u0301ab", "eab")
def test_a_word_that_is_found_is_among_the_bare_letters(text: str, word: str) -> None:
    assert word in bare_letters(text) or not matches(Phrase(word), text)


@settings(deadline=None, max_examples=60)
@given(
    st.builds(
        Regex, patterns.filter(is_regex), st.sampled_from(["", "i", "s", "is"]), st.booleans()
    ),
    st.lists(st.text("abBs\u017f\u212ak. é\n", max_size=8)),
)
@example(Regex("s", "i"), ["\u017f"])
def test_a_regex_matches_the_same_wherever_that_is_done(regex: Regex, some: list[str]) -> None:
    compiled = compile_all([(regex.source, regex.flags, regex.is_wanted)])

    looked = match_texts([regex], some, seconds=20)

    assert looked.is_complete
    for text, matched in zip(some, looked.matches, strict=True):
        places = find_places(compiled, text, most=50)
        assert matched == (None if places is None else [Match(*place) for place in places])

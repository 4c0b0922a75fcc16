"""Searching a real archive."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.search import Field, parse_query, search
from clew.store import Home, SearchIndex, sync
from tests.build import SessionBuilder, bash, edit, read, thinking
from tests.unit.search.archives import (
    NOW,
    archive,
    find,
    first_row,
    found,
    marked,
    written,
)


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    """One session in which every field has words of its own."""
    session = (
        SessionBuilder("talk")
        .at("2026-11-10T09:00:00Z")
        .user("Why does uploadFile retry, even (after) success?")
        .assistant(
            thinking("Perhaps the backoff is wrong."), "The api_key is read from src/net/keys.py."
        )
        .tools(bash("grep -rn backoff --no-cache .", "zebra: 3 matches"))
        .tools(edit("/home/dev/code/demo/src/net/upload.py", "a = 1\n", "a = 1", "a = 2"))
        .steer("also look at the giraffe")
        .user("日本語のファイルを読む 🎉 naïve")
        .assistant("Mail jo@example.org or see https://example.org/docs, std::vector too.")
        .custom_title("Retry of uploads")
    )
    index = archive(tmp_path_factory.mktemp("talk"), session)
    yield index
    index.database.close()


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("success", "prompt"),
        ('"retry even after success"', "prompt"),
        ("uploadFile", "prompt"),
        ("upload in:prompts", "prompt"),
        ("api_key", "answer"),
        ("key", "answer"),
        ("src/net/keys.py", "answer"),
        ("keys.py", "answer"),
        ("backoff in:thinking", "thinking"),
        ("--no-cache", "input"),
        ("giraffe", "prompt"),
        ("日本", "prompt"),
        ("ファイル", "prompt"),
        ("本語の", "prompt"),
        ("🎉", "prompt"),
        ("naive", "prompt"),
        ("jo@example.org", "answer"),
        ("https://example.org/docs", "answer"),
        ("std::vector", "answer"),
        ("zebra in:results", "result"),
        ("zebra in:all", "result"),
        ("uploads", "title"),
        ("upload.py in:files", "file"),
        ("succ*", "prompt"),
        ('"even after succ"*', "prompt"),
        ("/vect(or|ra)/", "answer"),
        ("/RETRY,/i", "prompt"),
        ("vector /ma[il]+/i", "answer"),
    ],
)
def test_a_text_is_found_in_its_field(talk: SearchIndex, text: str, field: str) -> None:
    assert [hit.field.value for hit in find(talk, text).hits] == [field]


@pytest.mark.parametrize(
    "text",
    [
        "zebra",
        "elephant",
        '"success after"',
        "apikeyring",
        "日語",
        "succ",
        "giraffe in:answers",
        "backoff in:answers",
        "uploads in:prompts",
        "/vectra/",
    ],
)
def test_what_is_not_there_or_not_asked_for_is_not_found(talk: SearchIndex, text: str) -> None:
    results = find(talk, text)

    assert results.hits == ()
    assert (results.total, results.is_exact) == (0, True)


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    """One session into which the client put the text of a skill and a note of its own."""
    skill = "Base directory for this skill: /skills/okapi\n\n" + "Walk. " * 100 + "Then feed it."
    session = (
        SessionBuilder()
        .at("2026-11-10T09:00:00Z")
        .user("hello")
        .meta(skill)
        .system("informational", content="tapir limit reached", level="info")
        .tools(bash("true", "okapi in a result"))
        .custom_title("-")
    )
    index = archive(tmp_path_factory.mktemp("injected"), session)
    yield index
    index.database.close()


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("okapi", []),
        ("okapi in:results", ["result"]),
        ("okapi in:injections", ["injection"]),
        ("okapi in:injection", ["injection"]),
        ("okapi in:all", ["injection", "result"]),
        ("okapi in:all -in:injections", ["result"]),
        ('"then feed it" in:injections', ["injection"]),
        ("/okap./ in:injections", ["injection"]),
        ("tapir in:injections", ["injection"]),
    ],
)
def test_injected_text_is_searched_on_request(
    injected: SearchIndex, text: str, fields: list[str]
) -> None:
    results = find(injected, text)

    assert sorted(hit.field.value for hit in results.hits) == fields
    assert (results.total, results.is_exact) == (len(fields), True)


def test_a_part_of_an_identifier_is_marked(talk: SearchIndex) -> None:
    (hit,) = find(talk, "file in:prompts").hits

    assert marked(hit) == ["File"]


def test_a_whole_identifier_is_marked_as_one(talk: SearchIndex) -> None:
    (hit,) = find(talk, "api_key").hits

    assert marked(hit) == ["api_key"]


def test_what_a_regex_matches_is_marked(talk: SearchIndex) -> None:
    (hit,) = find(talk, "mail /example.[a-z]+/").hits

    assert marked(hit) == ["Mail", "example.org", "example.org"]


def test_a_hit_names_the_call_that_has_its_text(tmp_path: Path) -> None:
    call = bash("make harbour", "ferry leaves")
    index = archive(tmp_path, SessionBuilder().user("go").tools(call))
    (row,) = index.database.rows("search_calls", {"keys": [1], "tools": ["Bash"]})

    calls = {
        hit.tool_call_id
        for query in ("harbour", "ferry in:results")
        for hit in find(index, query).hits
    }
    assert calls == {row[1]}
    assert [hit.tool_call_id for hit in find(index, "go").hits] == [None]


def test_a_hit_says_where_it_stands(talk: SearchIndex) -> None:
    (hit,) = find(talk, "api_key").hits

    row = first_row(talk, "SELECT message_id, ordinal FROM message WHERE has_thinking = 1")
    assert (hit.message_id, hit.message_ordinal) == row
    assert (hit.block_ordinal, hit.kind, hit.role) == (1, "text", "assistant")
    assert hit.session_id == SessionBuilder("talk").session_id
    assert (hit.title, hit.project) == ("Retry of uploads", "/home/dev/code/demo")
    assert hit.at.startswith("2026-11-10T09:00")
    assert hit.context == ("The api_key is read from src/net/keys.py.",)


def test_a_title_leads_to_its_session(talk: SearchIndex) -> None:
    (hit,) = find(talk, "uploads").hits

    assert (hit.field, hit.message_id, hit.title) == (Field.TITLE, None, "Retry of uploads")


@pytest.mark.parametrize("words", ["resume", "Résumé", "cafe", "time", "out", "timeout", "本"])
def test_a_title_is_found_with_or_without_marks(tmp_path: Path, words: str) -> None:
    title = "re\u0301sumé, CAFÉ — time-out 日本"
    index = archive(tmp_path, SessionBuilder().user("hello").custom_title(title))

    assert found(index, f"in:titles {words}") == [("title", title)]
    assert found(index, f"in:titles x{words}") == []


def test_a_title_that_is_the_first_prompt_is_found_only_when_asked_for(tmp_path: Path) -> None:
    index = archive(tmp_path, SessionBuilder().at("2026-11-10T09:00:00Z").user("needle"))

    assert found(index, "needle") == [("prompt", "needle")]
    assert found(index, "needle in:titles") == [("title", "needle")]


def test_a_file_leads_to_the_call_that_changed_it(talk: SearchIndex) -> None:
    (hit,) = find(talk, "upload.py in:files").hits

    call = first_row(talk, "SELECT message_ordinal FROM tool_call WHERE tool = 'Edit'")
    assert (hit.message_ordinal,) == call
    assert hit.snippet.text == "/home/dev/code/demo/src/net/upload.py"


def test_a_filter_for_a_file_alone_gives_the_file(talk: SearchIndex) -> None:
    assert found(talk, "file:upload.py") == [("file", "/home/dev/code/demo/src/net/upload.py")]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("red", ["red", "red blue", "red green"]),
        ("red blue", ["red blue"]),
        ("red AND blue", ["red blue"]),
        ("red -blue", ["red", "red green"]),
        ("blue OR green", ["blue", "red blue", "red green"]),
        ("red (blue OR green)", ["red blue", "red green"]),
        ("red -(blue OR green)", ["red"]),
        ("blue OR red green", ["blue", "red blue", "red green"]),
        ("red -/bl.e/", ["red", "red green"]),
        ("red /^red$/", ["red"]),
        ("gre* OR bl*", ["blue", "red blue", "red green"]),
    ],
)
def test_operators_mean_what_they_say(tmp_path: Path, query: str, expected: list[str]) -> None:
    index = written(tmp_path, "red", "blue", "red blue", "red green")

    assert [text for _, text in found(index, query)] == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("C#", ["C# first"]),
        ('"C#"', ["C# first"]),
        ('"learn C++"', ["we learn C++ now"]),
        ("C++ OR F#", ["F# is next", "we learn C++ now"]),
        (".NET", ["ASP.NET too"]),
        ("a->b", ["then a->b"]),
        ("--flag", ["pass --flag"]),
        ("first -C#", ["vitamin C first"]),
        ("@types", ["@types/node"]),
        ("passkey", ["a pass_key"]),
        ("pass key", ["a pass_key", "pass. Key"]),
    ],
)
def test_symbols_and_joined_words_must_be_in_the_text(
    tmp_path: Path, query: str, expected: list[str]
) -> None:
    texts = ("C# first", "vitamin C first", "we learn C++ now", "F# is next", "press f", "dot net")
    code = ("ASP.NET too", "a b", "then a->b", "pass --flag", "the flag", "@types/node", "types")
    index = written(tmp_path, *texts, *code, "pass. Key", "a pass_key")

    results = find(index, query)

    assert sorted(hit.snippet.text for hit in results.hits) == expected
    assert (results.total, results.is_exact) == (len(expected), True)


def test_symbols_in_the_rest_of_a_long_text_are_found(tmp_path: Path) -> None:
    words = [f"{'long ' * 2000}{name} is here" for name in ("C#", "C")]
    index = written(tmp_path, *words)
    ids = [number for (number,) in index.database.rows("search_newer", {"bound": 0})]

    query = parse_query("C#", now=NOW)
    results = search(index, query, now=NOW, read_text=lambda number: words[ids.index(number)])

    assert [marked(hit) for hit in results.hits] == [["C#"]]


def test_words_of_the_index_language_are_words(tmp_path: Path) -> None:
    index = written(tmp_path, "one NEAR two", "NOT NULL", "text:x")

    assert found(index, "NOT NULL") == [("prompt", "NOT NULL")]
    assert found(index, "one NEAR two") == [("prompt", "one NEAR two")]
    assert found(index, "text:x") == [("prompt", "text:x")]


def test_of_equal_texts_the_newer_comes_first(tmp_path: Path) -> None:
    days = ("2026-09-01", "2026-11-13", "2026-01-01")
    sessions = [
        SessionBuilder(day).at(f"{day}T09:00:00Z").user("the same words").custom_title("-")
        for day in days
    ]
    index = archive(tmp_path, *sessions)

    hits = find(index, "same words").hits

    assert [hit.at[:10] for hit in hits] == ["2026-11-13", "2026-09-01", "2026-01-01"]
    assert hits[0].score > hits[1].score > hits[2].score


def test_a_title_comes_before_a_prompt_and_a_prompt_before_thinking(tmp_path: Path) -> None:
    session = (
        SessionBuilder()
        .at("2026-11-10T09:00:00Z")
        .user("one quokka")
        .assistant(thinking("two quokka"), "three quokka")
        .custom_title("four quokka")
    )
    index = archive(tmp_path, session)

    fields = [hit.field.value for hit in find(index, "quokka").hits]

    assert fields == ["title", "prompt", "answer", "thinking"]


def test_an_identifier_as_it_was_typed_comes_first(tmp_path: Path) -> None:
    index = written(tmp_path, "use the api_key here", "use the api key here")

    first, second = find(index, "api_key").hits

    assert (marked(first), marked(second)) == (["api_key"], ["api key"])


def test_words_in_very_many_paths_ask_for_no_file(tmp_path: Path) -> None:
    session = SessionBuilder().at("2026-11-10T09:00:00Z").custom_title("-")
    session.tools(*(read(f"/src/needle{number}/needle.py", "") for number in range(51)))
    index = archive(tmp_path, session)

    assert {hit.field for hit in find(index, "needle", limit=99).hits} == {Field.INPUT}
    assert find(index, "needle in:files").total == 51


def test_long_texts_are_searched_to_their_end(tmp_path: Path) -> None:
    index = written(tmp_path, "long " * 2000 + "needle")

    (hit,) = find(index, "needle").hits

    assert hit.snippet.text.startswith("long long")
    assert hit.snippet.marks == ()


def test_the_end_of_a_long_text_is_shown_from_the_kept_bytes(tmp_path: Path) -> None:
    words = "long " * 2000 + "needle is here"
    index = archive(tmp_path, SessionBuilder().at("2026-11-10T09:00:00Z").user(words))

    query = parse_query("needle", now=NOW)
    results = search(index, query, now=NOW, read_text=lambda _: words)

    assert [marked(hit) for hit in results.hits] == [["needle"]]
    assert results.hits[0].snippet.text.endswith("needle is here")


def test_an_archive_that_is_empty_has_no_hits(tmp_path: Path) -> None:
    index = archive(tmp_path, SessionBuilder())

    assert find(index, "needle").hits == ()
    assert find(index, "project:x").hits == ()
    assert find(index, "/x/").hits == ()


def test_what_was_written_since_the_last_search_is_found(tmp_path: Path) -> None:
    index = archive(tmp_path, SessionBuilder("one").user("needle"))
    before = find(index, "needle").total
    SessionBuilder("two").user("needle").write(tmp_path / "claude")
    sync(Home(tmp_path / "home"), [tmp_path / "claude"], now=NOW, workers=1)

    assert (before, find(index, "needle").total) == (1, 2)

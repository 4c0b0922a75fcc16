"""Tags of the client are not shown in snippets."""

from pathlib import Path

import pytest

from clew.search.snippets import Match
from clew.search.tags import without_tags
from tests.build import SessionBuilder
from tests.unit.search.archives import archive, find, marked

COMMAND = "<command-name>/model</command-name>\n<command-args>opus</command-args> now"


@pytest.mark.parametrize("word", ["/model", "opus", "now", " now"])
def test_a_match_stays_on_its_word(word: str) -> None:
    start = COMMAND.index(word)

    text, matches = without_tags(COMMAND, [Match(start, start + len(word), 3)])

    assert text.split() == ["/model", "opus", "now"]
    assert [(text[one.start : one.end], one.number) for one in matches] == [(word, 3)]


def test_a_match_in_a_tag_alone_is_not_shown() -> None:
    start = COMMAND.index("name")

    assert without_tags(COMMAND, [Match(start, start + 4)])[1] == []


@pytest.mark.parametrize("text", ["a <b>c</b>", "<status>fine</status>", "<task-id"])
def test_other_tags_are_text(text: str) -> None:
    assert without_tags(text, []) == (text, [])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<teammate-message teammate_id="bob" color="blue">\nHello\n</teammate-message>', "Hello"),
        (
            "<task-notification><task-id>b1</task-id> <status>failed</status></task-notification>",
            "b1 failed",
        ),
        ("<ide_opened_file>a.py is open</ide_opened_file> Fix it", "a.py is open Fix it"),
        ("<tool_use_error>Gone</tool_use_error>", "Gone"),
    ],
)
def test_tags_around_news_and_messages_are_not_shown(text: str, words: str) -> None:
    assert " ".join(without_tags(text, [])[0].split()) == words


@pytest.mark.parametrize("query", ["quokka", "/quo.ka/"])
def test_a_hit_in_a_command_shows_no_tags(tmp_path: Path, query: str) -> None:
    session = SessionBuilder().at("2026-11-10T09:00:00Z").user("hello").custom_title("-")
    session.command("/feed", "the quokka", stdout="Fed")
    index = archive(tmp_path, session)

    (hit,) = find(index, query).hits

    assert "<" not in hit.snippet.text
    assert "<" not in "".join(hit.context)
    assert marked(hit) == ["quokka"]

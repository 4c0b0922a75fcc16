"""The words that the search of a site looks through."""

import base64
import gzip
from pathlib import Path

import msgspec

from clew.export.search_texts import (
    SearchTexts,
    collect_texts,
    join_packed,
    read_packed,
    remove_texts,
    write_texts,
)
from clew.view import ViewOptions
from tests.build import SessionBuilder, bash
from tests.unit.view.viewed import view

WORDS = SearchTexts(
    id="one", title="T", project="p", at="", lines=(("m-1", "prompt", "", "hello"),)
)


def found(builder: SessionBuilder) -> dict[str, str]:
    """Give the words of a session with their kinds."""
    return {text: kind for _, kind, _, text in collect_texts(view(builder), "s").lines}


def test_the_words_of_people_and_models_are_searched() -> None:
    builder = SessionBuilder().user("Mend  it\n\nnow").tools(bash("make", "printed"), say="I do.")

    assert found(builder) == {"Mend it now": "prompt", "I do.": "answer"}


def test_words_on_branches_and_in_agent_runs_are_searched() -> None:
    builder = SessionBuilder().user("First").assistant("Yes.").remember("here")
    builder.user("One way").assistant("A.").rewind_to("here").user("Another way")
    builder.agent("Look", "Look around.", lambda run: run.assistant("Nothing there."))

    assert {"One way", "Another way", "Look around.", "Nothing there."} <= set(found(builder))


def test_a_line_leads_to_its_message() -> None:
    texts = collect_texts(view(SessionBuilder().user("Hello").assistant("Hi.")), "s")

    assert all(line[0].startswith("m-") for line in texts.lines)
    assert len({line[0] for line in texts.lines}) == 2
    assert texts.project == "demo"


def test_long_texts_are_cut() -> None:
    assert max(map(len, found(SessionBuilder().user("word " * 5000)))) == 20_000


def unpacked(data: bytes) -> SearchTexts:
    return msgspec.json.decode(gzip.decompress(data), type=SearchTexts)


def test_words_are_kept_and_forgotten(tmp_path: Path) -> None:
    write_texts(tmp_path, WORDS)
    assert list(map(unpacked, read_packed(tmp_path, ["one", "unknown"]))) == [WORDS]

    remove_texts(tmp_path, "one")
    assert list(read_packed(tmp_path, ["one"])) == []


def test_a_hostile_id_stays_in_the_folder(tmp_path: Path) -> None:
    page = view(SessionBuilder().user("Hello"), max_run_depth=ViewOptions().max_run_depth)

    write_texts(tmp_path / "site", collect_texts(page, "../../../out"))

    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    assert len(list(read_packed(tmp_path / "site", ["../../../out"]))) == 1


def test_a_page_has_one_word_for_each_session(tmp_path: Path) -> None:
    write_texts(tmp_path, WORDS)

    words = join_packed(read_packed(tmp_path, ["one", "one"])).split(" ")

    assert [unpacked(base64.b64decode(word)) for word in words] == [WORDS, WORDS]

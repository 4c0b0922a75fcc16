"""Results whose content no client writes: each is shown as it is, in every format and in search."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

import clew
from clew.archive import Archive, open_archive
from clew.check import check_files, find_files
from clew.conversation import Conversation
from clew.render import TerminalOptions, render_json, render_terminal
from clew.render.html import render_html
from clew.render.markdown import MarkdownOptions, render_markdown
from clew.view import Detail, SessionPage, ViewOptions, make_page
from tests.golden.readback import read_html, read_words, squeeze

CASE: Final = Path(__file__).parents[1] / "cases" / "odd-results.jsonl"
SESSION: Final = "7b1e2c3d-0000-4000-8000-00000000c0de"
OBJECT: Final = '{"nested":{"object":[1,2]}}'
TEXTS: Final = (
    OBJECT,
    "42",
    "true",
    '{"foo":"bar"}',
    "plain string",
    "a lone block",
    "",
    '{"stringified":{"json":[1,2]}}',
)
TOOLS: Final = ("Read", "Bash", "mcp__a__b")


@pytest.fixture(scope="module")
def conversation() -> Conversation:
    """Give the session with three calls for each odd content."""
    return clew.load(CASE, roots=[])


@pytest.fixture(scope="module")
def page(conversation: Conversation) -> SessionPage:
    """Give its page."""
    return make_page(conversation, ViewOptions(detail=Detail.EVERYTHING))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Give an archive of it."""
    folder = tmp_path_factory.mktemp("odd")
    project = folder / "claude" / "projects" / "-home-dev-app"
    project.mkdir(parents=True)
    (project / f"{SESSION}.jsonl").write_bytes(CASE.read_bytes())
    archive = open_archive(folder / "home")
    archive.sync([folder / "claude"], workers=1)
    return archive


def on_terminal(conversation: Conversation) -> str:
    """Show it in a terminal, opened."""
    options = TerminalOptions(detail=Detail.EVERYTHING, width=100)
    return "".join(render_terminal(conversation, options))


def test_each_result_has_the_text_of_its_content(conversation: Conversation) -> None:
    told = {call.id: call.result_text for call in conversation.tool_calls}

    assert told == {f"t{index}{tool}": text for index, text in enumerate(TEXTS) for tool in TOOLS}
    assert {call.status for call in conversation.tool_calls} == {"done"}


def test_only_null_is_no_output(page: SessionPage) -> None:
    shown = "".join(render_markdown(page, MarkdownOptions()))

    assert shown.count("No output") == 1


def test_json_has_what_stood_there(conversation: Conversation) -> None:
    made: dict[str, Any] = json.loads(b"".join(render_json(conversation)))

    calls = {call["id"]: call for call in made["tool_calls"]}
    assert calls["t0Bash"]["result"]["stdout"] == OBJECT
    assert calls["t1Bash"]["result"]["stdout"] == "42"
    assert calls["t1mcp__a__b"]["result"]["content"][0]["text"] == "42"
    assert calls["t4Read"]["result"]["text"] == "plain string"


@pytest.mark.parametrize("form", ["terminal", "markdown", "html"])
def test_every_format_shows_each_content_for_each_tool(
    conversation: Conversation, page: SessionPage, form: str
) -> None:
    if form == "html":
        shown = read_html("".join(render_html(page))).letters
    elif form == "markdown":
        shown = read_words("".join(render_markdown(page, MarkdownOptions()))).letters
    else:
        shown = read_words(on_terminal(conversation)).letters

    for text in filter(None, TEXTS):
        assert shown.count(squeeze(text)) >= len(TOOLS), text


@pytest.mark.parametrize("words", ["nested", "42", "stringified", '"plain string"', '"lone block"'])
def test_search_finds_what_stood_there(archive: Archive, words: str) -> None:
    assert len(archive.search(f"in:results {words}").hits) > 0


def test_check_reports_the_shapes_that_no_client_writes() -> None:
    report = check_files(find_files([CASE]))

    odd = next(group for group in report.problems if group.kind == "odd_result")
    # Text, JSON in a text and null are what clients write.
    assert odd.count == 6 * len(TOOLS)
    assert {example.text for example in odd.examples} >= {"an object", "a number"}

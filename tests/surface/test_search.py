"""`clew search` as a person uses it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.build import SessionBuilder
from tests.surface.running import on_terminal

FEW = [[], ["--limit", "2"], ["--limit", "2", "--offset", "1"]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    session = SessionBuilder().user("Why does the uploader give up after the first 503?")
    result = "E   ConnectionResetError: peer went away"
    session.tool("Bash", {"command": "pytest -q"}, result=result)
    session.assistant("The retry loop in `uploadFile` ends too early. 已修复 🎉")
    session.write(tmp_path / "claude")
    return tmp_path / "claude"


def shown(root: Path, *words: str, columns: int = 80) -> list[str]:
    """Search on a terminal, and give the lines, without the progress of a slow sync."""
    words = ("search", "--root", str(root), *words)
    sent = on_terminal(*words, columns=columns).replace("\r", "")
    return [re.sub(r".*\x1b\[2K|\x1b\[\?25[lh]", "", line) for line in sent.splitlines()]


def search(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    home = root.parent
    return subprocess.run(  # noqa: S603 (our own program)
        [sys.executable, "-m", "clew", "search", "--root", str(root), *words],
        env={"HOME": str(home), "CLEW_HOME": str(home / "clew"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "query",
    [
        "uploader",
        "uploadfile",
        '"gives up"',
        "give up after",
        "uploadFile",
        "upload*",
        "修复",
        "🎉",
    ],
)
def test_words_are_found_whole_and_by_part(root: Path, query: str) -> None:
    found = search(root, query)

    expected = 3 if query == '"gives up"' else 0
    assert found.returncode == expected, found.stderr


def test_results_of_tools_are_found_when_asked_for(root: Path) -> None:
    assert search(root, "ConnectionResetError").returncode == 3
    assert search(root, "in:results ConnectionResetError").returncode == 0


def test_a_query_that_cannot_be_read_is_pointed_at(root: Path) -> None:
    wrong = search(root, '"never closed')

    assert wrong.returncode == 2
    assert wrong.stderr.splitlines()[-1].strip() == "^"


def test_json_names_session_message_and_marks(root: Path) -> None:
    answer = json.loads(search(root, "uploader", "--json").stdout)

    hit = answer["hits"][0]
    start, end = hit["snippet"]["marks"][0]["start"], hit["snippet"]["marks"][0]["end"]
    assert answer["schema"] == "clew.search/1"
    assert hit["snippet"]["text"][start:end] == "uploader"
    assert hit["session_id"]
    assert hit["message_id"]


def test_words_that_are_nowhere_together_are_offered_one_by_one(root: Path) -> None:
    found = search(root, "why is the uploader a heron")
    told = json.loads(search(root, "why is the uploader a heron", "--json").stdout)

    assert found.returncode == 3
    assert found.stdout == ""
    assert found.stderr.splitlines()[-2:] == [
        "No matches",
        "Search for any of these words: clew search 'uploader OR heron' (1 hit)",
    ]
    assert told["wider"] == [
        {"kind": "any_word", "query": "uploader OR heron", "total": 1, "is_exact": True}
    ]
    assert search(root, "uploader OR heron").returncode == 0


def test_what_only_a_tool_said_is_offered(root: Path) -> None:
    found = search(root, "ConnectionResetError")

    offer = "Also search tool results and injected text: clew search"
    assert f"{offer} 'ConnectionResetError in:all' (1 hit)" in found.stderr
    assert json.loads(search(root, "loop in:all", "--json").stdout)["wider"] == []


def test_the_hits_of_a_session_stand_together(root: Path) -> None:
    for name in ("first", "second"):
        session = SessionBuilder(name).user("tell me of otters").assistant("An otter swims.")
        session.ai_title(f"The {name} otter").user("and more otters").write(root)

    printed = search(root, "otter*").stdout

    headings = [line for line in printed.splitlines() if "demo ·" in line]
    assert sorted(line.split("  ")[0] for line in headings) == [
        "The first otter",
        "The second otter",
    ]


def test_the_lines_around_a_hit_are_shown_when_asked_for(root: Path) -> None:
    SessionBuilder("poem").user("before\nthe heron\nafter\nfar off").write(root)

    printed = search(root, "heron", "--context").stdout

    assert [line.split()[-1] for line in printed.splitlines()[1:4]] == ["before", "heron", "after"]
    assert printed.splitlines()[4] == ""


def test_an_option_that_is_none_is_not_searched_for(root: Path) -> None:
    wrong = search(root, "uploader", "--limt", "5")

    assert wrong.returncode == 2
    assert "No such option '--limt'. Did you mean '--limit'?" in wrong.stderr


@pytest.mark.parametrize("words", [["uploader", "-flaky"], ["--", "--uploader"]])
def test_words_may_begin_with_a_dash(root: Path, words: list[str]) -> None:
    SessionBuilder("dash").user("pass --uploader").assistant("Done.").write(root)

    assert search(root, *words).returncode == 0


def test_hits_of_another_year_are_told_with_the_year(root: Path) -> None:
    old = SessionBuilder("old").at("2019-03-04T12:00:00Z")
    old.user("a kingfisher").assistant("Seen.").write(root)

    assert "   4 Mar 2019 prompt   a kingfisher" in search(root, "kingfisher").stdout


def test_how_to_see_more_hits_is_told_while_there_are_more(root: Path) -> None:
    for name in ("first", "second", "third"):
        SessionBuilder(name).user("an otter").assistant("Seen.").write(root)

    last = [search(root, "otter", *words).stdout.splitlines()[-1] for words in FEW]

    assert last == [
        "3 hits",
        "Showing 1 to 2 of 3 hits (`--offset 2` for more)",
        "Showing 2 to 3 of 3 hits",
    ]


def test_a_heading_is_cut_to_one_line_of_the_terminal(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "clew"))
    session = SessionBuilder("long").user("heron").ai_title("A title of many words 日本 " * 9)
    session.assistant("Seen.").write(root)

    heading = next(line for line in shown(root, "heron") if line.startswith("\x1b[1mA title"))

    plain = re.sub(r"\x1b\[[\d;]*m", "", heading)
    assert "…  demo · " in plain
    assert cell_len(plain) <= 80


def test_that_there_are_no_more_hits_is_told(root: Path) -> None:
    found = search(root, "uploader", "--offset", "50")

    assert found.returncode == 3
    assert found.stderr == "No more hits (1 in total); use a smaller --offset\n"

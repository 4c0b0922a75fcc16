"""With much to archive, a search covers what is indexed and says how much that is."""

import re
import sys
from pathlib import Path

import msgspec
import pytest

from clew.archive import Archive
from clew.cli import main, refresh
from clew.errors import ClewError
from clew.store import Home
from tests.build import SessionBuilder
from tests.surface.running import interrupt_on_terminal, on_terminal, write_many

# A process in which little is much.
MUCH = "import sys; from clew.cli import app, refresh; refresh.MUCH_BYTES = 0; sys.exit(app.main())"


@pytest.fixture(autouse=True)
def root(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a machine with three sessions, where every byte is much."""
    for name in ("one", "two", "three"):
        SessionBuilder(name).user(f"Find the retry bug of {name}").write(machine)
    monkeypatch.setattr(refresh, "MUCH_BYTES", 0)
    return machine


@pytest.fixture
def indexed(root: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Index the sessions, then add one and let another grow."""
    assert main(["sync"]) == 0
    SessionBuilder("four").user("Find the retry bug of four").write(root)
    SessionBuilder("one").user("Find the retry bug of one").user("Also retry").write(root)
    capsys.readouterr()
    return root


@pytest.mark.usefixtures("indexed")
def test_on_pipes_one_note_says_how_much_is_indexed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "retry"]) == 0

    out, err = capsys.readouterr()
    assert "3 hits" in out
    assert err == "clew: searched 2 of 4 sessions (50 %); run `clew sync` to index the rest\n"
    assert main(["list", "--no-sync", "--json"]) == 0
    assert len(msgspec.json.decode(capsys.readouterr().out)["sessions"]) == 3


@pytest.mark.usefixtures("indexed")
def test_json_has_the_same_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--json", "retry"]) == 0

    found = msgspec.json.decode(capsys.readouterr().out)
    assert (found["total"], found["indexed_sessions"], found["all_sessions"]) == (3, 2, 4)


@pytest.mark.usefixtures("indexed")
def test_on_a_terminal_the_rest_is_indexed_after_the_answer() -> None:
    shown = on_terminal("search", "retry", columns=120, command=(sys.executable, "-c", MUCH))

    places = [
        shown.find(text) for text in ("3 hits", "Searched 2 of 4 sessions (50 %)", "Archiving")
    ]
    assert 0 <= places[0] < places[1] < places[2]
    assert "Archived 2 sessions" in shown


def test_the_first_search_waits_for_the_index(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "retry", "--json"]) == 0

    out, err = capsys.readouterr()
    found = msgspec.json.decode(out)
    assert (found["total"], found["indexed_sessions"], found["all_sessions"]) == (3, 3, 3)
    assert err.startswith("Indexing 3 sessions (")
    assert err.count("\n") == 1


def test_without_a_sync_nobody_knows_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sync"]) == 0
    capsys.readouterr()

    assert main(["search", "retry", "--json", "--no-sync"]) == 0

    found = msgspec.json.decode(capsys.readouterr().out)
    assert (found["indexed_sessions"], found["all_sessions"]) == (3, None)


def test_a_query_that_cannot_be_read_is_refused_before_anything_is_indexed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["search", "/(/"]) == 2

    assert "Indexing" not in capsys.readouterr().err
    assert not (tmp_path / "home").exists()


def test_after_ctrl_c_what_was_indexed_is_searched(root: Path, tmp_path: Path) -> None:
    write_many(root / "more", 80)
    home = Home(tmp_path / "interrupted")

    code, seen = interrupt_on_terminal(
        (sys.executable, "-c", MUCH, "search", "test"),
        lambda _: _has_sessions(home),
        CLEW_HOME=str(home.folder),
        CLAUDE_CONFIG_DIR=str(root / "more"),
    )

    assert code == 0
    assert "Indexing 80 sessions (" in seen
    assert re.search(r"Searched \d+ of 80 sessions \(\d+ %\): the rest is not indexed yet", seen)
    assert " hits" in seen


def _has_sessions(home: Home) -> bool:
    """Tell whether a first sync has committed anything."""
    try:
        with Archive(home) as archive:
            return not archive.is_empty
    except ClewError:
        return False

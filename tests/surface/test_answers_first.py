"""Answers first: with much to archive, commands answer from the files, then archive."""

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from clew.cli import refresh
from clew.cli.app import main
from clew.samples import samples_root
from tests.surface.running import Ended, interrupt_on_terminal, on_terminal, run, write_many

# A process in which little is much.
MUCH = "import sys; from clew.cli import app, refresh; refresh.MUCH_BYTES = 0; sys.exit(app.main())"
# Each with a word of its answer.
COMMANDS = {
    (): "16 sessions, not all archived yet",
    ("list",): "duration",
    ("usage",): "cache hits",
    ("show", "latest", "--no-pager"): "k tokens",
    ("show", "b6aa330c", "--no-pager"): "k tokens",
}
DATA = {
    "sessions": ("list", "--json"),
    "some": ("list", "--json", "--limit", "3"),
    "newest": ("list", "--csv", "--limit", "1"),
    "projects": ("list", "projects", "--json"),
    "calls": ("list", "tool-calls", "--csv"),
    "runs": ("list", "agent-runs", "--json"),
    "files": ("list", "files", "--json"),
    "matching": ("list", "--tool", "Bash", "--sort", "cost", "--json", "--limit", "2"),
    "days": ("usage", "--json"),
    "agents": ("usage", "--by", "agent", "--json"),
    "by session": ("usage", "--by", "session", "--json"),
    "later": ("list", "tool-calls", "--since", "2026-10-20", "--json"),
}
TABLES = {
    "sessions": ("list",),
    "few": ("list", "--limit", "4"),
    "usage": ("usage",),
    "by session": ("usage", "--by", "session", "--limit", "5"),
    "since": ("usage", "--since", "2026-11-01", "--until", "2026-11-10"),
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let this machine have the samples, and no archive."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(samples_root()))
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / "home"


def in_process(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], least: int, monkeypatch: object
) -> Ended:
    """Run a command line on pipes, with so many bytes being much."""
    assert isinstance(monkeypatch, pytest.MonkeyPatch)
    monkeypatch.setattr(refresh, "MUCH_BYTES", least)
    code = main(words)
    return Ended(code, *capsys.readouterr())


def terminal(*words: str) -> str:
    """Run a command line on a terminal, where little is much."""
    return on_terminal(*words, columns=120, command=(sys.executable, "-c", MUCH))


@pytest.mark.parametrize("words", [*DATA.values(), *TABLES.values()], ids=[*DATA, *TABLES])
def test_an_answer_from_files_is_that_of_the_archive(
    words: tuple[str, ...],
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = in_process(capsys, words, 0, monkeypatch)
    assert not home.exists()
    assert main(["sync"]) == 0
    capsys.readouterr()

    then = in_process(capsys, words, 1 << 40, monkeypatch)

    assert first.code == then.code == 0
    assert first.out == then.out
    assert first.err.splitlines()[:-1] == then.err.splitlines()


def test_data_for_a_program_waits_for_nothing(home: Path) -> None:
    done = subprocess.run(  # noqa: S603 (our own module)
        [sys.executable, "-c", MUCH, "list", "--json"], capture_output=True, check=True, text=True
    )

    assert len(msgspec.json.decode(done.stdout)["sessions"]) == 16
    [note] = done.stderr.splitlines()
    assert re.fullmatch(
        r"clew: 16 sessions \(.* MB\) not archived yet; run `clew sync` to archive them", note
    )
    assert not home.exists()


def test_a_piped_page_says_that_much_is_not_archived(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("show", "latest")

    assert re.fullmatch(
        r"clew: transcripts \(.* MB\) not archived yet; run `clew sync` to archive them\n",
        in_process(capsys, words, 0, monkeypatch).err,
    )
    assert in_process(capsys, (*words, "--no-sync"), 0, monkeypatch).err == ""
    assert in_process(capsys, words, 1 << 40, monkeypatch).err == ""
    assert not home.exists()


@pytest.mark.parametrize(("words", "answer"), COMMANDS.items(), ids=map(" ".join, COMMANDS))
def test_archiving_follows_the_answer_on_a_terminal(words: tuple[str, ...], answer: str) -> None:
    shown = terminal(*words)

    assert 0 <= shown.find(answer) < shown.index("Archiving ")
    assert "Archived 16 sessions" in shown
    listed = msgspec.json.decode(run("list", "--no-sync", "--json").out)
    assert len(listed["sessions"]) == 16


def test_little_is_archived_first(home: Path) -> None:
    shown = on_terminal("list")

    assert "Ctrl-C" not in shown
    assert home.exists()


def test_ctrl_c_after_the_answer_is_no_error(tmp_path: Path) -> None:
    root = tmp_path / "many"
    write_many(root, 80)

    code, seen = interrupt_on_terminal(
        (sys.executable, "-c", MUCH, "usage"),
        lambda seen: b"Archiving " in seen,
        CLAUDE_CONFIG_DIR=str(root),
    )

    assert code == 0
    assert "Stopped; the next command continues" in seen
    assert 0 <= seen.find("cache hits") < seen.index("Archiving")
    assert run("sync", CLAUDE_CONFIG_DIR=str(root)).code == 0

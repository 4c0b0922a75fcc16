"""A folder that CLAUDE_CONFIG_DIR names and that is not there is told, once, and no hindrance."""

import os
import shutil
from pathlib import Path

import pytest

from clew.cli import main
from tests.build import SessionBuilder


@pytest.fixture
def gone(machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is not there, named beside one with a session."""
    SessionBuilder("talk").user("Explain zirconium").assistant("A metal.").write(machine)
    gone = tmp_path / "unmounted"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{machine},{gone}")
    return gone


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["sync"],
        ["usage"],
        ["check"],
        ["show", "latest"],
        ["search", "metal"],
        ["sql", "SELECT 1"],
    ],
)
def test_a_configured_folder_that_is_missing_is_told_once(
    words: list[str], gone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0

    told = capsys.readouterr().err
    assert told.count(f"{gone}, set in CLAUDE_CONFIG_DIR, does not exist") == 1


def test_a_command_that_looks_nowhere_does_not_tell_of_it(
    gone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["sync"])
    capsys.readouterr()

    assert main(["list", "--no-sync"]) == 0
    assert str(gone) not in capsys.readouterr().err


def test_usual_folders_may_be_missing(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    SessionBuilder("talk").user("Explain zirconium").assistant("A metal.").write(machine)

    assert main(["list"]) == 0
    assert "does not exist" not in capsys.readouterr().err


@pytest.mark.parametrize("words", [["sync"], ["sync", "--rebuild"], ["list"], ["search", "metal"]])
def test_a_lost_database_is_rebuilt_without_transcripts(
    words: list[str], machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    SessionBuilder("talk").user("Explain zirconium").assistant("A metal.").write(machine)
    assert main(["sync"]) == 0
    shutil.rmtree(machine)
    for file in Path(os.environ["CLEW_HOME"]).glob("archive.db*"):
        file.unlink()

    assert main(words) == 0

    capsys.readouterr()
    assert main(["list"]) == 0
    assert "Explain zirconium" in capsys.readouterr().out

"""`clew archive copy`: what it prints, and what it refuses."""

import json
from pathlib import Path

import pytest

from clew.cli import main
from tests.build import SessionBuilder
from tests.surface.running import on_terminal


@pytest.fixture
def target(machine: Path, tmp_path: Path) -> str:
    """Give a place for a copy of an archive with one session."""
    SessionBuilder("one").user("Find the retry bug").assistant("Found it.").write(machine)
    assert main(["sync"]) == 0
    return str(tmp_path / "target")


def test_an_archive_is_copied_and_used(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    words = ["archive", "copy", "--to", target]

    assert main(words) == 0
    first = capsys.readouterr().out.splitlines()
    assert main(words) == 0
    again = capsys.readouterr().out.splitlines()
    assert main(["list", "--no-sync", "--archive", target]) == 0

    assert first[0].startswith("Copied 1 of 1 file (")
    assert first[0].endswith(f" to {target}")
    assert first[1].startswith("Updated 1 of 1 session in ")
    assert again[0] == f"Copied 0 of 1 file (0 bytes) to {target}; 1 already there"
    assert "Find the retry bug" in capsys.readouterr().out


def test_the_report_is_json(
    target: str, machine: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    capsysbinary.readouterr()

    assert main(["archive", "copy", "--to", target, "--json"]) == 0

    found = json.loads(capsysbinary.readouterr().out)
    assert (found["schema"], found["faults"]) == ("clew.copy/1", [])
    assert (found["source"], found["destination"]) == (str(machine.parent / "home"), target)
    assert (found["files"], found["files_copied"], found["sessions_written"]) == (1, 1, 1)


def test_a_terminal_sees_how_far_it_is(target: str) -> None:
    assert "Copying" in on_terminal("archive", "copy", "--to", target)


def test_a_file_that_cannot_be_copied_is_named(
    target: str, machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    next((machine.parent / "home").rglob("*.jsonl.zst")).unlink()

    assert main(["archive", "copy", "--to", target]) == 4

    err = capsys.readouterr().err
    assert "clew: not copied: projects/" in err
    assert "is damaged" in err


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (["--to", ""], 2, "the address is empty"),
        (["--to", "s3://bucket"], 2, "is not an archive"),
        (["--to", "postgresql://me:secret@host/db"], 2, "--to-blobs is missing: use s3://"),
        (["--to", "there", "--to-blobs", "s3://bucket"], 2, "remove --to-blobs"),
        (["--to", "home"], 2, "cannot be copied to itself"),
        (["--to", "there", "--archive", "empty"], 3, "no archive in"),
    ],
)
@pytest.mark.usefixtures("target")
def test_what_makes_no_sense_is_refused(
    words: list[str],
    code: int,
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["archive", "copy", *words]) == code

    err = capsys.readouterr().err
    assert problem in err
    assert "secret" not in err
    assert not (tmp_path / "there").exists()


def test_blobs_of_the_source_are_not_those_of_the_destination(
    target: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = str(Path(target).parent / "home")
    monkeypatch.setenv("CLEW_ARCHIVE", "postgresql://host/db")
    monkeypatch.setenv("CLEW_BLOBS", "/blobs")
    words = ["archive", "copy", "--archive", source, "--to", "postgresql://host/other"]

    assert main(words) == 2
    assert "--to-blobs is missing" in capsys.readouterr().err

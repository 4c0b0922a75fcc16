"""Every command works on the archive that is chosen, however it is chosen, and on no other."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import clew
from clew.cli import main
from clew.cli.app import app
from tests.build import SessionBuilder, bash
from tests.surface.running import CLEW, wait_for_titles

SESSION = SessionBuilder("one").session_id
# What each command prints, and the words that ask for it.
COMMANDS = [
    (["list"], "Find the retry bug"),
    (["list", "tool-calls"], "Bash"),
    (["show", SESSION[:8], "--no-sync"], "Find the retry bug"),
    (["search", "retry"], "retry"),
    (["usage"], "total"),
    (["usage", "--by", "session"], "Find the retry bug"),
    (["archive", "status"], "1 session"),
    (["archive", "verify"], "1 of 1 file intact"),
    (["archive", "restore", "-o", "restored"], "Restored 1 file"),
    (["export", "html", "-o", "site"], "Exported 1 session"),
    (["export", "markdown", "-o", "notes"], "Exported 1 session"),
    (["export", "json", "-o", "json"], "Exported 1 session"),
    (["export", "jsonl", "-o", "files"], "Exported 1 session"),
    (["export", "parquet", "-o", "tables"], "session.parquet"),
    (["sql", "SELECT title FROM session"], "Find the retry bug"),
    (["sync"], "1 file, no changes"),
    (["sync", "--rebuild"], "Rebuilt 1 of 1 session"),
    ([], "1 session in 1 project"),
]
WITHOUT_ARCHIVE = {
    "clew check",
    "clew config path",
    "clew hooks install",
    "clew hooks remove",
    "clew hooks status",
}


@pytest.fixture
def chosen(machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Give the address of an archive with a session; no other archive may be made."""
    monkeypatch.chdir(tmp_path)
    session = SessionBuilder("one").user("Find the retry bug").tools(bash("ls", "a"))
    session.assistant("Found it.").write(machine)
    address = str(tmp_path / "chosen")
    assert main(["--archive", address, "sync"]) == 0
    return address


@pytest.fixture(autouse=True)
def _no_other_archive(tmp_path: Path) -> Iterator[None]:
    yield
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(("words", "expected"), COMMANDS, ids=lambda value: str(value)[:40])
def test_a_command_uses_the_archive_that_an_option_names(
    chosen: str, words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()

    assert main([*words, "--archive", chosen]) == 0

    assert expected in capsys.readouterr().out


def test_a_command_uses_the_archive_that_a_variable_names(
    chosen: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLEW_ARCHIVE", chosen)
    capsys.readouterr()

    assert main(["list", "--no-sync"]) == 0

    assert "Find the retry bug" in capsys.readouterr().out


def test_a_command_uses_the_archive_that_the_settings_file_names(
    chosen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(f"archive = {json.dumps(chosen)}\n")
    monkeypatch.setenv("CLEW_CONFIG", str(file))
    capsys.readouterr()

    assert main(["list", "--no-sync"]) == 0

    assert "Find the retry bug" in capsys.readouterr().out


def test_the_option_of_a_command_comes_before_the_one_for_all(
    chosen: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()

    words = ["--archive", str(tmp_path / "other"), "list", "--no-sync", "--archive", chosen]
    assert main(words) == 0

    assert "Find the retry bug" in capsys.readouterr().out
    assert not (tmp_path / "other").exists()


def test_an_option_leaves_the_environment_as_it_was(chosen: str) -> None:
    before = dict(os.environ)

    main(["list", "--archive", chosen, "--limit", "wrong"])

    assert dict(os.environ) == before


def test_workers_of_an_export_read_the_chosen_archive(
    chosen: str, machine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(40):
        SessionBuilder(f"n{number}").user(f"Number {number}").assistant("ok").write(machine)

    assert main(["export", "markdown", "-o", str(tmp_path / "notes"), "--archive", chosen]) == 0

    assert "Exported 41 sessions" in capsys.readouterr().out


def test_the_web_app_shows_and_fills_the_chosen_archive(chosen: str, machine: Path) -> None:
    SessionBuilder("two").user("Written later").assistant("ok").write(machine)
    process = subprocess.Popen(  # noqa: S603 (our own module)
        [*CLEW, "serve", "--port", "0", "--archive", chosen], stderr=subprocess.PIPE, text=True
    )
    with process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[2]
        titles = wait_for_titles(address, 2)
        process.send_signal(signal.SIGINT)

    assert titles == ["Find the retry bug", "Written later"]
    with clew.open_archive(chosen) as archive:
        assert archive.count("sessions") == 2


def test_import_clew_takes_the_same_addresses(
    chosen: str, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in machine.rglob("*.jsonl"):
        file.unlink()

    with clew.open_archive(chosen) as archive:
        assert [session.title for session in archive.sessions()] == ["Find the retry bug"]
    assert clew.load(SESSION, archive=chosen).session.title == "Find the retry bug"
    monkeypatch.setenv("CLEW_ARCHIVE", chosen)
    with clew.open_archive() as archive:
        assert archive.count("sessions") == 1
    assert clew.load("latest").session.title == "Find the retry bug"


def test_every_command_takes_the_option() -> None:
    without = {name for name, each in _commands(app, "clew") if not _has_option(each)}

    assert without == WITHOUT_ARCHIVE


def _commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            below = command.get_command(context, each)
            assert below is not None
            yield from _commands(below, f"{name} {each}")


def _has_option(command: click.Command) -> bool:
    return any("--archive" in option.opts for option in command.params)


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["list", "--archive", ""], "the address is empty"),
        (["list", "--archive", "s3://bucket"], "is not an archive; use a directory or a"),
        (["list", "--archive", "postgresql://me:secret@host/db"], "set CLEW_BLOBS to"),
        (["--demo", "list", "--archive", "x"], "--archive and --demo cannot be combined"),
        (["--demo", "--archive", "x", "list"], "--archive and --demo cannot be combined"),
        (["--archive", "x", "list", "--demo"], "--archive and --demo cannot be combined"),
    ],
)
def test_a_choice_that_cannot_be_is_a_wrong_use(
    words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2

    err = capsys.readouterr().err
    assert problem in err
    assert "secret" not in err


@pytest.fixture
def config(capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    """Run `clew config` and give its JSON."""

    def run(*words: str) -> Any:
        capsysbinary.readouterr()
        assert main(["config", "--json", *words]) == 0
        return json.loads(capsysbinary.readouterr().out)

    return run


def test_settings_are_shown_with_their_sources_and_without_passwords(
    machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: Any
) -> None:
    home = str(machine.parent / "home")
    before = config()
    file = tmp_path / "settings.toml"
    file.write_text('archive = "postgresql://me:secret@host/db"\n')
    monkeypatch.setenv("CLEW_CONFIG", str(file))
    monkeypatch.setenv("CLEW_BLOBS", "s3://bucket/prefix")
    after = config()
    optional = config("--archive", str(tmp_path / "mine"))

    assert before["settings"][:2] == [
        {"name": "archive", "value": home, "source": "CLEW_HOME"},
        {"name": "blobs", "value": f"{home}/files", "source": "archive"},
    ]
    assert {each["source"] for each in before["settings"][2:]} == {"default"}
    assert before["file_exists"] is False
    assert (after["schema"], after["file"]) == ("clew.config/1", str(file))
    assert after["file_exists"] is True
    assert after["settings"][:2] == [
        {"name": "archive", "value": "postgresql://me:***@host/db", "source": "settings file"},
        {"name": "blobs", "value": "s3://bucket/prefix", "source": "CLEW_BLOBS"},
    ]
    assert [each["source"] for each in optional["settings"][:2]] == ["--archive", "archive"]


@pytest.mark.usefixtures("machine")
def test_the_path_of_a_broken_settings_file_is_still_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("archive: /mine")
    monkeypatch.setenv("CLEW_CONFIG", str(file))

    assert main(["list"]) == 2
    assert main(["config"]) == 2
    assert capsys.readouterr().err.count(f"clew: {file} is not valid TOML") == 2
    assert main(["config", "path"]) == 0
    assert capsys.readouterr().out == f"{file}\n"


@pytest.mark.usefixtures("machine")
def test_settings_are_printed_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["setting", "value", "source"]
    assert lines[-1].startswith("Settings file: ")
    assert lines[-1].endswith("config.toml (does not exist)")

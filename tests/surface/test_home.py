"""Bare `clew`, and `--demo` with every command."""

import datetime as dt
import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from clew.cli import main
from clew.cli.app import COMMANDS
from clew.samples import samples_root
from tests.build import SessionBuilder, Usage
from tests.surface.running import CLEW, on_terminal


def recent_time() -> str:
    """Give the time as transcripts write it."""
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def recent() -> SessionBuilder:
    """Give a session of today."""
    return (
        SessionBuilder("recent")
        .at(recent_time())
        .user("Fix it")
        .assistant("ok", usage=Usage(output=9000))
    )


def test_what_is_new_is_kept_and_listed(
    machine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recent().write(machine)

    assert main([]) == 0

    out = capsys.readouterr().out
    assert re.match(r"1 session in 1 project · last 7 days: [\d.]+ k tokens, ≈ \$\d", out)
    assert "Fix it" in out
    assert f"clew show {recent().session_id[:8]}" in out
    assert (tmp_path / "home" / "archive.db").exists()


@pytest.mark.parametrize(
    ("model", "words"),
    [("claude-of-nowhere", "unpriced"), ("claude-haiku-4-5", "<$0.01 at API prices")],
)
def test_costs_without_a_number_are_told_in_plain_words(
    machine: Path, capsys: pytest.CaptureFixture[str], model: str, words: str
) -> None:
    session = SessionBuilder("recent").at(recent_time()).model(model).user("Fix it")
    session.assistant("ok", usage=Usage(output=90)).write(machine)

    main([])

    assert capsys.readouterr().out.splitlines()[0].endswith(f" tokens, {words}")


def test_the_ten_latest_sessions_are_listed(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(12):
        session = SessionBuilder(str(number)).at(f"2025-01-{number + 1:02}T09:00:00Z")
        session.user(f"Number {number}.").assistant("ok").write(machine)

    assert main([]) == 0

    out = capsys.readouterr().out
    assert out.startswith("12 sessions in 1 project · last 7 days: no activity\n")
    assert re.findall(r"Number (\d+)\.", out) == [str(number) for number in range(11, 1, -1)]


@pytest.mark.parametrize("columns", [45, 60, 80, 140])
def test_it_fits_the_terminal(machine: Path, columns: int) -> None:
    recent().write(machine)

    lines = on_terminal(columns=columns).splitlines()

    assert max(map(len, (re.sub(r"\x1b\[\d*m", "", line) for line in lines))) <= columns


@pytest.mark.usefixtures("machine")
def test_every_next_step_is_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--demo"]) == 0

    steps = re.findall(r"^  clew --demo (\w+)", capsys.readouterr().out, re.MULTILINE)
    assert steps
    assert set(steps) <= set(COMMANDS)


def test_without_transcripts_samples_are_offered(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([]) == 0

    out = capsys.readouterr().out
    assert f"found in {machine}" in out
    assert "clew --demo" in out


def test_without_any_root_it_is_said_where_roots_are(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.rmdir()

    assert main([]) == 0
    assert "~/.claude" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["--demo", "list", "--json"],
        ["list", "--demo", "--json"],
        ["list", "--json", "--demo"],
        ["--demo", "list", "--json", "--demo"],
    ],
)
def test_samples_go_with_a_command_wherever_the_word_stands(
    words: list[str], machine: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    recent().write(machine)

    assert main(words) == 0

    sessions = json.loads(capsysbinary.readouterr().out)["sessions"]
    assert len(sessions) > 3
    assert all(session["path"].startswith(str(samples_root())) for session in sessions)


def test_samples_leave_nothing_behind(
    machine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = dict(os.environ)
    recent().write(machine)

    assert main(["archive", "status", "--demo"]) == 0

    folder = Path(capsys.readouterr().out.splitlines()[0])
    assert not folder.exists()
    assert not (tmp_path / "home").exists()
    assert dict(os.environ) == before


@pytest.mark.usefixtures("machine")
def test_a_sample_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "--demo", "--detail", "outline"]) == 0
    assert capsys.readouterr().out


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("words", [["verify"], ["restore", "-o", "back"]])
def test_samples_are_kept_where_a_command_takes_in_nothing(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["--demo", "archive", *words]) == 0
    assert "files" in capsys.readouterr().out


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_samples_leave_nothing_behind_when_a_terminal_is_closed(
    number: signal.Signals, tmp_path: Path
) -> None:
    process = subprocess.Popen(  # noqa: S603 (our own module)
        [*CLEW, "--demo", "sync", "--watch"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    with process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"Watching for changes (Ctrl-C to stop)\n"
        process.send_signal(number)

    assert list(tmp_path.glob("clew-demo-*")) == []

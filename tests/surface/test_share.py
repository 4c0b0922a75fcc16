"""`clew share`: one file without secrets, and a report of what was masked."""

import json
from pathlib import Path

import pytest

from clew.cli import main
from tests.build import SessionBuilder, bash

TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"


@pytest.fixture(autouse=True)
def root(machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a root with two sessions, each with a secret."""
    for name in ("alpha", "beta"):
        builder = SessionBuilder(name, cwd=f"/home/mira/code/{name}").user(f"Do {name}, kiwi")
        builder.tools(bash(f"curl -H 'token: {TOKEN}'", "ok")).assistant("Done.").write(machine)
    monkeypatch.chdir(tmp_path)
    return machine


def name_of(name: str) -> str:
    return SessionBuilder(name).session_id


def test_a_session_is_written_under_a_name_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = name_of("alpha")

    assert main(["share", session]) == 0
    told = capsys.readouterr()
    again = main(["share", session])

    file = tmp_path / f"clew-{session[:8]}.html"
    assert TOKEN not in file.read_text("utf-8")
    assert file.name in told.out
    assert "github-token" in told.out
    assert "Masked" in told.err
    assert again == 2
    assert "exists" in capsys.readouterr().err


def test_a_dry_run_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = set(tmp_path.iterdir())

    assert main(["share", name_of("alpha"), "--dry-run", "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    assert report["schema"] == "clew.share/1"
    assert "github-token" in {kind["rule"] for kind in report["kinds"]}
    assert {path.suffix for path in set(tmp_path.iterdir()) - before} <= {""}


@pytest.mark.parametrize(
    "words",
    [
        [name_of("alpha"), name_of("beta")],
        ["--project", "code"],
        ["--query", "kiwi"],
        ["--query", "kiwi", "--hits", "--format", "markdown"],
    ],
)
def test_several_sessions_are_one_file(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["share", *words, "-o", "out.file", "--json"]) == 0

    text = (tmp_path / "out.file").read_text("utf-8")
    report = json.loads(capsys.readouterr().out)
    assert len(report["sessions"]) == 2
    assert report["size_bytes"] == len(text.encode())
    assert "Do alpha" in text
    assert "Do beta" in text
    assert TOKEN not in text


def test_without_redaction_secrets_stay_and_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["share", name_of("alpha"), "--no-redact", "-o", "out.html"]) == 0

    assert TOKEN in (tmp_path / "out.html").read_text("utf-8")
    assert "Not masked:" in capsys.readouterr().err


def test_a_session_without_secrets_is_said_to_have_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = SessionBuilder("gamma", cwd="/srv").user("Hi.").assistant("Ho.").write(tmp_path / "own")

    assert main(["share", str(file), "--format", "json", "-o", "out.json"]) == 0

    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["schema"] == "clew.conversation/1"
    assert "No secrets found." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "nothing to share"),
        (["--hits"], 2, "--hits needs --query"),
        (["none"], 3, "none"),
        ([name_of("alpha"), "--query", "kiwi"], 2, "cannot be combined"),
        ([name_of("alpha"), "--turns", "x"], 2, "invalid turns"),
        ([name_of("alpha"), "--turns", "9", "-o", "x"], 3, "no turn 9"),
        (["--query", "nowhere-at-all"], 3, "no sessions match"),
    ],
)
def test_what_cannot_be_shared_is_said(
    words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["share", *words]) == code
    assert said in capsys.readouterr().err

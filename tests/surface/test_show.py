"""`clew show`: which session, in which form, and where it goes."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from clew.cli import main
from tests.build import SessionBuilder, bash

QUIET: Final = {"NO_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "80", "PAGER": ""}

# In two pieces, so that nobody takes it for one that was lost here.
KEY = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a root with two sessions, which is the only one that is looked in."""
    folder = tmp_path / "claude"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    for number, name in enumerate(("older", "newer")):
        session = SessionBuilder(name).user(f"The {name} one").tools(bash("ls", "a.txt"))
        os.utime(session.assistant("Done.").write(folder), (0, 1_700_000_000 + number))
    return folder


def on_terminal(words: list[str], **environment: str) -> str:
    """Run a command line on a terminal, and give what the terminal was sent."""
    master, slave = pty.openpty()
    process = subprocess.Popen(  # noqa: S603 (our own module)
        [sys.executable, "-m", "clew", *words],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, **environment},
    )
    os.close(slave)
    pieces = []
    try:
        while piece := os.read(master, 65536):
            pieces.append(piece)
    except OSError:
        pass  # so a terminal ends whose last program is gone
    process.wait()
    os.close(master)
    return b"".join(pieces).decode().replace("\r\n", "\n")


def test_the_latest_session_is_shown_when_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["show"])

    assert code == 0
    assert capsys.readouterr().out.startswith("The newer one\n")


@pytest.mark.parametrize("length", [36, 8])
def test_a_session_is_found_by_its_id_or_the_beginning_of_it(
    length: int, capsys: pytest.CaptureFixture[str]
) -> None:
    session_id = SessionBuilder("older").session_id

    code = main(["show", session_id[:length]])

    assert (code, capsys.readouterr().out.split("\n")[0]) == (0, "The older one")


def test_a_path_needs_no_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    path = SessionBuilder().user("By path").assistant("ok").write(tmp_path / "s.jsonl")

    assert main(["show", str(path)]) == 0
    assert capsys.readouterr().out.startswith("By path\n")


def test_a_root_is_looked_in_when_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    SessionBuilder().user("In a root").assistant("ok").write(tmp_path / "other")

    assert main(["show", "latest", "--root", str(tmp_path / "other")]) == 0
    assert capsys.readouterr().out.startswith("In a root\n")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["zzz"], 3, "no session id starts with 'zzz'"),
        (["gone.jsonl"], 3, "no such file or directory: gone.jsonl"),
        (["latest", "--turn", "9"], 3, "no turn 9; the session has one turn"),
        (["latest", "--turn", "1", "--json"], 2, "--turn and JSON cannot be combined"),
        (["latest", "--detail", "some"], 2, "'some' is not one of"),
        (["latest", "--format", "pdf"], 2, "'pdf' is not one of"),
        (["latest", "-o", "nowhere/a.txt"], 1, "clew: nowhere/a.txt: No such file or directory;"),
        (["latest", "-o", "/"], 2, "is a directory"),
        (["latest", "--json", "--format", "html"], 2, "cannot be combined"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(
    words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", *words]) == code
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("words", [["--json"], ["--format", "json"]])
def test_json_is_the_whole_conversation(
    words: list[str], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    main(["show", *words])

    value = json.loads(capfdbinary.readouterr().out)
    assert value["schema"] == "clew.conversation/1"
    assert [message["kind"] for message in value["messages"]] == [
        "prompt",
        "answer",
        "tool_results",
        "answer",
    ]


@pytest.mark.parametrize("name", ["page.txt", "page.json"])
def test_output_goes_to_a_file_whole(
    root: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    target = root / name
    target.write_text("what was there before", "utf-8")

    main(["show", "--format", "json" if name.endswith("json") else "terminal", "-o", str(target)])

    assert "The newer one" in target.read_text("utf-8")
    assert [path.name for path in root.iterdir() if path.is_file()] == [name]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("is_file", [False, True])
def test_secrets_are_masked_in_text_too(
    root: Path, capsys: pytest.CaptureFixture[str], *, is_file: bool
) -> None:
    SessionBuilder("secret").user(f"My key is {KEY}.").assistant("ok").write(root)
    target = root / "page.txt"

    code = main(["show", "--redact", *(["-o", str(target)] if is_file else [])])

    shown, told = capsys.readouterr()
    page = target.read_text("utf-8") if is_file else shown
    assert (code, KEY in page, "[redacted: github-token 1]" in page) == (0, False, True)
    assert told.startswith("Masked ")


def test_secrets_in_text_that_goes_to_a_file_are_told_of(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    SessionBuilder("secret").user(f"My key is {KEY}.").assistant("ok").write(root)

    main(["show", "-o", str(root / "page.txt")])

    assert "`--redact` to mask them" in capsys.readouterr().err


def test_a_dash_is_stdout(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(root)

    assert main(["show", "--format", "markdown", "-o", "-"]) == 0
    assert b"# The newer one\n" in capfdbinary.readouterr().out


def test_without_a_terminal_a_page_has_no_colours_and_a_hundred_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)

    main(["show"])

    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert max(map(len, out.split("\n"))) == 100


def test_a_page_on_a_terminal_is_coloured_and_as_wide_as_it() -> None:
    out = on_terminal(["show"], **QUIET | {"NO_COLOR": ""})

    assert "\x1b[36m" in out
    plain = re.sub(r"\x1b\[[\d;]*m", "", out)
    assert max(map(len, plain.split("\n"))) == 80


def test_no_color_is_obeyed() -> None:
    out = on_terminal(["show"], **QUIET)

    assert "The newer one" in out
    assert re.search(r"\x1b\[[\d;]*3\dm", out) is None


def test_a_page_on_a_terminal_goes_through_the_pager(root: Path) -> None:
    pager = root / "pager.py"
    pager.write_text("import sys; print('PAGED', len(sys.stdin.read()) > 100)", "utf-8")
    environment = QUIET | {"PAGER": f"{sys.executable} {pager}"}

    assert on_terminal(["show"], **environment) == "PAGED True\n"
    assert "The newer one" in on_terminal(["show", "--no-pager"], **environment)


def test_a_pager_that_is_not_there_is_done_without() -> None:
    assert "The newer one" in on_terminal(["show"], **QUIET | {"PAGER": "no-such-pager -x"})

"""The command line's frame: help, wrong use, failures, streams."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE
from typing import NamedTuple

import pytest
from inline_snapshot import snapshot
from rich.cells import cell_len

import clew
from clew.cli import main
from clew.cli.app import COMMANDS
from clew.cli.errors import report_error
from clew.cli.text import cut_front, size, visible
from clew.figures import plural
from tests.surface.running import on_terminal

ROW = '{"type":"user","uuid":"a","timestamp":"2025-01-02T03:04:05.678Z","message":{}}\n'
PARTS = [
    *(["archive", name] for name in ("status", "verify", "restore")),
    *(["export", name] for name in ("html", "markdown", "json", "jsonl", "parquet")),
]


class Ended(NamedTuple):
    """How a process ended, and what it wrote to pipes."""

    code: int
    out: str
    err: str


def run(*words: str, out: int = PIPE, err: int = PIPE, **environment: str) -> Ended:
    """Run the command line in a process of its own."""
    return python("-m", "clew", *words, out=out, err=err, **environment)


def python(*words: str, out: int = PIPE, err: int = PIPE, **environment: str) -> Ended:
    """Run the interpreter in a process of its own."""
    done = subprocess.run(  # noqa: S603 (the words are this file's)
        [sys.executable, *words],
        stdout=out,
        stderr=err,
        check=False,
        text=True,
        env={**os.environ, **environment},
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def run_with(before: Callable[[], None], *words: str) -> Ended:
    """Run the command line in a process of its own, after something was done to that."""
    done = subprocess.run(  # noqa: S603 (the words are this file's)
        [sys.executable, "-m", "clew", *words],
        capture_output=True,
        check=False,
        text=True,
        preexec_fn=before,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_text(ROW, "utf-8")
    return path


@pytest.mark.parametrize("words", [["-h"], ["--help"]])
def test_help_lists_commands_examples_and_exit_codes(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(words)

    out = capsys.readouterr().out
    assert code == 0
    assert all(text in out for text in (*COMMANDS, "Examples:", "Exit codes:"))


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main([name, "-h"])

    out = capsys.readouterr().out
    assert code == 0
    assert all(text in out for text in (COMMANDS[name][1], "Examples:", "Exit codes:"))


def test_help_imports_no_command_and_nothing_heavy() -> None:
    code = "import sys; from clew.cli import main; main(['--help']); print([*sys.modules])"

    modules = python("-c", code).out.splitlines()[-1]

    assert "'clew.cli.app'" in modules
    assert [
        m for m in ("rich", "msgspec", "clew.cli.check", "clew.entries") if f"'{m}'" in modules
    ] == []


def test_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"clew {clew.__version__}\n"


@pytest.mark.parametrize("words", [["--nope"], ["nope"], ["check", "--nope"]])
def test_wrong_use_ends_with_2_and_says_where_help_is(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(words)

    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert "--help' for help" in err


def test_a_path_that_is_not_there_ends_with_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["check", str(tmp_path / "gone\x1b[31m")])

    out, err = capsys.readouterr()
    assert (code, out) == (3, "")
    assert err == f"clew: no such file or directory: {tmp_path}/gone\\x1b[31m; check the path\n"


def test_a_machine_without_transcripts_is_told_where_was_looked(tmp_path: Path) -> None:
    done = run("check", HOME=str(tmp_path), CLAUDE_CONFIG_DIR="")

    assert (done.code, done.out) == (3, "")
    assert done.err == (
        "clew: no transcripts found in CLAUDE_CONFIG_DIR, ~/.claude, ~/.config/claude; use --root "
        "to add a directory, or set CLAUDE_CONFIG_DIR to Claude Code's data directory\n"
    )


def test_a_root_without_transcripts_is_named(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()

    done = run("check", HOME=str(tmp_path), CLAUDE_CONFIG_DIR="")

    assert done.code == 3
    assert f"no transcripts found in {tmp_path}/.claude; " in done.err


def test_without_paths_all_roots_are_checked(tmp_path: Path) -> None:
    for place in (".claude", "configured", "extra"):
        folder = tmp_path / place / "projects" / "-app"
        folder.mkdir(parents=True)
        (folder / "s.jsonl").write_text(ROW, "utf-8")
    home, configured, extra = str(tmp_path), str(tmp_path / "configured"), str(tmp_path / "extra")

    done = run("check", "--json", "--root", extra, HOME=home, CLAUDE_CONFIG_DIR=configured)

    report = json.loads(done.out)
    assert report["paths"] == [configured, f"{home}/.claude", extra]
    assert report["files"]["total"] == 3


def test_json_is_one_line_on_stdout_and_nothing_else(session: Path) -> None:
    done = run("check", "--json", str(session))

    assert (done.code, done.err) == (0, "")
    assert done.out.count("\n") == 1
    assert json.loads(done.out)["schema"] == "clew.check/1"


def test_progress_is_shown_on_a_terminal_but_not_on_stdout(session: Path) -> None:
    ours, theirs = pty.openpty()

    done = run("check", "--json", str(session), err=theirs, TERM="xterm")

    assert b"Checking" in os.read(ours, 10_000)
    assert json.loads(done.out)["entries"] == 1
    os.close(ours)
    os.close(theirs)


def test_a_bar_stays_on_one_line_of_a_narrow_terminal(session: Path) -> None:
    shown = on_terminal("check", str(session), columns=26)

    assert "Checking" in shown
    # The cursor goes up once, to take the bar away.
    assert shown.count("\x1b[1A") == 1


def test_a_terminal_that_cannot_clear_gets_no_bar(session: Path) -> None:
    shown = on_terminal("check", str(session), terminal="dumb")

    assert shown.startswith("1 file")


def on_a_terminal(*words: str, no_color: str = "") -> bytes:
    """Run a command whose stdout is a terminal, and give what that shows."""
    ours, theirs = pty.openpty()
    run(*words, out=theirs, TERM="xterm-256color", NO_COLOR=no_color)
    os.close(theirs)
    shown = os.read(ours, 100_000)
    os.close(ours)
    return shown


def test_colours_are_for_terminals_and_no_color_is_obeyed(session: Path) -> None:
    session.write_text(ROW * 2, "utf-8")
    words = ("check", str(session))

    assert b"\x1b[33m" in on_a_terminal(*words)
    assert b"\x1b[33m" not in on_a_terminal(*words, no_color="1")
    assert "\x1b" not in run(*words).out


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_reader_that_has_seen_enough_is_no_failure(session: Path, options: list[str]) -> None:
    session.write_text(ROW + "\n" * 2000, "utf-8")
    reading, writing = os.pipe()
    os.close(reading)

    done = run("check", str(session), "--verbose", *options, out=writing)

    os.close(writing)
    assert (done.code, done.err) == (141, "")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_full_disk_is_told_in_one_line(session: Path, options: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run("check", str(session), *options, out=full.fileno())

    assert done.code == 1
    assert done.err == (
        "clew: cannot read or write: No space left on device; free some space and try again\n"
    )


def test_an_interrupt_ends_with_130(capsys: pytest.CaptureFixture[str]) -> None:
    assert report_error(KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "clew: interrupted\n"


def test_what_the_system_refuses_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert report_error(PermissionError(13, "Permission denied", "/srv/x")) == 1
    assert capsys.readouterr().err == (
        "clew: /srv/x: Permission denied; check its permissions, or use another path\n"
    )


def test_a_word_that_is_no_utf_8_is_no_bug(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "SELECT '\udcff'", "--demo"]) == 2
    assert capsys.readouterr().err == (
        "clew: an argument or a path is not valid UTF-8; rename it\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["check", ""],
        ["list", "--root", ""],
        ["show", "-o", ""],
        ["export", "html", "-o", ""],
        ["archive", "restore", "-o", ""],
    ],
)
def test_an_empty_path_is_not_the_folder_one_is_in(
    words: list[str],
    machine: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(machine)

    assert main(words) == 2
    assert "the path is empty" in capsys.readouterr().err


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("command", ["sync", "list", "check"])
def test_a_file_is_no_root(command: str, session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--root", str(session)]) == 2
    assert "is a file" in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_stream_that_is_closed_takes_nothing_and_is_no_failure(
    session: Path, options: list[str]
) -> None:
    done = run_with(lambda: os.close(1), "show", str(session), *options)

    assert (done.code, done.out, done.err) == (0, "", "")


def test_signs_that_an_encoding_lacks_are_drawn_plainly(session: Path) -> None:
    session.write_text(ROW.replace("{}", '{"role":"user","content":"Grüße…"}'), "utf-8")

    done = run("show", str(session), PYTHONIOENCODING="ascii")

    assert done.out.startswith("Gr\\xfc\\xdfe...\n")
    assert "\n-- 1 ------" in done.out


def test_a_bug_says_so_without_quoting_anything(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLEW_DEBUG", raising=False)

    assert report_error(KeyError("words of a transcript")) == 1
    assert capsys.readouterr().err == snapshot(
        "clew: internal error (KeyError); run with CLEW_DEBUG=1 for the traceback, and report it\n"
    )


def test_a_bug_shows_its_traceback_when_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_DEBUG", "1")

    assert report_error(KeyError("words")) == 1
    assert "KeyError: 'words'" in capsys.readouterr().err


def test_a_shell_can_ask_for_completion() -> None:
    done = run(_CLEW_COMPLETE="bash_source")

    assert done.code == 0
    assert "_clew_completion" in done.out


def test_what_does_not_print_is_escaped() -> None:
    assert visible("é\x1b[0m\n\u202e\udcff") == "é\\x1b[0m\\n\\u202e\\udcff"


def test_the_end_of_a_long_path_is_kept() -> None:
    assert [cut_front("abcdef", width) for width in (6, 4, 0)] == ["abcdef", "…def", "…"]


def test_the_end_of_a_path_in_wide_letters_has_the_room_it_takes() -> None:
    path = "/home/dev/日本語のフォルダ/app.py"

    assert cut_front(path, 14) == "…ォルダ/app.py"
    assert [cell_len(cut_front(path, width)) for width in (20, 15, 2, 1)] == [20, 14, 2, 1]


@pytest.mark.parametrize("words", [[], *([name] for name in COMMANDS), *PARTS], ids=" ".join)
def test_no_line_of_help_is_broken_by_a_terminal(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main([*words, "--help"])

    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if cell_len(line) > 80] == []


def test_numbers_are_written_with_their_nouns() -> None:
    assert [plural(1, "file"), plural(2000, "file"), plural(2, "entry", "entries")] == [
        "1 file",
        "2,000 files",
        "2 entries",
    ]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1, "1 byte"),
        (999, "999 bytes"),
        (1500, "1.5 kB"),
        (111_400_000, "111.4 MB"),
        (10**16, "10,000.0 TB"),
    ],
)
def test_sizes_are_written_in_the_unit_that_suits(number: int, text: str) -> None:
    assert size(number) == text

"""Terminals: what is started on each platform, and what no shell ever reads."""

import subprocess
from pathlib import Path

import pytest

from clew.web.terminal import TerminalError, Which, open_terminal, terminal_arguments

HOSTILE = ("echo", "$(touch pwned)", "; touch pwned", "it's")


def has(*names: str) -> Which:
    return lambda name: f"/bin/{name}" if name in names else None


@pytest.mark.parametrize(
    ("installed", "started"),
    [
        (("xterm",), ["/bin/xterm", "-e"]),
        (("xterm", "gnome-terminal"), ["/bin/gnome-terminal", "--"]),
        (("xdg-terminal-exec", "konsole"), ["/bin/xdg-terminal-exec"]),
        (("wezterm",), ["/bin/wezterm", "start", "--"]),
    ],
)
def test_the_first_terminal_that_is_installed(
    tmp_path: Path, installed: tuple[str, ...], started: list[str]
) -> None:
    found = terminal_arguments(HOSTILE, tmp_path, "linux", has(*installed))

    assert found == [*started, *HOSTILE]


def test_windows_has_its_terminal(tmp_path: Path) -> None:
    found = terminal_arguments(("claude",), tmp_path, "win32", has("wt"))

    assert found == ["/bin/wt", "-d", str(tmp_path), "claude"]


@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_where_no_terminal_is_known_it_says_so(tmp_path: Path, platform: str) -> None:
    with pytest.raises(TerminalError, match="copy the command instead"):
        terminal_arguments(("claude",), tmp_path, platform, has())


def test_the_script_of_macos_quotes_and_removes_itself(tmp_path: Path) -> None:
    cwd = tmp_path / "it's; touch pwned"
    cwd.mkdir()

    started = terminal_arguments(HOSTILE, cwd, "darwin", has())
    script = Path(started[-1])
    mode = script.stat().st_mode & 0o777
    ran = subprocess.run(  # noqa: S603
        ["/bin/sh", str(script)], capture_output=True, text=True, check=True, cwd=tmp_path
    )

    assert started[:3] == ["open", "-a", "Terminal"]
    assert mode == 0o700
    assert ran.stdout == "$(touch pwned) ; touch pwned it's\n"
    assert not script.parent.exists()
    assert list(tmp_path.rglob("pwned")) == []


@pytest.mark.parametrize(
    ("program", "cwd", "words"),
    [
        ("sh", "/nowhere/at/all", "no directory"),
        ("sh", "relative", "no directory"),
        ("no-such-program-here", "/", "is not installed"),
    ],
)
def test_nothing_is_opened_without_directory_or_program(program: str, cwd: str, words: str) -> None:
    with pytest.raises(TerminalError, match=words):
        open_terminal((program,), cwd)

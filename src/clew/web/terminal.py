"""Opening a terminal with a command in it, where the platform has a way to.

No shell reads what comes from a transcript: programs get lists of arguments. Only the Terminal of
macOS takes a script instead, in which each argument is quoted.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from clew.errors import ClewError

Which: TypeAlias = Callable[[str], str | None]

# In the order in which they are looked for, with what comes before the command.
_TERMINALS: Final = (
    ("xdg-terminal-exec", ()),
    ("gnome-terminal", ("--",)),
    ("konsole", ("-e",)),
    ("kitty", ()),
    ("alacritty", ("-e",)),
    ("wezterm", ("start", "--")),
    ("foot", ()),
    ("xfce4-terminal", ("-x",)),
    ("x-terminal-emulator", ("-e",)),
    ("xterm", ("-e",)),
)


class TerminalError(ClewError):
    """No terminal can be opened."""


class TerminalForbiddenError(ClewError):
    """The app opens no terminals, or not for this reader."""


class NotResumableError(ClewError):
    """A session cannot be resumed."""


def open_terminal(arguments: Sequence[str], cwd: str) -> None:
    """Open a terminal in a directory and run a program in it.

    Raises:
        TerminalError: The directory or the program is not there, or no terminal is known.
    """
    folder = Path(cwd)
    if not cwd or not folder.is_absolute() or not folder.is_dir():
        raise TerminalError(f"there is no directory {cwd[:200]!r}; copy the command instead")
    program = next((word for word in arguments if word != "env" and "=" not in word), "")
    if shutil.which(program) is None:
        raise TerminalError(f"{program} is not installed; copy the command instead")
    started = terminal_arguments(arguments, folder, sys.platform, shutil.which)
    try:
        process = subprocess.Popen(  # noqa: S603 (a list of arguments; no shell reads it)
            started,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise TerminalError(f"cannot start {started[0]}: {error.strerror}") from error
    # Somebody has to ask how it ended, or it stays in the list of processes.
    threading.Thread(target=process.wait, daemon=True).start()


def terminal_arguments(
    arguments: Sequence[str], cwd: Path, platform: str, which: Which
) -> list[str]:
    """Return what to start so that a program runs in a terminal.

    Raises:
        TerminalError: No terminal is known on this platform.
    """
    if platform == "darwin":
        return ["open", "-a", "Terminal", str(_write_script(arguments, cwd))]
    if platform == "win32":
        found = which("wt")
        if found is not None:
            return [found, "-d", str(cwd), *arguments]
    else:
        for name, before in _TERMINALS:
            path = which(name)
            if path is not None:
                return [path, *before, *arguments]
    raise TerminalError("no terminal was found; copy the command instead")


def _write_script(arguments: Sequence[str], cwd: Path) -> Path:
    """Write a script that only its user can read or change, and that removes itself."""
    folder = Path(tempfile.mkdtemp(prefix="clew-"))
    script = folder / "resume.command"
    lines = (
        "#!/bin/sh",
        f"rm -rf {shlex.quote(str(folder))}",
        f"cd {shlex.quote(str(cwd))} || exit 1",
        f"exec {shlex.join(arguments)}",
    )
    descriptor = os.open(script, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return script

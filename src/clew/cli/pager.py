"""Long output on a terminal goes through the user's pager."""

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Final

# Exit if the text fits on one screen, allow colours, leave the text on the screen.
_LESS_OPTIONS: Final = "FRX"


def find_pager() -> list[str]:
    """Return the pager's command line: `$PAGER`, else `less`, else none."""
    command = os.environ.get("PAGER")
    if command is None:
        return ["less", "-R"] if shutil.which("less") else []
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    # Allow colours whatever `$LESS` says.
    is_less = bool(words) and os.path.basename(words[0]) == "less"  # noqa: PTH119
    return [*words, "-R"] if is_less else words


def page(pieces: Iterable[str], pager: list[str]) -> bool:
    """Send text to a pager and wait for it; return False if it could not be started."""
    environment = {"LESS": _LESS_OPTIONS, **os.environ}
    try:
        process = subprocess.Popen(  # noqa: S603 (the user's own pager)
            pager,
            stdin=subprocess.PIPE,
            env=environment,
            encoding="utf-8",
            errors="backslashreplace",
        )
    except OSError:
        return False
    with process, _without_interrupts():
        if process.stdin is not None:
            _feed(process.stdin, pieces)
        process.wait()
    return True


def _feed(stream: IO[str], pieces: Iterable[str]) -> None:
    try:
        stream.writelines(pieces)
        stream.close()
    except BrokenPipeError:
        # The user quit the pager before the end.
        _close_quietly(stream)


def _close_quietly(stream: IO[str]) -> None:
    try:
        stream.close()
    except BrokenPipeError:
        return


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Leave Ctrl-C to the pager, which has the terminal."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

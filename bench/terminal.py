"""A program on a terminal → when its answer stood there, whatever it does afterwards.

`clew` answers first and archives behind its answer. As a user would, this waits until nothing more
is printed, and then presses Ctrl-C: the program must take that as the end, not as a failure.
"""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from typing import Final, Self

from bench.child import Attempt, Task, children_cpu, children_peak, environ_of
from bench.process_tree import Spent, spent_by

ROWS: Final = 50
COLUMNS: Final = 120
# An answer that pauses for longer counts as over.
QUIET_SECONDS: Final = 1.5
# How soon after the last words their price is looked up.
_SOON_SECONDS: Final = 0.02
_PATIENCE_SECONDS: Final = 60
_CHUNK: Final = 1 << 16


def run_on_terminal(task: Task) -> Attempt:
    """Time a program from its start to the end of its answer."""
    started = time.perf_counter()
    with _Screen(task) as screen:
        screen.read()
        interrupted = screen.process.poll() is None
        problem = screen.stop() if interrupted else screen.failure()
    if problem or screen.answered is None:
        return Attempt(problem=problem or "it printed nothing")
    if not interrupted:
        screen.spent = Spent(children_cpu(), children_peak())
    figures = {"screen s": (screen.filled or screen.answered) - started, "lines": screen.lines}
    seconds = screen.answered - started
    return Attempt(
        seconds, screen.spent.cpu_seconds, screen.spent.peak_bytes, figures=dict(figures)
    )


class _Screen:
    """A program with one terminal for its answer and another one for all else it says."""

    def __init__(self, task: Task) -> None:
        self.answer, answer = pty.openpty()
        self.notes, notes = pty.openpty()
        for terminal in (answer, notes):
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(  # noqa: S603 (a program from our table)
            task.command,
            stdin=answer,
            stdout=answer,
            stderr=notes,
            env={**environ_of(task), "PAGER": "cat", "TERM": "xterm-256color"},
            start_new_session=True,
        )
        # Held open to the end: what a program writes last can be lost with the last one to close.
        self._programs_ends = (answer, notes)
        self.lines = 0
        self.filled: float | None = None
        self.answered: float | None = None
        self.spent = Spent()
        self._is_weighed = True
        self._said = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for terminal in (self.answer, self.notes, *self._programs_ends):
            os.close(terminal)

    def read(self) -> None:
        """Read until the program ends, or has been quiet for long enough behind its answer."""
        while not self._is_quiet():
            has_ended = self.process.poll() is not None
            ready = self._ready()
            for terminal in ready:
                self._take(terminal)
            if has_ended and not ready:
                return
            if not ready and not self._is_weighed:
                self.spent = spent_by(self.process.pid)
                self._is_weighed = True

    def stop(self) -> str:
        """Press Ctrl-C, and give what was wrong with how it ended."""
        os.killpg(self.process.pid, signal.SIGINT)
        end = time.perf_counter() + _PATIENCE_SECONDS
        while self.process.poll() is None:
            if time.perf_counter() > end:
                return "it did not end on Ctrl-C"
            self._drain()
        while self._drain():
            pass
        return self.failure()

    def failure(self) -> str:
        """Say how the program failed, if it did."""
        code = self.process.returncode
        said = self._said.decode(errors="replace").strip().splitlines()
        return f"ended with {code}: {said[-1] if said else ''}" if code else ""

    def _ready(self) -> list[int]:
        return select.select((self.answer, self.notes), (), (), _SOON_SECONDS)[0]

    def _drain(self) -> bool:
        """Keep what was written, if anything was."""
        ready = self._ready()
        for terminal in ready:
            self._said = (self._said + os.read(terminal, _CHUNK))[-_CHUNK:]
        return bool(ready)

    def _is_quiet(self) -> bool:
        now = time.perf_counter()
        return self.answered is not None and now - self.answered > QUIET_SECONDS

    def _take(self, terminal: int) -> None:
        chunk = os.read(terminal, _CHUNK)
        if terminal != self.answer:
            self._said = (self._said + chunk)[-_CHUNK:]
            return
        self.answered = time.perf_counter()
        self.lines += chunk.count(b"\n")
        if self.filled is None and self.lines >= ROWS:
            self.filled = self.answered
        self._is_weighed = False

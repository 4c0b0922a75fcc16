"""The command line in a process of its own: on pipes, on a terminal, on a disk that is full."""

import fcntl
import os
import pty
import resource
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx

from clew.samples import samples_root

CLEW = (sys.executable, "-m", "clew")


class Ended(NamedTuple):
    """How a process ended, and what it wrote."""

    code: int
    out: str
    err: str


def run(*words: str, before: Callable[[], None] | None = None, **environment: str) -> Ended:
    """Run a command line on pipes; `before` is called in the new process."""
    done = subprocess.run(  # noqa: S603 (our own module)
        [*CLEW, *words],
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, **environment},
        preexec_fn=before,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def on_terminal(
    *words: str,
    columns: int = 80,
    terminal: str = "xterm-256color",
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
    command: Sequence[str] = CLEW,
) -> str:
    """Run a command line on a terminal, and give what that was sent."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {
        "TERM": terminal,
        "NO_COLOR": "1",
        "PAGER": "",
        "COLUMNS": str(columns),
        **(variables or {}),
    }
    process = subprocess.Popen(  # noqa: S603 (our own module)
        [*command, *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, **environment},
        cwd=folder,
    )
    os.close(theirs)
    pieces = []
    try:
        while piece := os.read(ours, 65536):
            pieces.append(piece)
    except OSError:
        pass  # so a terminal ends whose last program is gone
    process.wait()
    os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n")


def interrupt_on_terminal(
    command: Sequence[str], is_time: Callable[[bytes], bool], **environment: str
) -> tuple[int, str]:
    """Run a program on a terminal, press Ctrl-C when it is time, and give its code and output."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(  # noqa: S603 (our own module)
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "120", **environment},
        start_new_session=True,
    )
    os.close(theirs)
    os.set_blocking(ours, False)
    seen = b""
    while process.poll() is None and not is_time(seen):
        seen += _read(ours)
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    while process.poll() is None:
        seen += _read(ours)
        time.sleep(0.01)
    seen += _read(ours)
    os.close(ours)
    return process.returncode, seen.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    """Read what a terminal has got by now."""
    try:
        return os.read(terminal, 1 << 20)
    except OSError:
        return b""


def write_many(root: Path, count: int) -> None:
    """Write so many sessions that archiving them takes a while."""
    folder = root / "projects" / "-many"
    folder.mkdir(parents=True)
    longest = max(samples_root().rglob("*.jsonl"), key=lambda path: path.stat().st_size).read_text()
    for number in range(count):
        name = f"00000000-0000-4000-8000-{number:012}"
        (folder / f"{name}.jsonl").write_text(longest.replace("msg_", f"msg_{number}x"))


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[Callable[[], None] | None]:
    """Have little room below a folder: a disk of its own, or a limit that a process is given."""
    folder.mkdir()
    if _mount(folder, f"size={size}"):
        try:
            yield None
        finally:
            _unmount(folder)
    else:
        yield lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Have a folder in which nobody can write, not even root."""
    folder.mkdir(mode=0o500)
    is_mounted = os.geteuid() == 0 and _mount(folder, "ro")
    try:
        yield
    finally:
        if is_mounted:
            _unmount(folder)


@contextmanager
def unreadable(file: Path) -> Iterator[None]:
    """Have a file that nobody can read, not even root, for whom modes mean nothing."""
    file.touch(mode=0o000)
    is_root = os.geteuid() == 0
    # A process's own memory is a file whose first bytes are never there.
    if is_root:
        subprocess.run(["mount", "--bind", "/proc/self/mem", str(file)], check=True)  # noqa: S603, S607
    try:
        yield
    finally:
        if is_root:
            _unmount(file)


def _mount(folder: Path, options: str) -> bool:
    if os.geteuid() != 0:
        return False
    words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return subprocess.run(words, check=False, capture_output=True).returncode == 0  # noqa: S603


def _unmount(folder: Path) -> None:
    subprocess.run(["umount", str(folder)], check=True)  # noqa: S603, S607


def titles_in_app(address: str) -> list[str]:
    """Give the titles of the sessions that a web app lists."""
    found = httpx.get(f"{address}api/sessions", trust_env=False, timeout=60).json()
    return sorted(session["title"] for session in found["sessions"])


def wait_for_titles(address: str, count: int) -> list[str]:
    """Give the titles that a web app lists, once it has as many sessions."""
    while len(found := titles_in_app(address)) < count:
        pass
    return found

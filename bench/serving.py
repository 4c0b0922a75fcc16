"""A server as a program → when a page of it is there, and what it took until then."""

import contextlib
import html
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.error import URLError
from urllib.request import Request, urlopen

from bench.child import Attempt, Page, Task, environ_of
from bench.process_tree import spent_by

_ADDRESS: Final = re.compile(r"http://\S+")
_SESSION: Final = re.compile(r'href="/sessions/([^"/?#]+)')
_PAUSE_SECONDS: Final = 0.01
_PATIENCE_SECONDS: Final = 120


class ServerError(Exception):
    """The server did not do what was asked."""


def run_server(task: Task, page: Page) -> Attempt:
    """Time a server from its start to a page that is useful."""
    started = time.perf_counter()
    try:
        with serving(task.command, environ_of(task)) as (address, process):
            ready = time.perf_counter()
            asked = wait_for(address, page)
            seen = time.perf_counter()
            spent = spent_by(process.pid)
            again = _milliseconds(address + page.path)
            for path in page.afterwards:
                ask(address + path)
            peak = max(spent.peak_bytes, spent_by(process.pid).peak_bytes)
    except ServerError as error:
        return Attempt(problem=str(error))
    figures = {
        "address s": ready - started,
        "page ms": (seen - asked) * 1000,
        "again ms": again,
    }
    return Attempt(seen - started, spent.cpu_seconds, peak, figures=figures)


@contextmanager
def serving(
    command: list[str], environ: dict[str, str]
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run a server; give its address and its process; it must end well on Ctrl-C."""
    with tempfile.NamedTemporaryFile() as said:
        process = subprocess.Popen(  # noqa: S603 (a program from our table)
            command,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            env={**environ, "BROWSER": "true"},
            start_new_session=True,
        )
        try:
            yield _address(process, Path(said.name)), process
            _stop(process)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_for(address: str, page: Page) -> float:
    """Ask for a page until it is useful, and give the time when it was asked for at last."""
    end = time.perf_counter() + _PATIENCE_SECONDS
    while (asked := time.perf_counter()) < end:
        text = ask(address + page.path)
        if text is not None and len(set(_SESSION.findall(text))) >= page.sessions:
            return asked
        time.sleep(_PAUSE_SECONDS)
    raise ServerError(f"{page.path} is not there after {_PATIENCE_SECONDS} s")


def ask(address: str) -> str | None:
    """Get a page as a browser would, if it is there."""
    request = Request(address, headers={"Accept": "text/html"})  # noqa: S310 (our own server)
    try:
        with urlopen(request, timeout=_PATIENCE_SECONDS) as answer:  # noqa: S310
            return html.unescape(answer.read().decode())
    except (URLError, ConnectionError):
        return None


def _milliseconds(address: str) -> float:
    started = time.perf_counter()
    ask(address)
    return (time.perf_counter() - started) * 1000


def _address(process: subprocess.Popen[bytes], said: Path) -> str:
    end = time.perf_counter() + _PATIENCE_SECONDS
    while time.perf_counter() < end and process.poll() is None:
        text = said.read_text("utf-8", "replace")
        if (found := _ADDRESS.search(text)) and text.endswith("\n"):
            return found[0].rstrip("/")
        time.sleep(_PAUSE_SECONDS)
    told = said.read_text("utf-8", "replace").strip().splitlines()
    raise ServerError(told[-1] if told else "the server gave no address")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    try:
        code = process.wait(_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise ServerError("the server did not end on Ctrl-C") from error
    if code:
        raise ServerError(f"the server ended with {code}")

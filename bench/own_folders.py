"""Folders that contestants bring along, whatever the contest is about: made once and kept.

One session of a given size, one of a given number of messages, many small files.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.clients import pick_client
from bench.dice import Dice
from bench.file_times import date_files
from bench.generate import (
    FULL_SCALE,
    GENERATOR_VERSION,
    LONG_SESSION_VERSION,
    cache_folder,
    generated,
)
from bench.long_session import LEAST_MESSAGES, long_lines, short_lines
from bench.project import Project
from bench.session import Order, SessionWriter

SCALE: Final = "CLEW_BENCH_SCALE"
_SMALL_PROJECTS: Final = 100


def scaled(number: int) -> int:
    """Make a size or a count as small as a smoke test wants it."""
    return max(1, int(number * float(os.environ.get(SCALE, "1"))))


def hundred_mb() -> Path:
    """Give the folder with which rates at other sizes are compared."""
    return generated(scaled(100_000_000))


def one_session(size: int) -> Path:
    """Give a folder with one session of so many bytes and no agent run."""
    size = scaled(size)

    def write(folder: Path) -> None:
        dice = Dice("append")
        project = Project(Dice("append/project"), scale=min(1.0, size / FULL_SCALE))
        client = pick_client(dice, LONG_SESSION_VERSION)
        SessionWriter(dice, project, client, folder).write(Order(size))

    return _kept(f"session-{size}", write)


def one_conversation(messages: int) -> Path:
    """Give a folder with one session of so many messages."""
    count = max(LEAST_MESSAGES, scaled(messages))

    def write(folder: Path) -> None:
        path = folder / "projects" / "-home-dev-code" / f"{_session_id(0)}.jsonl"
        path.parent.mkdir(parents=True)
        with path.open("wb") as file:
            file.writelines(long_lines(count, _session_id(0)))

    return _kept(f"messages-{count}", write)


def small_files(count: int) -> Path:
    """Give a folder with so many sessions of one turn each."""
    count = scaled(count)

    def write(folder: Path) -> None:
        for number in range(count):
            project = folder / "projects" / f"-home-dev-code-{number % _SMALL_PROJECTS}"
            project.mkdir(parents=True, exist_ok=True)
            path = project / f"{_session_id(number)}.jsonl"
            path.write_bytes(b"".join(short_lines(number, _session_id(number))))

    return _kept(f"files-{count}", write)


def _session_id(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def _kept(name: str, write: Callable[[Path], None]) -> Path:
    folder = cache_folder() / f"{name}-v{GENERATOR_VERSION}"
    if not folder.exists():
        with _partial(folder) as partial:
            write(partial)
            date_files(partial)
    return folder


@contextmanager
def _partial(folder: Path) -> Iterator[Path]:
    """Give a folder to write to, which takes its place only when it is whole."""
    partial = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
    partial.mkdir(parents=True)
    try:
        yield partial
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)

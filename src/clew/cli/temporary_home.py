"""Temporary archives: for transcripts named by path, and for `--demo`."""

import datetime as dt
import os
import signal
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from clew.archive import Archive, open_archive
from clew.cli.refresh import fresh_archive
from clew.errors import UsageError
from clew.samples import samples_root
from clew.sessions import is_path

# Shells report a process that a signal ended as 128 plus the signal's number.
_BY_SIGNAL: Final = 128


@contextmanager
def temporary_home(root: Path | None = None) -> Iterator[None]:
    """Run with a temporary archive and home directory, whose only root is `root`, if any."""
    before = dict(os.environ)
    with _exit_on_signals(), tempfile.TemporaryDirectory(prefix="clew-") as folder:
        os.environ.update(
            CLAUDE_CONFIG_DIR="" if root is None else str(root),
            CLEW_ARCHIVE=str(Path(folder, "archive")),
            CLEW_BLOBS="",
            HOME=folder,
            USERPROFILE=folder,
        )
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


@contextmanager
def demo(*, is_synced: bool = False) -> Iterator[None]:
    """Run on the sample sessions; with `is_synced`, archive them first.

    Commands that do not sync by themselves need that.
    """
    with temporary_home(samples_root()):
        if is_synced:
            with open_archive() as archive:
                archive.sync([samples_root()], now=dt.datetime.now(dt.UTC))
        yield


@contextmanager
def session_archive(
    names: Sequence[str], roots: Iterable[Path], *, no_sync: bool
) -> Iterator[tuple[Archive, Sequence[str]]]:
    """Open the archive that has the named sessions, and give the names to look up in it.

    Transcripts named by path go into a temporary archive, which has no other sessions.
    """
    paths = [Path(name).absolute() for name in names if is_path(name)]
    if paths and len(paths) < len(names):
        raise UsageError("session ids and paths cannot be combined")
    if not paths:
        with fresh_archive(roots, no_sync=no_sync) as archive:
            yield archive, names
        return
    with temporary_home(), fresh_archive(paths, no_sync=False) as archive:
        yield archive, ()


@contextmanager
def _exit_on_signals() -> Iterator[None]:
    """Exit on SIGTERM and SIGHUP as on Ctrl-C, so that the temporary directory is removed."""
    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, _exit)}
    if hasattr(signal, "SIGHUP"):
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, _terminate)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit(number: int, _frame: object) -> None:
    raise SystemExit(_BY_SIGNAL + number)


def _terminate(_number: int, _frame: object) -> None:
    # The web server has its own handler for SIGTERM.
    signal.raise_signal(signal.SIGTERM)

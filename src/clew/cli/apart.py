"""A home of its own for a run: an archive that goes with it, in place of this machine's."""

import os
import signal
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from clew.archive import Archive
from clew.cli.quiet import fresh_archive
from clew.errors import UsageError
from clew.sessions import is_path

# So shells tell which signal ended a process.
_BY_SIGNAL: Final = 128


@contextmanager
def apart(root: Path | None = None) -> Iterator[None]:
    """Let this process live in a home of its own, in which one root is all there is, if any."""
    before = dict(os.environ)
    with _unwound(), tempfile.TemporaryDirectory(prefix="clew-") as folder:
        os.environ.update(
            CLAUDE_CONFIG_DIR="" if root is None else str(root),
            CLEW_HOME=str(Path(folder, "archive")),
            HOME=folder,
            USERPROFILE=folder,
        )
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


@contextmanager
def archive_of(
    names: Sequence[str], roots: Iterable[Path], *, no_sync: bool
) -> Iterator[tuple[Archive, Sequence[str]]]:
    """Open the archive in which sessions are found by their names, with names to look for.

    Paths may lead anywhere. What stands there is taken in for this run alone, and is all there is.
    """
    paths = [Path(name).absolute() for name in names if is_path(name)]
    if paths and len(paths) < len(names):
        raise UsageError("name sessions by their ids or by paths, not by both")
    if not paths:
        with fresh_archive(roots, no_sync=no_sync) as archive:
            yield archive, names
        return
    with apart(), fresh_archive(paths, no_sync=False) as archive:
        yield archive, ()


@contextmanager
def _unwound() -> Iterator[None]:
    """Let a closed terminal or a kill end us as Ctrl-C does, so that nothing is left behind."""
    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, _leave)}
    if hasattr(signal, "SIGHUP"):
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, _terminate)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, _frame: object) -> None:
    raise SystemExit(_BY_SIGNAL + number)


def _terminate(_number: int, _frame: object) -> None:
    # A server has its own way to end by this one.
    signal.raise_signal(signal.SIGTERM)

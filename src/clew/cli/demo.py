"""`--demo`: sample sessions in a temporary archive, in place of this machine's own."""

import datetime as dt
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from clew.archive import open_archive
from clew.samples import samples_root

# So shells tell which signal ended a process.
_BY_SIGNAL: Final = 128


@contextmanager
def demo(*, is_kept: bool = False) -> Iterator[None]:
    """Let this process live in a home of its own, in which the samples are all there is.

    With `is_kept`, they are in the archive from the start, for commands that take in nothing.
    """
    before = dict(os.environ)
    with _unwound(), tempfile.TemporaryDirectory(prefix="clew-demo-") as folder:
        os.environ.update(
            CLAUDE_CONFIG_DIR=str(samples_root()),
            CLEW_HOME=str(Path(folder, "archive")),
            HOME=folder,
            USERPROFILE=folder,
        )
        try:
            if is_kept:
                _keep_samples()
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


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


def _keep_samples() -> None:
    with open_archive() as archive:
        archive.sync([samples_root()], now=dt.datetime.now(dt.UTC))

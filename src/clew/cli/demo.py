"""`--demo`: sample sessions in a temporary archive, in place of this machine's own."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager

from clew.archive import open_archive
from clew.cli.apart import apart
from clew.samples import samples_root


@contextmanager
def demo(*, is_kept: bool = False) -> Iterator[None]:
    """Let this process live in a home of its own, in which the samples are all there is.

    With `is_kept`, they are in the archive from the start, for commands that take in nothing.
    """
    with apart(samples_root()):
        if is_kept:
            with open_archive() as archive:
                archive.sync([samples_root()], now=dt.datetime.now(dt.UTC))
        yield

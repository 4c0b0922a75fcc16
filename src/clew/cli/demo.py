"""`--demo`: sample sessions in a temporary archive, in place of this machine's own."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clew.samples import samples_root


@contextmanager
def demo() -> Iterator[None]:
    """Let this process live in a home of its own, in which the samples are all there is."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="clew-demo-") as folder:
        os.environ.update(
            CLAUDE_CONFIG_DIR=str(samples_root()),
            CLEW_HOME=str(Path(folder, "archive")),
            HOME=folder,
            USERPROFILE=folder,
        )
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)

"""Results written to a file: all of them or none."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def write_file(path: Path, pieces: Iterable[bytes]) -> None:
    """Write beside the place, then rename: whoever reads there never sees half a file."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with unfinished.open("xb") as stream:
            stream.writelines(pieces)
        unfinished.replace(path)
    except BaseException as error:
        with suppress(OSError):
            unfinished.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(unfinished)):
            error.filename = str(path)
        raise

"""Output: results to stdout, progress to stderr, colours only on terminals."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

import click
import msgspec

from clew.cli.text import safe_json

# Not needed for JSON, and slow to import.
if TYPE_CHECKING:
    from rich.console import Console

# In fewer columns, the progress bar takes two lines.
_ROOM_FOR_ALL: Final = 60


def write_json(value: object) -> None:
    """Print a value as one line of JSON."""
    click.echo(safe_json(msgspec.json.encode(value)))


def write_file(path: Path, pieces: Iterable[bytes]) -> None:
    """Write to a temporary file, then rename it, so that nobody reads half a file."""
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


def make_console() -> "Console":
    """Make the console that tables are printed to, without markup and highlighting."""
    from rich.console import Console

    return Console(markup=False, highlight=False, emoji=False)


@contextmanager
def progress(label: str, total_bytes: int) -> Iterator[Callable[[int], object]]:
    """Show a progress bar on stderr if it is a terminal; yield the function that advances it."""
    if not _is_terminal(sys.stderr):
        yield _nothing
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    done = (DownloadColumn(),) if console.width >= _ROOM_FOR_ALL else ()
    columns = (TextColumn("{task.description}"), BarColumn(), *done, TimeRemainingColumn())
    # On a terminal that cannot clear a line, the bar would leave an empty one.
    hidden = console.is_dumb_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task(label, total=total_bytes)
        yield lambda done: bar.advance(task, done)


def _is_terminal(stream: TextIO | None) -> bool:
    # A stream that was closed before we started is None.
    return stream is not None and stream.isatty()


def _nothing(_done: int) -> None:
    return

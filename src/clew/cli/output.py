"""Where output goes: results to stdout, progress to stderr, colours to terminals alone."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

import click
import msgspec

from clew.cli.text import safe_json

# JSON needs nothing of it, and it takes as long to import as a small answer to find.
if TYPE_CHECKING:
    from rich.console import Console

# In fewer columns, a bar with its numbers takes two lines.
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
    """Give the console that tables are printed to: no markup, no guessing at highlights."""
    from rich.console import Console

    return Console(markup=False, highlight=False, emoji=False)


@contextmanager
def progress(label: str, total_bytes: int) -> Iterator[Callable[[int], object]]:
    """Show a bar on stderr when that is a terminal; give what moves it on by some bytes."""
    if not _is_terminal(sys.stderr):
        yield _nothing
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    done = (DownloadColumn(),) if console.width >= _ROOM_FOR_ALL else ()
    columns = (TextColumn("{task.description}"), BarColumn(), *done, TimeRemainingColumn())
    # A terminal that cannot clear a bar would keep an empty line of it.
    hidden = console.is_dumb_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task(label, total=total_bytes)
        yield lambda done: bar.advance(task, done)


def _is_terminal(stream: TextIO | None) -> bool:
    # A stream that was closed before we started is None.
    return stream is not None and stream.isatty()


def _nothing(_done: int) -> None:
    return

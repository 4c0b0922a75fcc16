"""`clew server --try`: a team server to try out, with all that it needs."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from clew.cli.options import ARCHIVE_CHOICE
from clew.cli.text import visible
from clew.errors import ClewError, UsageError

if TYPE_CHECKING:
    from clew.server.trial import Trial

_FOLDER: Final = "trial"


@contextmanager
def trial_archive(context: click.Context, *, is_demo: bool) -> Iterator[Callable[[str], None]]:
    """Run a database and a worker, and set their archive; give what to do when the server runs."""
    from clew.store.location import TeamMissingError

    if ARCHIVE_CHOICE in context.meta:
        raise UsageError("--try has an archive of its own; remove --archive")
    try:
        from clew.server.local_postgres import cache_folder
        from clew.server.trial import running_trial
        from clew.server.trial_demo import DEMO_MEMBERS
    except ImportError as error:
        raise TeamMissingError from error
    folder = cache_folder(os.environ, Path.home()) / _FOLDER
    click.echo(f"Starting PostgreSQL in {visible(str(folder))}", err=True)
    with _stopped_once() as ignore_signals, running_trial(folder) as trial:
        trial.add_members(DEMO_MEMBERS if is_demo else ())
        os.environ["CLEW_ARCHIVE"] = trial.location.database_url
        os.environ["CLEW_BLOBS"] = trial.location.blobs
        yield lambda url: _on_ready(trial, url, is_demo=is_demo)
        ignore_signals()


def _on_ready(trial: "Trial", url: str, *, is_demo: bool) -> None:
    """Print how to log in, and let the samples be pushed meanwhile."""
    click.echo("Log in with one of these names and passwords:", err=True)
    for name, password in trial.passwords().items():
        click.echo(f"  {name}  {password}", err=True)
    if is_demo:
        threading.Thread(target=_fill, args=(trial, url), name="demo", daemon=True).start()


def _fill(trial: "Trial", url: str) -> None:
    from clew.server.trial_demo import fill

    try:
        if fill(trial, url):
            click.echo("Pushed the sample sessions", err=True)
    except ClewError as error:
        click.echo(f"clew: {visible(str(error))}", err=True)


@contextmanager
def _stopped_once() -> Iterator[Callable[[], None]]:
    """Stop on SIGTERM as on Ctrl-C, and give a function that lets neither interrupt the rest."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}

    def ignore_signals() -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield ignore_signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

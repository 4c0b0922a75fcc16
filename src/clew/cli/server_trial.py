"""`clew server --try`: a team server to try out, with all that it needs."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from clew.cli.options import ARCHIVE_CHOICE
from clew.cli.text import visible
from clew.errors import UsageError

_FOLDER: Final = "trial"


@contextmanager
def trial_archive(context: click.Context) -> Iterator[list[str]]:
    """Run a database and a worker, and set their archive; give what to say about logging in."""
    from clew.store.location import TeamMissingError

    if ARCHIVE_CHOICE in context.meta:
        raise UsageError("--try has an archive of its own; remove --archive")
    try:
        from clew.server.local_postgres import cache_folder
        from clew.server.trial import running_trial
    except ImportError as error:
        raise TeamMissingError from error
    folder = cache_folder(os.environ, Path.home()) / _FOLDER
    click.echo(f"Starting PostgreSQL in {visible(str(folder))}", err=True)
    with _stopped_once() as ignore_signals, running_trial(folder) as trial:
        os.environ["CLEW_ARCHIVE"] = trial.location.database_url
        os.environ["CLEW_BLOBS"] = trial.location.blobs
        logins = [f"  {name}  {password}" for name, password in trial.passwords().items()]
        yield ["Log in with one of these names and passwords:", *logins]
        ignore_signals()


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

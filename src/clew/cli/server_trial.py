"""`clew server --try`: a team server to try out, with all that it needs."""

import os
import shlex
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import click

from clew.cli.options import ARCHIVE_CHOICE
from clew.cli.text import visible
from clew.errors import ClewError, UsageError

if TYPE_CHECKING:
    from clew.server.trial import Trial

_FOLDER: Final = "trial"
OnReady: TypeAlias = Callable[[str, Callable[[], None]], None]


@contextmanager
def trial_archive(context: click.Context, *, is_demo: bool) -> Iterator[OnReady]:
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
    with _stopped_once() as at_end_ignored:
        click.echo(f"Starting PostgreSQL in {visible(str(folder))}", err=True)
        with running_trial(folder) as trial, _in_background() as start, at_end_ignored():
            trial.add_members(DEMO_MEMBERS if is_demo else ())
            os.environ["CLEW_ARCHIVE"] = trial.location.database_url
            os.environ["CLEW_BLOBS"] = trial.location.blobs
            yield lambda url, announce: start(
                lambda stop: _on_ready(trial, url, announce, stop if is_demo else None)
            )


def _on_ready(
    trial: "Trial", url: str, announce: Callable[[], None], stop: threading.Event | None
) -> None:
    """Say how to log in and where; with `stop`, once there are samples to see."""
    if stop is not None:
        _fill(trial, url, stop)
        if stop.is_set():
            return
    click.echo("Log in with one of these names and passwords:", err=True)
    for name, password in trial.passwords().items():
        click.echo(f"  {name}  {password}", err=True)
    click.echo("To use `clew admin` with it, in another terminal:", err=True)
    for name, value in (
        ("CLEW_ARCHIVE", trial.location.database_url),
        ("CLEW_BLOBS", trial.location.blobs),
    ):
        click.echo(f"  export {name}={shlex.quote(value)}", err=True)
    announce()


def _fill(trial: "Trial", url: str, stop: threading.Event) -> None:
    from clew.server.trial_demo import DemoStoppedError, fill, is_filled
    from clew.store import translate_errors

    if is_filled(trial):
        return
    click.echo("Pushing sample sessions of three members", err=True)
    try:
        with translate_errors(trial.location):
            fill(trial, url, stop)
    except DemoStoppedError:
        return
    except ClewError as error:
        if not stop.is_set():
            click.echo(f"clew: {visible(str(error))}", err=True)


@contextmanager
def _in_background() -> Iterator[Callable[[Callable[[threading.Event], None]], None]]:
    """Give what starts something in a thread, which is told to stop at the end."""
    stop = threading.Event()
    threads: list[threading.Thread] = []

    def start(do: Callable[[threading.Event], None]) -> None:
        threads.append(threading.Thread(target=do, args=[stop], name="demo", daemon=True))
        threads[-1].start()

    try:
        yield start
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@contextmanager
def _stopped_once() -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Stop on Ctrl-C and SIGTERM; give what lets neither interrupt that something is stopped.

    A shell lets Ctrl-C be ignored by what it starts in the background; the server stops anyway.
    """
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}

    @contextmanager
    def at_end_ignored() -> Iterator[None]:
        try:
            yield
        finally:
            for number in numbers:
                signal.signal(number, signal.SIG_IGN)

    for number in numbers:
        signal.signal(number, signal.default_int_handler)
    try:
        yield at_end_ignored
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

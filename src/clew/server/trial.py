"""A team server to try out: its own PostgreSQL, a folder for objects, one organisation, a worker.

All of it is kept between runs in a folder of the cache, with the passwords that were made up.
"""

import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from clew.errors import ClewError
from clew.server.accounts import (
    NoSuchNameError,
    create_member,
    create_organisation,
    list_organisations,
    require_member,
)
from clew.server.local_postgres import local_postgres
from clew.server.passwords import set_password
from clew.server.principal import Role
from clew.server.worker import Worker, WorkerSettings
from clew.store import ArchiveBusyError, writer_lock
from clew.store.postgres.team import TeamDatabase, open_team, prepare_team
from clew.store.postgres_location import PostgresLocation
from clew.writing import whole_file

ORGANISATION: Final = "Trial"
ADMIN: Final = "admin"
_POLL_SECONDS: Final = 1.0
_STOP_SECONDS: Final = 30


class TrialBusyError(ClewError):
    """The trial server runs already."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"a trial server runs already in {folder}; stop it with Ctrl-C first")


class Trial(msgspec.Struct, frozen=True):
    """A running trial: where its archive is, and how to log in."""

    folder: Path
    location: PostgresLocation

    @property
    def _file(self) -> Path:
        return self.folder / "passwords.json"

    def passwords(self) -> dict[str, str]:
        """Return the passwords that were made up, by the names of members."""
        if not self._file.exists():
            return {}
        return msgspec.json.decode(self._file.read_bytes(), type=dict[str, str])

    def add_members(self, names: Sequence[str], role: Role = Role.MEMBER) -> None:
        """Add members with passwords, unless they exist."""
        with open_team(self.location) as team:
            for name in names:
                self._add_member(team, name, role)

    def _add_member(self, team: TeamDatabase, name: str, role: Role) -> None:
        try:
            require_member(team, name)
        except NoSuchNameError:
            password = secrets.token_urlsafe(12)
            member = create_member(team, list_organisations(team)[0].id, name, role)
            set_password(team, member, password)
            with whole_file(self._file, self.folder, mode=0o600) as stream:
                stream.write(msgspec.json.encode({**self.passwords(), name: password}))


@contextmanager
def running_trial(folder: Path) -> Iterator[Trial]:
    """Run all of a trial but its web server: PostgreSQL and a worker.

    Raises:
        TrialBusyError: Another process does.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with (
            writer_lock(folder / "lock"),
            local_postgres(folder / "postgres") as url,
            _trial(folder, url) as trial,
        ):
            yield trial
    except ArchiveBusyError as error:
        raise TrialBusyError(folder) from error


@contextmanager
def _trial(folder: Path, url: str) -> Iterator[Trial]:
    blobs = folder / "objects"
    blobs.mkdir(exist_ok=True, mode=0o700)
    trial = Trial(folder, PostgresLocation(url, str(blobs)))
    prepare_team(trial.location)
    with open_team(trial.location) as team:
        if not list_organisations(team):
            create_organisation(team, ORGANISATION)
    trial.add_members([ADMIN], Role.ADMIN)
    stop = threading.Event()
    worker = Worker(trial.location, WorkerSettings(poll_seconds=_POLL_SECONDS), stop)
    thread = threading.Thread(target=worker.run, name="worker", daemon=True)
    thread.start()
    try:
        yield trial
    finally:
        stop.set()
        thread.join(_STOP_SECONDS)

"""Sample sessions of three members for a trial, pushed as their laptops would push them."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import msgspec

from clew.errors import ClewError
from clew.protocol import Visibility
from clew.samples import samples_root
from clew.server.accounts import Member, require_member
from clew.server.devices import register_device
from clew.server.projects import add_project_member, create_project, list_team_projects
from clew.server.queue import WORK_CHANNEL
from clew.server.trial import Trial
from clew.store.postgres.team import TeamDatabase, open_team

_DONE: Final = "done"
_DEVICE: Final = "laptop"
_LOOK_SECONDS: Final = 0.2
_PARSE_SECONDS: Final = 60.0


class DemoProject(msgspec.Struct, frozen=True):
    """A project of the samples: whose it is, who sees it, and who else belongs to it."""

    path: str
    member: str
    visibility: Visibility
    others: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the project is called on the server."""
        return self.path.rpartition("/")[2]


DEMO_PROJECTS: Final = (
    DemoProject("/home/mira/code/tessera", "mira", Visibility.PROJECT, ("jonas",)),
    DemoProject("/home/mira/code/almanac", "mira", Visibility.ORGANISATION),
    DemoProject("/home/mira/code/ferry", "jonas", Visibility.PROJECT, ("lena", "mira")),
    DemoProject("/home/mira/data/rainfall", "lena", Visibility.ORGANISATION),
    DemoProject("/home/mira/ops/homelab", "lena", Visibility.PRIVATE),
)
DEMO_MEMBERS: Final = tuple(dict.fromkeys(project.member for project in DEMO_PROJECTS))


class DemoError(ClewError):
    """The samples could not be pushed."""


class DemoStoppedError(ClewError):
    """The trial was stopped before all samples were pushed; the next start continues."""

    def __init__(self) -> None:
        super().__init__("stopped")


def is_filled(trial: Trial) -> bool:
    """Return whether the samples were pushed."""
    return (_folder(trial) / _DONE).exists()


def fill(trial: Trial, url: str, stop: threading.Event) -> None:
    """Push the samples to the trial's server, and wait until they are parsed.

    Raises:
        DemoError: A command failed.
        DemoStoppedError: Somebody has set `stop`.
    """
    with ThreadPoolExecutor(len(DEMO_MEMBERS)) as members:
        for done in [members.submit(_push_as, trial, url, name, stop) for name in DEMO_MEMBERS]:
            done.result()
    with open_team(trial.location) as team:
        team.run("make_all_due")
        team.notify(WORK_CHANNEL)
    (_folder(trial) / _DONE).touch()
    _wait_until_parsed(trial, stop)


def _folder(trial: Trial) -> Path:
    return trial.folder / "demo"


def _wait_until_parsed(trial: Trial, stop: threading.Event) -> None:
    """Wait, but not for ever: the list says what is not parsed yet."""
    deadline = time.monotonic() + _PARSE_SECONDS
    with open_team(trial.location) as team:
        while time.monotonic() < deadline:
            found = team.record("count_unparsed", {})
            if found is None or not found["sessions"]:
                return
            if stop.wait(_LOOK_SECONDS):
                raise DemoStoppedError


def _push_as(trial: Trial, url: str, name: str, stop: threading.Event) -> None:
    """Be a member: log in on a laptop, consent to projects, and push."""
    folder = _folder(trial) / name
    own = [project for project in DEMO_PROJECTS if project.member == name]
    _copy_samples(own, folder / "claude")
    with open_team(trial.location) as team:
        member = require_member(team, name)
        _prepare_projects(team, own, member)
        token = register_device(team, member.organisation_id, member.id, _DEVICE).token
    laptop = _Laptop(folder, stop)
    laptop.run("login", url, "--token", "-", typed=token)
    laptop.run("sync")
    for project in own:
        choice = ("--visibility", project.visibility, "--server-project", project.name)
        laptop.run("consent", "set", project.path, "everything", *choice, "--yes")
    laptop.run("push")


def _copy_samples(projects: Sequence[DemoProject], root: Path) -> None:
    for project in projects:
        name = project.path.replace("/", "-")
        target = root / "projects" / name
        # New files, so that none is about to be deleted.
        shutil.copytree(
            samples_root() / "projects" / name,
            target,
            dirs_exist_ok=True,
            copy_function=shutil.copy,
        )


def _prepare_projects(team: TeamDatabase, projects: Sequence[DemoProject], owner: Member) -> None:
    """Create projects on the server with their members, unless they exist."""
    existing = {found.name for found in list_team_projects(team, owner.organisation_id)}
    for project in projects:
        if project.name not in existing:
            created = create_project(team, owner.organisation_id, project.name, by=owner.id)
            for name in (owner.name, *project.others):
                add_project_member(team, created, require_member(team, name), by=owner.id)


class _Laptop:
    """The commands of a member, with an archive and credentials of their own."""

    def __init__(self, folder: Path, stop: threading.Event) -> None:
        self._stop = stop
        own = {key: value for key, value in os.environ.items() if not key.startswith("CLEW_")}
        self._environment = {
            **own,
            "CLEW_HOME": str(folder / "home"),
            "CLEW_CONFIG": "",
            "CLAUDE_CONFIG_DIR": str(folder / "claude"),
            "HOME": str(folder),
            # The keyring of whoever tries this out is not for invented people.
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        }

    def run(self, *words: str, typed: str = "") -> None:
        """Run a command of clew, until it ends or somebody sets `stop`."""
        process = subprocess.Popen(  # noqa: S603 (our own module)
            [sys.executable, "-m", "clew", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=self._environment,
            # Ctrl-C reaches every process of a terminal; whoever tries this out stops it.
            start_new_session=True,
        )
        said = self._wait(process, typed)
        if self._stop.is_set():
            raise DemoStoppedError
        if process.returncode:
            raise DemoError(f"`clew {words[0]}` failed for the samples: {_last_line(said)}")

    def _wait(self, process: "subprocess.Popen[str]", typed: str) -> str:
        """Return what a process wrote to stderr."""
        given: str | None = typed
        while True:
            try:
                return process.communicate(given, timeout=_LOOK_SECONDS)[1]
            except subprocess.TimeoutExpired:
                given = None
                if self._stop.is_set():
                    process.terminate()


def _last_line(said: str) -> str:
    """Return the last line of what a command wrote: the others are about its progress."""
    lines = said.strip().splitlines()
    return lines[-1].removeprefix("clew: ") if lines else "it said nothing"

"""Sample sessions of three members for a trial, pushed as their laptops would push them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from clew.errors import ClewError
from clew.protocol import Visibility
from clew.samples import samples_root
from clew.server.accounts import Member, require_member
from clew.server.devices import register_device
from clew.server.projects import add_project_member, create_project, list_team_projects
from clew.server.trial import Trial
from clew.store.postgres.team import TeamDatabase, open_team

_DONE: Final = "done"
_DEVICE: Final = "laptop"
_COMMAND_SECONDS: Final = 600


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


def fill(trial: Trial, url: str) -> bool:
    """Push the samples to the trial's server, unless they are there; return whether it did.

    Raises:
        DemoError: A command failed.
    """
    folder = trial.folder / "demo"
    if (folder / _DONE).exists():
        return False
    for name in DEMO_MEMBERS:
        _push_as(trial, url, name, folder / name)
    with open_team(trial.location) as team:
        team.run("make_all_due")
    (folder / _DONE).touch()
    return True


def _push_as(trial: Trial, url: str, name: str, folder: Path) -> None:
    """Be a member: log in on a laptop, consent to projects, and push."""
    own = [project for project in DEMO_PROJECTS if project.member == name]
    _copy_samples(own, folder / "claude")
    with open_team(trial.location) as team:
        member = require_member(team, name)
        _prepare_projects(team, own, member)
        token = register_device(team, member.organisation_id, member.id, _DEVICE).token
    laptop = _Laptop(folder)
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

    def __init__(self, folder: Path) -> None:
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
        """Run a command of clew."""
        done = subprocess.run(  # noqa: S603 (our own module)
            [sys.executable, "-m", "clew", *words],
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            timeout=_COMMAND_SECONDS,
            env=self._environment,
        )
        if done.returncode:
            raise DemoError(f"`clew {words[0]}` failed for the samples: {done.stderr.strip()}")

"""The projects of a laptop: what a user calls them, what is allowed for each, what they suggest."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from clew.archive import Archive
from clew.errors import NotFoundError
from clew.protocol import Tier
from clew.push.consents import ProjectConsent
from clew.push.git_remote import find_remote
from clew.push.repository_settings import read_repository_settings
from clew.source import to_name


class UnknownProjectError(NotFoundError):
    """No project has this name, or several have."""

    def __init__(self, name: str, matches: Iterable[str] = ()) -> None:
        found = sorted(matches)
        text = (
            f"several projects match {name!r}: {', '.join(found[:5])}; use a whole path"
            if found
            else f"no project matches {name!r}; `clew list projects` lists all"
        )
        super().__init__(text)


class ProjectChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A project with what is allowed for it, and with what its repository says.

    `server_tier` is what the server knows, None if that is not known.
    """

    path: str
    sessions: int
    tier: Tier = Tier.NOTHING
    max_tier: Tier | None = None
    suggested_tier: Tier | None = None
    suggested_project: str | None = None
    visibility: str = ""
    server_project: str = ""
    epoch: int = 0
    is_sent: bool = False
    server_tier: Tier | None = None
    problem: str = ""


def list_choices(archive: Archive, consents: Iterable[ProjectConsent]) -> list[ProjectChoice]:
    """Return all projects, those with a decision first, then those with most sessions."""
    counts = {each.project: each.sessions for each in archive.projects() if each.project}
    known = {consent.path: consent for consent in consents}
    choices = [
        describe_choice(path, counts.get(path, 0), known.get(path))
        for path in {**dict.fromkeys(known), **counts}
    ]
    return sorted(choices, key=lambda each: (each.path not in known, -each.sessions, each.path))


def describe_choice(
    path: str, sessions: int = 0, consent: ProjectConsent | None = None
) -> ProjectChoice:
    """Return what is allowed for a project, and what its repository says."""
    folder = Path(to_name(path))
    settings = read_repository_settings(folder)
    choice = ProjectChoice(
        path=path,
        sessions=sessions,
        max_tier=settings.max_tier,
        suggested_tier=settings.suggest_tier,
        suggested_project=settings.project or find_remote(folder),
        problem=settings.problem,
    )
    if consent is None:
        return choice
    return msgspec.structs.replace(
        choice,
        tier=consent.tier,
        visibility=str(consent.visibility),
        server_project=consent.server_project,
        epoch=consent.epoch,
        is_sent=consent.is_sent,
    )


def find_project(archive: Archive, name: str, consents: Iterable[ProjectConsent]) -> str:
    """Return the path of a project, given its path, its last part, or `.`.

    A folder in which no session was archived yet may be named by its whole path.

    Raises:
        UnknownProjectError: No project has that name, or several have.
    """
    known = (
        {each.project for each in archive.projects() if each.project} if archive.exists else set()
    )
    known |= {consent.path for consent in consents}
    if name in known:
        return name
    if name.startswith((".", "/", "~")) or Path(name).is_absolute():
        return str(Path(name).expanduser().absolute().resolve())
    matches = [path for path in known if name in (Path(path).name, path)]
    if len(matches) != 1:
        raise UnknownProjectError(name, matches)
    return matches[0]

"""`.clew.toml` in a repository → the highest tier that it permits, and what it suggests.

    [team]
    max_tier = "structure"
    suggest_tier = "structure"
    project = "payments"

It is never effective by itself: it lowers what a user has allowed, and suggests what they may
allow. A file that cannot be understood permits nothing, because it was written to limit something.
"""

import tomllib
from pathlib import Path
from typing import Any, Final

import msgspec

from clew.protocol import MAX_NAME, Tier
from clew.push.git_remote import find_repository
from clew.push.tiers import lowest_tier
from clew.source import open_regular

SETTINGS_NAME: Final = ".clew.toml"
_MOST_BYTES: Final = 64 << 10


class RepositorySettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a repository says about its sessions; None where it says nothing.

    `problem` is why a file permits nothing although it does not say so.
    """

    max_tier: Tier | None = None
    suggest_tier: Tier | None = None
    project: str | None = None
    problem: str = ""


class _TeamTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    max_tier: Tier | None = None
    suggest_tier: Tier | None = None
    project: str | None = None


def read_repository_settings(folder: Path) -> RepositorySettings:
    """Read the settings of the repository that a folder is in.

    Of several files between the folder and the repository's root, the lowest maximum counts, and
    the nearest suggestion. Outside of repositories, only a file in the folder itself counts.
    """
    root = find_repository(folder) or folder
    places = [place for place in (folder, *folder.parents) if place.is_relative_to(root)]
    found = [settings for place in places if (settings := _read(place / SETTINGS_NAME))]
    caps = [settings.max_tier for settings in found if settings.max_tier is not None]
    return RepositorySettings(
        max_tier=lowest_tier(caps) if caps else None,
        suggest_tier=next(filter(None, (settings.suggest_tier for settings in found)), None),
        project=next(filter(None, (settings.project for settings in found)), None),
        problem=next(filter(None, (settings.problem for settings in found)), ""),
    )


def _read(path: Path) -> RepositorySettings | None:
    try:
        with open_regular(path) as stream:
            raw = stream.read(_MOST_BYTES + 1) or b""
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        return _refuse(path, f"cannot be read: {error}")
    if len(raw) > _MOST_BYTES:
        return _refuse(path, "is too large")
    try:
        return _parse(raw)
    except (ValueError, RecursionError) as error:
        return _refuse(path, f"cannot be understood: {error}")


def _parse(raw: bytes) -> RepositorySettings:
    values: dict[str, Any] = tomllib.loads(raw.decode("utf-8"))
    team = msgspec.convert(values.get("team", {}), _TeamTable)
    project = (team.project or "").strip() or None
    if project and (len(project) > MAX_NAME or not project.isprintable()):
        raise ValueError("`project` is too long or not printable")
    return RepositorySettings(
        max_tier=team.max_tier, suggest_tier=team.suggest_tier, project=project
    )


def _refuse(path: Path, reason: str) -> RepositorySettings:
    problem = f"{path} {reason}; no session of this repository is pushed until it is corrected"
    return RepositorySettings(max_tier=Tier.NOTHING, problem=problem)

"""Which folders a session worked in, and what may leave of it: the least that any of them allows.

A folder belongs to the nearest project above it. A repository inside of a project's folder is
another project, for which nobody has decided anything yet.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from clew.protocol import Tier, Visibility
from clew.push.consents import ProjectConsent
from clew.push.git_remote import find_repository
from clew.push.repository_settings import RepositorySettings, read_repository_settings
from clew.source import to_name

_CWD: Final = re.compile(rb'"cwd"\s*:\s*"((?:[^"\\\n]|\\.)*)"')
_WORKTREE: Final = re.compile(r"^(.*?)[/\\]\.claude[/\\]worktrees[/\\]")


class SessionDecision(msgspec.Struct, frozen=True):
    """What may leave of a session, by whose consent; `reason` says why it is not more."""

    tier: Tier
    consent: ProjectConsent | None = None
    reason: str = ""

    @property
    def epoch(self) -> int:
        """The number of the decision that it rests on."""
        return 0 if self.consent is None else self.consent.epoch

    @property
    def consent_path(self) -> str:
        """The project whose decision that is."""
        return "" if self.consent is None else self.consent.path


def find_folders(pieces: Iterable[bytes]) -> set[str]:
    """Return the working directories that the lines of a transcript mention."""
    found: set[bytes] = set()
    rest = b""
    for piece in pieces:
        whole, newline, rest = (rest + piece).rpartition(b"\n")
        found.update(_CWD.findall(whole + newline))
    found.update(_CWD.findall(rest))
    return set(_decoded(found))


def _decoded(texts: Iterable[bytes]) -> Iterator[str]:
    for text in texts:
        with suppress(ValueError):
            yield str(json.loads(b'"' + text + b'"'))


class TierRules:
    """What a user allows for one server, applied to the folders of sessions."""

    def __init__(self, consents: Sequence[ProjectConsent], projects: Iterable[str]) -> None:
        self._consents = {consent.path: consent for consent in consents}
        self._projects = {*self._consents, *projects} - {""}
        self._settings: dict[str, RepositorySettings] = {}
        self._decisions: dict[str, SessionDecision] = {}

    @property
    def allows_anything(self) -> bool:
        """Whether there is any project of which something may leave."""
        return any(consent.tier is not Tier.NOTHING for consent in self._consents.values())

    def decide(self, project: str, folders: Iterable[str]) -> SessionDecision:
        """Return what may leave of a session: the least of what its folders allow.

        Of projects that allow as much, that with the fewest readers decides, and the session's own
        before others.
        """
        own = self.decide_folder(project)
        others = [self.decide_folder(folder) for folder in sorted(set(folders))]
        return min((own, *others), key=_openness)

    def decide_folder(self, folder: str) -> SessionDecision:
        """Return what may leave of a session that worked in one folder only."""
        if folder not in self._decisions:
            self._decisions[folder] = self._decide_folder(folder)
        return self._decisions[folder]

    def _decide_folder(self, folder: str) -> SessionDecision:
        found = _WORKTREE.match(folder)
        place = found[1] if found else folder
        path = max((path for path in self._projects if _contains(path, place)), key=len, default="")
        consent = self._consents.get(path)
        if consent is None or consent.tier is Tier.NOTHING:
            return SessionDecision(Tier.NOTHING, consent, f"{path or folder} allows nothing")
        if inner := _inner_repository(path, place):
            return SessionDecision(Tier.NOTHING, None, f"{inner} allows nothing")
        settings = self._repository_settings(place)
        if settings.max_tier is not None and settings.max_tier.rank < consent.tier.rank:
            reason = settings.problem or f"the .clew.toml of {place} allows {settings.max_tier}"
            return SessionDecision(settings.max_tier, consent, reason)
        return SessionDecision(consent.tier, consent)

    def _repository_settings(self, folder: str) -> RepositorySettings:
        if folder not in self._settings:
            self._settings[folder] = read_repository_settings(Path(to_name(folder)))
        return self._settings[folder]


def _openness(decision: SessionDecision) -> tuple[int, int]:
    """Return how much leaves, and for how many readers."""
    visibility = decision.consent.visibility if decision.consent else Visibility.PRIVATE
    return decision.tier.rank, list(Visibility).index(visibility)


def _contains(path: str, folder: str) -> bool:
    return folder == path or folder.startswith((f"{path.rstrip('/')}/", f"{path}\\"))


def _inner_repository(path: str, folder: str) -> str:
    """Return the repository that a folder is in, if it is another one inside of a project."""
    if folder == path:
        return ""
    root = find_repository(Path(to_name(folder)))
    if root is None or not (root / ".git").is_dir():
        # In a worktree or a submodule, it is a file.
        return ""
    place = Path(to_name(path))
    return str(root) if root != place and root.is_relative_to(place) else ""

"""Which repository a folder belongs to, when it is a worktree; told by its path alone."""

import re
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from typing import Final

import msgspec

# Claude Code's own worktrees, and a folder of them inside the repository or beside it. Names below
# `.worktrees` are those of branches, which have slashes.
_WORKTREES: Final = (
    re.compile(r"(?P<repository>.+?)[/\\]\.claude[/\\]worktrees[/\\](?P<name>[^/\\]+)"),
    re.compile(r"(?P<repository>.+?)[/\\]\.worktrees[/\\](?P<name>.*[^/\\])"),
    re.compile(r"(?P<repository>.+?[^/\\._-])[._-]worktrees[/\\](?P<name>[^/\\]+)"),
)


class Checkout(msgspec.Struct, frozen=True):
    """A folder's repository, and the name of its worktree if it is one."""

    repository: str
    worktree: str = ""

    @property
    def name(self) -> str:
        """The repository's name."""
        return self.repository.replace("\\", "/").rstrip("/").rpartition("/")[2]

    @property
    def label(self) -> str:
        """The name of the repository, and that of the worktree behind it."""
        return f"{self.name} / {self.worktree}" if self.worktree else self.name


@lru_cache(maxsize=4096)
def find_checkout(path: str) -> Checkout:
    """Return the repository that the folder of a project belongs to: its own, or a worktree's."""
    for pattern in _WORKTREES:
        found = pattern.match(path)
        if found is not None:
            return Checkout(found["repository"], found["name"].replace("\\", "/"))
    return Checkout(path)


def name_repositories(paths: Collection[str]) -> dict[str, str]:
    """Name repositories; those of one name also by the folder that they are in."""
    counts = Counter(find_checkout(path).name for path in paths)
    return {path: _name(path, is_alone=counts[find_checkout(path).name] == 1) for path in paths}


def _name(path: str, *, is_alone: bool) -> str:
    parts = path.replace("\\", "/").rstrip("/").split("/")
    return find_checkout(path).name if is_alone else "/".join(parts[-2:])

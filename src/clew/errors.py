"""Every error raised on purpose, as one tree.

ClewError                      1   base; `exit_code` is the command line's
├── UsageError                 2   the request itself is wrong
└── NotFoundError              3   the requested thing does not exist
    ├── PathNotFoundError      3   no file or folder there
    ├── SeveralSessionsError   3   a path with several sessions, or none
    └── SessionNotFoundError   3   no session, or several, by that name
"""

from pathlib import Path
from typing import Any


class ClewError(Exception):
    """Base of the errors a caller may want to catch; `exit_code` is the CLI's."""

    exit_code = 1

    # typing.override comes with Python 3.12
    def __reduce__(self) -> tuple[Any, ...]:  # type: ignore[explicit-override]
        """Pickle an error without calling its constructor, whose parameters differ."""
        return _restore, (type(self), self.args, self.__dict__)


class UsageError(ClewError):
    """The request cannot be understood."""

    exit_code = 2


class NotFoundError(ClewError):
    """The requested thing does not exist."""

    exit_code = 3


class PathNotFoundError(NotFoundError):
    """No file or folder exists at this path."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"no such file or directory: {path}; check the path")
        self.path = path


class SeveralSessionsError(NotFoundError):
    """A path contains several sessions, or none, where one is expected."""

    def __init__(self, path: Path, count: int) -> None:
        found = f"{count} sessions" if count else "no session"
        super().__init__(f"{found} found in {path}; use a session id or the path of a transcript")
        self.path = path


class SessionNotFoundError(NotFoundError):
    """No session has an id with this prefix, or several have."""

    def __init__(self, prefix: str, matches: int = 0) -> None:
        if matches == 0:
            text = f"no session id starts with {prefix!r}; `clew list` lists all sessions"
        else:
            text = f"{matches} session ids start with {prefix!r}; use a longer prefix"
        super().__init__(text)
        self.prefix = prefix


def _restore(kind: type[ClewError], words: tuple[Any, ...], facts: dict[str, Any]) -> ClewError:
    error = kind.__new__(kind, *words)
    error.args = words
    error.__dict__.update(facts)
    return error

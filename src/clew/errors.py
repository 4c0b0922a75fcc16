"""Every error raised on purpose, as one tree.

ClewError                      1   base; `exit_code` is the command line's
├── UsageError                 2   the request itself is wrong
└── NotFoundError              3   what was asked for does not exist
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
        """Let an error travel between processes, whatever its class takes to be made."""
        return _restore, (type(self), self.args, self.__dict__)


class UsageError(ClewError):
    """The request cannot be understood."""

    exit_code = 2


class NotFoundError(ClewError):
    """What was asked for is not there."""

    exit_code = 3


class PathNotFoundError(NotFoundError):
    """No transcript or folder stands at this path."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"there is no file or folder at {path}; check the path")
        self.path = path


class SeveralSessionsError(NotFoundError):
    """A path holds several sessions, or none, where one is asked for."""

    def __init__(self, path: Path, count: int) -> None:
        found = f"{count} sessions stand" if count else "no session stands"
        super().__init__(f"{found} at {path}; name one by its transcript's path or its id")
        self.path = path


class SessionNotFoundError(NotFoundError):
    """No session has an id with this prefix, or several have."""

    def __init__(self, prefix: str, matches: int = 0) -> None:
        found = "no session has" if matches == 0 else f"{matches} sessions have"
        advice = "`clew list sessions` shows them" if matches == 0 else "give more of the id"
        super().__init__(f"{found} an id that starts with {prefix!r}; {advice}")
        self.prefix = prefix


def _restore(kind: type[ClewError], words: tuple[Any, ...], facts: dict[str, Any]) -> ClewError:
    error = kind.__new__(kind, *words)
    error.args = words
    error.__dict__.update(facts)
    return error

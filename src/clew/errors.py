"""Every error raised on purpose, as one tree.

ClewError                      1   base; `exit_code` is the command line's
├── UsageError                 2   the request itself is wrong
└── NotFoundError              3   the requested thing does not exist
    ├── PathNotFoundError      3   no file or folder there
    ├── SeveralSessionsError   3   a path with several sessions, or none
    ├── SessionNotFoundError   3   no session, or several, by that name
    └── AmbiguousSessionError  3   an id that sessions of several members have
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final

_SHORT_ID: Final = 8
_MOST_IDS: Final = 5


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
    """No session has an id with this prefix, or several have: the `matches`."""

    def __init__(self, prefix: str, matches: Collection[str] = ()) -> None:
        ids = sorted(set(matches))
        if ids:
            named = _list_prefixes(ids)
            text = f"{len(ids)} session ids start with {prefix!r}: {named}; use a longer prefix"
        else:
            text = f"no session id starts with {prefix!r}; `clew list` lists all sessions"
        super().__init__(text)
        self.prefix = prefix
        self.matches = ids


class AmbiguousSessionError(NotFoundError):
    """Sessions of several members have this id; `candidates` are the keys to choose from."""

    def __init__(self, session_id: str, candidates: Sequence[str]) -> None:
        named = ", ".join(candidates[:_MOST_IDS])
        count = len(candidates)
        super().__init__(f"{count} sessions have the id {session_id!r}; use one of {named}")
        self.candidates = tuple(candidates)


def _list_prefixes(ids: Sequence[str]) -> str:
    """List the first of some ids, each as long as it takes to tell all of them apart."""
    length = _SHORT_ID
    while len({name[:length] for name in ids}) < len(ids):
        length += 1
    named = ", ".join(name[:length] for name in ids[:_MOST_IDS])
    return f"{named}, …" if len(ids) > _MOST_IDS else named


def _restore(kind: type[ClewError], words: tuple[Any, ...], facts: dict[str, Any]) -> ClewError:
    error = kind.__new__(kind, *words)
    error.args = words
    error.__dict__.update(facts)
    return error

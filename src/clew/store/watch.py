"""When to look again: soon after the system noted a change, and every few seconds anyway."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeAlias

from clew.source import FileKind, discover, to_name

# Waits so many seconds; true when it is time to end.
Wait: TypeAlias = Callable[[float], bool]
# Size, time and identity of files.
Snapshot: TypeAlias = dict[str, tuple[int, int, int]]

PAUSE: Final = 2.0
_SHORT_PAUSE: Final = 0.3
# Looking may take this share of the time, however many files there are.
_SHARE: Final = 0.02
# The library that asks the system for events. Events get lost, on network drives all of them, so
# that they only say when to look sooner.
_EVENTS: Final = "watchfiles"
_EVENTS_PAUSE_MS: Final = 10_000
# Events are gathered until none comes for one step, for so long at most.
_STEP_MS: Final = 200
_GATHERED_MS: Final = 400


def follow(roots: Iterable[Path], wait: Wait) -> Iterator[None]:
    """Yield at once, then whenever files below the roots changed, until told to end.

    Signs come within a second where the system tells of changes, else within two; what happens in
    between is one change. What happens while a sign is being answered brings another one.
    """
    places = [place for root in roots for place in watched_places(root)]
    before = snapshot(places)
    yield
    for found in _looks(places, wait):
        if found != before:
            before = found
            yield


def watched_places(root: Path) -> list[Path]:
    """Return the folders of a root that contain archived files; the root itself if none does.

    Debug logs change all the time. They are archived with the next change of anything else.
    """
    files = [file for file in discover(root).files if file.kind is not FileKind.DEBUG]
    tops = dict.fromkeys(file.relative.partition("/")[:2] for file in files)
    return [root / to_name(name) for name, slash in tops if slash] or [root]


def snapshot(places: Iterable[Path]) -> Snapshot:
    """Return size, time and identity of every file below some places."""
    found: Snapshot = {}
    waiting = [os.fspath(place) for place in places]
    while waiting:
        _scan(waiting.pop(), found, waiting)
    return found


def _scan(folder: str, found: Snapshot, folders: list[str]) -> None:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    stat = entry.stat()
                    found[entry.path] = (stat.st_size, stat.st_mtime_ns, stat.st_ino)
    except OSError:
        # What goes away while we look is gone at the next look.
        return


def _looks(places: list[Path], wait: Wait) -> Iterator[Snapshot]:
    """Look at all files again and again, as often as it is worth it."""
    if find_spec(_EVENTS) is not None:
        # With more folders than the system watches, we look without its help.
        with suppress(OSError, RuntimeError):
            yield from _looks_when_told(places, wait)
            return
    cost = 0.0
    while not wait(max(PAUSE, cost / _SHARE)):
        found, cost = _look(places)
        yield found


def _looks_when_told(places: list[Path], wait: Wait) -> Iterator[Snapshot]:
    """Look soon after the system noted something, and now and then anyway."""
    cost = 0.0
    for noted in _events(places, wait):
        if wait(max(_SHORT_PAUSE, min(cost / _SHARE, PAUSE)) if noted else 0):
            return
        found, cost = _look(places)
        yield found


def _look(places: list[Path]) -> tuple[Snapshot, float]:
    """Look at all files; tell how many seconds it took."""
    started = time.monotonic()
    found = snapshot(places)
    return found, time.monotonic() - started


class _End:
    """Tells the library that it is time to end, as often as it asks."""

    def __init__(self, wait: Wait) -> None:
        self._wait = wait

    def is_set(self) -> bool:
        """Tell whether it is time."""
        return self._wait(0)


def _events(places: list[Path], wait: Wait) -> Iterable[set[Any]]:
    """Return the changes that the system notes; empty sets come when there are none for a while."""
    batches: Iterable[set[Any]] = import_module(_EVENTS).watch(
        *places,
        watch_filter=None,
        debounce=_GATHERED_MS,
        step=_STEP_MS,
        stop_event=_End(wait),
        rust_timeout=_EVENTS_PAUSE_MS,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )
    return batches

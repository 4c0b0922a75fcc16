"""When to look again: soon after the system noted a change, and every few seconds anyway."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

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


class _End:
    """Tells the library that it is time to end, as often as it asks."""

    def __init__(self, wait: Wait) -> None:
        self._wait = wait

    def is_set(self) -> bool:
        """Tell whether it is time."""
        return self._wait(0)


class Events(AbstractContextManager["Events"], Protocol):
    """The changes that the system notes, from the moment on that this is made."""

    def watch(self, gathered_ms: int, step_ms: int, timeout_ms: int, end: _End) -> set[Any] | str:
        """Wait for changes, or return why there are none: `timeout`, `stop` or `signal`."""


def follow(roots: Iterable[Path], wait: Wait) -> Iterator[None]:
    """Yield at once, then whenever files below the roots changed, until told to end.

    Signs come within a second where the system tells of changes, else within two; what happens in
    between is one change. What happens while a sign is being answered brings another one.
    """
    places = [place for root in roots for place in watched_places(root)]
    # The system gathers changes from now on, also while the first sign is answered.
    events = _open_events(places)
    before = snapshot(places)
    yield
    for found in _looks(places, events, wait):
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


def _looks(places: list[Path], events: Events | None, wait: Wait) -> Iterator[Snapshot]:
    """Look at all files again and again, as often as it is worth it."""
    if events is not None:
        with suppress(OSError, RuntimeError):
            yield from _looks_when_told(places, events, wait)
            return
    cost = 0.0
    while not wait(max(PAUSE, cost / _SHARE)):
        found, cost = _look(places)
        yield found


def _looks_when_told(places: list[Path], events: Events, wait: Wait) -> Iterator[Snapshot]:
    """Look soon after the system noted something, and now and then anyway."""
    cost = 0.0
    end = _End(wait)
    with events:
        while True:
            noted = events.watch(_GATHERED_MS, _STEP_MS, _EVENTS_PAUSE_MS, end)
            if noted == "signal":
                raise KeyboardInterrupt
            if noted == "stop":
                return
            pause = 0 if noted == "timeout" else max(_SHORT_PAUSE, min(cost / _SHARE, PAUSE))
            if wait(pause):
                return
            found, cost = _look(places)
            yield found


def _look(places: list[Path]) -> tuple[Snapshot, float]:
    """Look at all files; tell how many seconds it took."""
    started = time.monotonic()
    found = snapshot(places)
    return found, time.monotonic() - started


def _open_events(places: list[Path]) -> Events | None:
    """Let the system note changes; None where it cannot, as with more folders than it watches."""
    if find_spec(_EVENTS) is None:
        return None
    names = [os.fspath(place) for place in places]
    with suppress(ImportError, OSError, RuntimeError):
        library = import_module(f"{_EVENTS}._rust_notify")
        # No output for developers, no polling (we look ourselves), folders within folders, and
        # whatever is forbidden is left out.
        events: Events = library.RustNotify(names, False, False, 0, True, True)  # noqa: FBT003
        return events
    return None

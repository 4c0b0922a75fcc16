"""The follower: a process that syncs the archive whenever transcripts change, and reports it.

Reading transcripts keeps a processor busy. In its own process, with low priority, it does not
slow down requests. It exits when its standard input is closed.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from clew.archive import Archive, default_roots, open_archive
from clew.errors import ClewError
from clew.store import DEFERRED_PAUSE, ArchiveBusyError

_BUSY_PAUSE: Final = 1.0
_NICENESS: Final = 10


class FollowerSettings(msgspec.Struct, frozen=True):
    """What to follow, and the archive's folder; by default, all roots of this machine."""

    home: str | None = None
    roots: tuple[str, ...] = ()


class Change(msgspec.Struct, frozen=True):
    """What a sync changed: the archive's version, the sessions that grew, or what went wrong."""

    version: str = ""
    sessions: tuple[str, ...] = ()
    trouble: str = ""


OnChange = Callable[[Change], None]


def follow(settings: FollowerSettings, end: threading.Event, on_change: OnChange) -> None:
    """Sync whenever something changes, until `end` is set."""
    roots = [Path(root) for root in settings.roots] or default_roots()
    with open_archive(settings.home) as archive:
        before = archive.session_versions()
        trouble = ""
        for _ in archive.follow(roots, end.wait):
            is_behind = True
            while is_behind:
                reported = trouble
                trouble, is_behind = _sync(archive, roots, end)
                after = archive.session_versions()
                changed = tuple(name for name, state in after.items() if before.get(name) != state)
                if changed or reported != trouble:
                    version = archive.version()
                    on_change(Change(version, changed, trouble))
                before = after
                is_behind = is_behind and not end.wait(DEFERRED_PAUSE)


def _sync(archive: Archive, roots: list[Path], end: threading.Event) -> tuple[str, bool]:
    """Sync, waiting for other syncs; return what went wrong, and whether rows are behind."""
    while not end.is_set():
        try:
            report = archive.sync(roots, may_defer=True)
        except ArchiveBusyError:
            end.wait(_BUSY_PAUSE)
        except (ClewError, OSError) as error:
            return str(error), False
        else:
            return report.warning(), report.sessions_deferred > 0
    return "", False


def main() -> None:
    """Follow with the settings in the first argument; write each change as a line of JSON."""
    # The parent process stops us; Ctrl-C in its terminal is not for us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(AttributeError, OSError):
        os.nice(_NICENESS)
    end = threading.Event()
    threading.Thread(target=_wait_for_end, args=(end,), daemon=True).start()
    follow(msgspec.json.decode(sys.argv[1], type=FollowerSettings), end, write_change)


def _wait_for_end(end: threading.Event) -> None:
    sys.stdin.buffer.read()
    end.set()


def write_change(change: Change) -> None:
    """Write a change to the parent process; ignore errors when it has exited."""
    with contextlib.suppress(OSError):
        sys.stdout.buffer.write(msgspec.json.encode(change) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()

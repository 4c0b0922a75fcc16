"""Follower: a process of its own that brings new lines into the archive, and says so.

Reading transcripts keeps a processor busy. From here, and with less right to the processor than
others have, it takes nothing away from those who read. It ends when its standard input does.
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
_LESS_RIGHT: Final = 10


class Orders(msgspec.Struct, frozen=True):
    """What to follow, and where to keep it; no roots mean those of this machine."""

    home: str | None = None
    roots: tuple[str, ...] = ()


class Change(msgspec.Struct, frozen=True):
    """What a sync brought: a version of the rows, sessions of which there is more, a trouble."""

    version: str = ""
    sessions: tuple[str, ...] = ()
    trouble: str = ""


Tell = Callable[[Change], None]


def follow(orders: Orders, end: threading.Event, tell: Tell) -> None:
    """Sync whenever something changed, until told to end."""
    roots = [Path(root) for root in orders.roots] or default_roots()
    with open_archive(orders.home) as archive:
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
                    tell(Change(version, changed, trouble))
                before = after
                is_behind = is_behind and not end.wait(DEFERRED_PAUSE)


def _sync(archive: Archive, roots: list[Path], end: threading.Event) -> tuple[str, bool]:
    """Sync; give what is wrong, and whether rows are behind. While somebody else syncs, wait."""
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
    """Follow as the first argument says; write each change as a line of JSON."""
    # Whoever started us ends us; a key pressed in their terminal is not for us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(AttributeError, OSError):
        os.nice(_LESS_RIGHT)
    end = threading.Event()
    threading.Thread(target=_wait_for_end, args=(end,), daemon=True).start()
    follow(msgspec.json.decode(sys.argv[1], type=Orders), end, write_change)


def _wait_for_end(end: threading.Event) -> None:
    sys.stdin.buffer.read()
    end.set()


def write_change(change: Change) -> None:
    """Write a change for whoever started us; when nobody reads any more, it is lost."""
    with contextlib.suppress(OSError):
        sys.stdout.buffer.write(msgspec.json.encode(change) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()

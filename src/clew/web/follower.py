"""The follower: a process that syncs the archive whenever transcripts change, and reports it.

Reading transcripts keeps a processor busy. In its own process, with low priority, it does not
slow down requests. It exits when its standard input is closed.
"""

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from clew.archive import Archive, default_roots, open_archive
from clew.errors import ClewError
from clew.processes import lower_priority
from clew.store import (
    DEFERRED_PAUSE,
    ArchiveBusyError,
    ArchiveUnavailableError,
    SyncProgress,
    find_location,
    translate_errors,
)
from clew.web.follower_messages import Archiving, Change, FollowerReport, FollowerSettings

_BUSY_PAUSE: Final = 1.0
_TROUBLE_PAUSE: Final = 15.0
# With less to archive, a sync has ended before anybody could read how far it is.
_LONG_SYNC: Final = 16 << 20
_REPORT_SECONDS: Final = 0.5

OnReport = Callable[[FollowerReport], None]


def follow(settings: FollowerSettings, end: threading.Event, on_report: OnReport) -> None:
    """Sync whenever something changes, until `end` is set."""
    roots = [Path(root) for root in settings.roots] or default_roots()
    address = settings.archive
    with open_archive(None if address is None else find_location(address)) as archive:
        reporter = _Reporter(archive, on_report, end)
        for _ in archive.follow(roots, end.wait):
            pause = 0.0
            while not end.wait(pause):
                try:
                    trouble, pause = _sync(archive, roots, end, reporter)
                except _StoppedError:
                    return
                reporter.report_end(trouble)
                if not pause:
                    break


def _sync(
    archive: Archive, roots: list[Path], end: threading.Event, reporter: "_Reporter"
) -> tuple[str, float]:
    """Sync, waiting for other syncs; return what went wrong, and when to sync again, if at all."""
    while not end.is_set():
        try:
            report = archive.sync(roots, may_defer=True, on_progress=reporter.report_progress)
        except ArchiveBusyError:
            reporter.report_commits()
            end.wait(_BUSY_PAUSE)
        except ArchiveUnavailableError as error:
            return str(error), _TROUBLE_PAUSE
        except (ClewError, OSError) as error:
            return str(error), 0.0
        else:
            return report.warning(), DEFERRED_PAUSE if report.is_unfinished else 0.0
    return "", 0.0


class _StoppedError(Exception):
    """The follower shall end in the middle of a sync; what is committed stays."""


class _Reporter:
    """Reports what each commit of a sync changed, and how far a long sync is."""

    def __init__(self, archive: Archive, on_report: OnReport, end: threading.Event) -> None:
        self.archive = archive
        self.on_report = on_report
        self.end = end
        self._versions: dict[str, str] = {}
        self._trouble = ""
        self._committed = 0
        self._reported_at = 0.0
        with _ignore_unavailable(archive):
            self._versions = archive.session_versions()

    def report_progress(self, progress: SyncProgress) -> None:
        """Report a commit, and every half second how far a long sync is.

        Raises:
            _StoppedError: The follower shall end.
        """
        if self.end.is_set():
            raise _StoppedError
        is_commit = progress.committed_bytes != self._committed
        is_due = time.monotonic() - self._reported_at >= _REPORT_SECONDS
        if not is_commit and not (is_due and progress.total_bytes >= _LONG_SYNC):
            return
        self._committed = progress.committed_bytes
        self._reported_at = time.monotonic()
        change = self._find_change(self._trouble) if is_commit else None
        self.on_report(FollowerReport(change, _describe(progress)))

    def report_commits(self) -> None:
        """Report what another process has archived."""
        change = self._find_change(self._trouble)
        if change is not None:
            self.on_report(FollowerReport(change))

    def report_end(self, trouble: str) -> None:
        """Report what a sync changed, and that it has ended."""
        change = self._find_change(trouble)
        self._trouble, self._committed, self._reported_at = trouble, 0, 0.0
        self.on_report(FollowerReport(change, is_synced=True))

    def _find_change(self, trouble: str) -> Change | None:
        before, version = self._versions, ""
        with _ignore_unavailable(self.archive):
            self._versions = self.archive.session_versions()
            version = self.archive.version()
        changed = (name for name, state in self._versions.items() if before.get(name) != state)
        sessions = tuple(changed)
        if not sessions and trouble == self._trouble:
            return None
        return Change(version, sessions, trouble)


@contextlib.contextmanager
def _ignore_unavailable(archive: Archive) -> Iterator[None]:
    """Go on where a server cannot be reached: the next sync says so, and tries again."""
    with contextlib.suppress(ArchiveUnavailableError), translate_errors(archive.location):
        yield


def _describe(progress: SyncProgress) -> Archiving | None:
    if progress.total_bytes < _LONG_SYNC:
        return None
    return Archiving(
        sessions=progress.committed_sessions,
        total_sessions=progress.total_sessions,
        bytes=progress.done_bytes,
        total_bytes=progress.total_bytes,
    )


def main() -> None:
    """Follow with the settings in the first line of input; write each report as a line of JSON."""
    # The parent process stops us; Ctrl-C in its terminal is not for us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lower_priority()
    # Whoever lists the processes of this machine sees arguments, and addresses have passwords.
    settings = msgspec.json.decode(sys.stdin.buffer.readline(), type=FollowerSettings)
    end = threading.Event()
    threading.Thread(target=_wait_for_end, args=(end,), daemon=True).start()
    follow(settings, end, write_report)


def _wait_for_end(end: threading.Event) -> None:
    sys.stdin.buffer.read()
    end.set()


def write_report(report: FollowerReport) -> None:
    """Write a report to the parent process; ignore errors when it has exited."""
    with contextlib.suppress(OSError):
        sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()

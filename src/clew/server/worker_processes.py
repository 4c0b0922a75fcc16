"""Several workers on one machine: processes that are started again when they end."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final

import msgspec

from clew.errors import ClewError
from clew.processes import lower_priority, start_process
from clew.server.logs import log_to_stderr
from clew.server.work_report import WorkerReport
from clew.server.worker import Worker, WorkerSettings
from clew.store.postgres_location import PostgresLocation

_log: Final = logging.getLogger(__name__)
_LOOK_SECONDS: Final = 0.5
# One that ends at once, again and again, is not to keep a core busy.
_RESTART_SECONDS: Final = 2.0
_FINISH_SECONDS: Final = 60.0
# A third of the share of the server while both have more to do than there are cores.
_NICENESS: Final = 5


class WorkerRun(msgspec.Struct, frozen=True, kw_only=True):
    """How many workers do what; `once` lets them stop when nothing is due any more."""

    location: PostgresLocation
    settings: WorkerSettings = WorkerSettings()
    count: int = 1
    once: bool = False
    is_verbose: bool = False


class WorkerEndedError(ClewError):
    """A worker process ended before its work was done."""

    def __init__(self) -> None:
        super().__init__("a worker process ended early; its sessions are derived by the next one")


class _Slot:
    """One of several workers: its process, and where it says what it has done."""

    def __init__(self, start: Callable[[Connection], BaseProcess]) -> None:
        self._start = start
        self.begin()

    def begin(self) -> None:
        """Start a process."""
        self._results, sender = get_context("spawn").Pipe(duplex=False)
        self.process = self._start(sender)
        self.started = time.monotonic()
        sender.close()

    def end(self) -> WorkerReport | None:
        """Wait for the process; return what it has done, None if it was killed."""
        self.process.join(_FINISH_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        try:
            return msgspec.json.decode(self._results.recv_bytes(), type=WorkerReport)
        except (EOFError, OSError):
            return None
        finally:
            self._results.close()


class WorkerGroup:
    """Worker processes; until they are told to stop, one that ends is replaced."""

    def __init__(self, run: WorkerRun) -> None:
        self._once = run.once
        self._slots = [
            _Slot(lambda sender: start_process(run_child, run, sender)) for _ in range(run.count)
        ]

    def watch(self, stop: threading.Event) -> None:
        """Replace processes that end until somebody sets `stop`; without that, wait for all."""
        while not stop.wait(_LOOK_SECONDS):
            ended = [slot for slot in self._slots if not slot.process.is_alive()]
            if self._once and len(ended) == len(self._slots):
                return
            for slot in ended:
                is_new = time.monotonic() - slot.started < _RESTART_SECONDS
                if not self._once and not is_new:
                    _log.warning("a worker process ended, and is started again")
                    slot.begin()

    def finish(self) -> WorkerReport:
        """Let all processes finish what they have begun; return what they have done.

        Raises:
            WorkerEndedError: One of those that were to do all that is due has not.
        """
        for slot in self._slots:
            if slot.process.is_alive() and slot.process.pid is not None:
                os.kill(slot.process.pid, signal.SIGTERM)
        reports = [slot.end() for slot in self._slots]
        if self._once and None in reports:
            raise WorkerEndedError
        total = WorkerReport()
        for report in reports:
            total.add(report or WorkerReport())
        return total


def run_workers(
    run: WorkerRun, signals: Sequence[signal.Signals], on_ready: Callable[[], object]
) -> WorkerReport:
    """Run workers until a signal stops them, or nothing is due any more; return what they did.

    Raises:
        ArchiveUnavailableError: All that is due was to be done, and something cannot be reached.
        WorkerEndedError: All that is due was to be done, and a worker process ended early.
    """
    with stop_on_signal(*signals) as stop:
        on_ready()
        if run.count == 1:
            log_to_stderr(is_verbose=run.is_verbose)
            return _work(run, stop)
        group = WorkerGroup(run)
        try:
            group.watch(stop)
        finally:
            report = group.finish()
    return report


@contextmanager
def background_workers(run: WorkerRun) -> Iterator[None]:
    """Run worker processes beside something else, such as the server; none if there are to be 0."""
    if not run.count:
        yield
        return
    group = WorkerGroup(run)
    stop = threading.Event()
    watching = threading.Thread(target=group.watch, args=[stop], name="workers", daemon=True)
    watching.start()
    try:
        yield
    finally:
        stop.set()
        watching.join()
        group.finish()


def run_child(run: WorkerRun, results: Connection) -> None:
    """Work in a process of its own until it is to stop, or the process that started it ends."""
    log_to_stderr(is_verbose=run.is_verbose)
    # Ctrl-C reaches every process of a terminal; the parent handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with stop_on_signal(signal.SIGTERM) as stop:
        threading.Thread(target=_stop_with_parent, args=[stop], daemon=True).start()
        report = _work(run, stop)
    results.send_bytes(msgspec.json.encode(report))


def _work(run: WorkerRun, stop: threading.Event) -> WorkerReport:
    if not run.once:
        # Where workers share a machine with the server, pages go first.
        lower_priority(_NICENESS)
    worker = Worker(run.location, run.settings, stop)
    return worker.run_once() if run.once else worker.run()


@contextmanager
def stop_on_signal(*signals: signal.Signals) -> Iterator[threading.Event]:
    """Give what is set by a signal; a second one interrupts at once."""
    stop = threading.Event()

    def handle(_number: int, _frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, handle) for number in signals}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop_with_parent(stop: threading.Event) -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        stop.set()

"""Jobs → what they bring, as it comes: done in other processes, while this one writes rows."""

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from queue import SimpleQueue
from typing import Final, TypeAlias

from clew.processes import submit, worker_processes
from clew.store.claims import Claims
from clew.store.job_order import JobOrder, weigh
from clew.store.jobs import Job, JobResult, decode_done, run_jobs, run_jobs_packed

# Enough for the time of a write, and not more than memory holds.
_IN_FLIGHT: Final = 2
_IN_FLIGHT_BYTES: Final = 48 << 20

Load: TypeAlias = Callable[[], list[JobResult]]
"""Returns what jobs brought; until then it is packed, or not even done."""


def run_here(jobs: list[Job], claims: Claims) -> Generator[tuple[list[Job], Load]]:
    """Run jobs in this process, in their order, some at a time."""
    order = JobOrder(jobs, 1)
    while order:
        bundle = claims.begin(order.take())
        if bundle:
            yield bundle, partial(run_jobs, bundle)


def run_in_processes(
    jobs: list[Job], claims: Claims, workers: int
) -> Generator[tuple[list[Job], Load]]:
    """Give jobs to so many other processes, and return some at a time with what they brought.

    They begin in their order, except that a long one begins early enough to end with the others.
    This process takes none: what only it can do, it does at once.
    """
    with worker_processes(workers) as pool:
        yield from _JobQueue(JobOrder(jobs, workers), claims, pool, workers).results()


class _JobQueue:
    """Jobs that wait, and those that other processes have."""

    def __init__(
        self, order: JobOrder, claims: Claims, pool: ProcessPoolExecutor, workers: int
    ) -> None:
        self.order = order
        self.claims = claims
        self.running: dict[Future[bytes], list[Job]] = {}
        self.done: SimpleQueue[Future[bytes]] = SimpleQueue()
        self.running_bytes = 0
        self.pool = pool
        self.workers = workers

    def results(self) -> Iterator[tuple[list[Job], Load]]:
        """Return jobs with what they brought."""
        while self.order or self.running:
            while self.order and self._has_room():
                if bundle := self.claims.begin(self.order.take()):
                    self._hand_out(bundle)
            if self.running:
                yield self._unpack(self.done.get())

    def _has_room(self) -> bool:
        """Tell whether to hand out more: something to each and once more, then what fits."""
        if len(self.running) < self.workers * _IN_FLIGHT:
            return self.claims.has_room or not self.running
        fits = self.running_bytes + self.order.next_bytes() < _IN_FLIGHT_BYTES
        return fits and self.claims.has_room

    def _hand_out(self, jobs: list[Job]) -> None:
        future = submit(self.pool, run_jobs_packed, jobs)
        self.running[future] = jobs
        self.running_bytes += weigh(jobs)
        # To wait for any of them takes time for each, where there are thousands.
        future.add_done_callback(self.done.put)

    def _unpack(self, future: Future[bytes]) -> tuple[list[Job], Load]:
        jobs = self.running.pop(future)
        self.running_bytes -= weigh(jobs)
        return jobs, lambda: decode_done(future.result())

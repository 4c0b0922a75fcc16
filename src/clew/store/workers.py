"""Jobs → what they bring, as it comes: done in other processes, while this one writes rows."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from queue import SimpleQueue
from typing import Final

from clew.processes import submit, worker_processes
from clew.store.jobs import Job, JobResult, decode_done, run_job_packed

# Enough for the time of a write, and not more than memory holds.
_IN_FLIGHT: Final = 2
_IN_FLIGHT_BYTES: Final = 48 << 20


def run_in_processes(jobs: list[Job], workers: int) -> Iterator[tuple[Job, JobResult]]:
    """Give jobs to so many other processes, and return each with what it brought.

    They are begun in their order. This process takes none: what only it can do, it does at once.
    """
    with worker_processes(workers) as pool:
        yield from _JobQueue(jobs, pool, workers).results()


class _JobQueue:
    """Jobs that wait, and those that other processes have."""

    def __init__(self, jobs: list[Job], pool: ProcessPoolExecutor, workers: int) -> None:
        self.waiting = deque(jobs)
        self.running: dict[Future[bytes], Job] = {}
        self.done: SimpleQueue[Future[bytes]] = SimpleQueue()
        self.running_bytes = 0
        self.pool = pool
        self.workers = workers

    def results(self) -> Iterator[tuple[Job, JobResult]]:
        """Return each job with what it brought."""
        while self.waiting or self.running:
            while self.waiting and self._has_room():
                self._hand_out(self.waiting.popleft())
            yield self._unpack(self.done.get())

    def _has_room(self) -> bool:
        """Tell whether to hand out the next job: one to each and one more, then what fits."""
        if len(self.running) < self.workers * _IN_FLIGHT:
            return True
        return self.running_bytes + self.waiting[0].work_bytes < _IN_FLIGHT_BYTES

    def _hand_out(self, job: Job) -> None:
        future = submit(self.pool, run_job_packed, job)
        self.running[future] = job
        self.running_bytes += job.work_bytes
        # To wait for any of them takes time for each, where there are thousands.
        future.add_done_callback(self.done.put)

    def _unpack(self, future: Future[bytes]) -> tuple[Job, JobResult]:
        """Return what another process brought; its packed form is needed no longer."""
        job = self.running.pop(future)
        self.running_bytes -= job.work_bytes
        return job, decode_done(future.result())

"""Jobs → what they bring, as it comes: done here and in other processes at the same time."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import Final

from clew.processes import submit, worker_processes
from clew.store.jobs import Job, JobResult, decode_done, run_job, run_job_packed

# Enough for the time of a write, and not more than memory holds.
_IN_FLIGHT: Final = 2
_IN_FLIGHT_BYTES: Final = 48 << 20


def run_in_processes(jobs: list[Job], others: int) -> Iterator[tuple[Job, JobResult]]:
    """Share jobs with so many other processes, and return each with what it brought.

    They are begun in their order. This process takes one whenever nothing waits to be written.
    """
    with worker_processes(others) as pool:
        yield from _JobQueue(jobs, pool, others).results()


class _JobQueue:
    """Jobs that wait, and those that other processes have."""

    def __init__(self, jobs: list[Job], pool: ProcessPoolExecutor, others: int) -> None:
        self.waiting = deque(jobs)
        self.running: dict[Future[bytes], Job] = {}
        self.running_bytes = 0
        self.pool = pool
        self.others = others

    def results(self) -> Iterator[tuple[Job, JobResult]]:
        """Return each job with what it brought, the others' first."""
        while self.waiting or self.running:
            while self.waiting and self._has_room():
                self._hand_out(self.waiting.popleft())
            brought = [future for future in self.running if future.done()]
            own = None if brought else self._take()
            if own is not None:
                yield own, run_job(own)
                continue
            ready = deque(brought or wait(self.running, return_when=FIRST_COMPLETED).done)
            brought.clear()
            while ready:
                yield self._unpack(ready.popleft())

    def _has_room(self) -> bool:
        """Tell whether to hand out the next job: one to each, then more, but the last one stays."""
        many = len(self.running)
        if many < self.others:
            return True
        fits = self.running_bytes + self.waiting[0].work_bytes < _IN_FLIGHT_BYTES
        return len(self.waiting) > 1 and (many < self.others * _IN_FLIGHT or fits)

    def _hand_out(self, job: Job) -> None:
        self.running[submit(self.pool, run_job_packed, job)] = job
        self.running_bytes += job.work_bytes

    def _unpack(self, future: Future[bytes]) -> tuple[Job, JobResult]:
        """Return what another process brought; its packed form is needed no longer."""
        return self._get_back(future), decode_done(future.result())

    def _get_back(self, future: Future[bytes]) -> Job:
        job = self.running.pop(future)
        self.running_bytes -= job.work_bytes
        return job

    def _take(self) -> Job | None:
        """Return a job that no other process has begun, and that none will."""
        if self.waiting:
            return self.waiting.popleft()
        future = next((future for future in reversed(self.running) if future.cancel()), None)
        return None if future is None else self._get_back(future)

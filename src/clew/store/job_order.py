"""Which job comes next: the newest session, unless a long one would be the last to finish."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable
from typing import Final

from clew.store.jobs import Job

BUNDLE_BYTES: Final = 1 << 20
"""Sessions are handed out together up to this size, and longer ones alone."""

# However short a session is, it takes as long as so many bytes of a longer one.
_LEAST_BYTES: Final = 32 << 10
# With more long ones than this for each process, they are as good as short.
_MOST_ROUNDS: Final = 2


def weigh(jobs: Iterable[Job]) -> int:
    """Return about how much work jobs are, in bytes."""
    return sum(job.work_bytes + _LEAST_BYTES for job in jobs)


class JobOrder:
    """The jobs that nobody has begun, given newest first, for so many processes."""

    def __init__(self, jobs: list[Job], processes: int) -> None:
        self._jobs = jobs
        self._weights = [weigh([job]) for job in jobs]
        self._newest = deque(range(len(jobs)))
        self._waiting = set(self._newest)
        self._waiting_bytes = sum(self._weights)
        self._processes = processes
        # In ascending order. Nobody waits long for a short one, and one process alone takes as long
        # in any order.
        is_shared = processes > 1
        weighed = zip(self._weights, self._newest, strict=True)
        self._long = sorted(pair for pair in weighed if is_shared and pair[0] > BUNDLE_BYTES)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._waiting)

    def next_bytes(self) -> int:
        """Return how much work comes next, at least."""
        return self._weights[self._next()]

    def take(self) -> list[Job]:
        """Take what comes next: a long job, or some short ones."""
        number = self._next()
        bundle = [self._take(number)]
        room = BUNDLE_BYTES - self._weights[number]
        while self._waiting and (room := room - self.next_bytes()) >= 0:
            bundle.append(self._take(self._next()))
        return bundle

    def _take(self, number: int) -> Job:
        weight = self._weights[number]
        self._waiting.remove(number)
        self._waiting_bytes -= weight
        place = bisect_left(self._long, (weight, number))
        if place < len(self._long) and self._long[place][1] == number:
            del self._long[place]
        return self._jobs[number]

    def _next(self) -> int:
        """Return the newest job, or the longest if it has to begin now to end with the others."""
        if any(self._is_late(rounds) for rounds in range(_MOST_ROUNDS)):
            return self._long[-1][1]
        while self._newest[0] not in self._waiting:
            self._newest.popleft()
        return self._newest[0]

    def _is_late(self, rounds: int) -> bool:
        """Tell whether long jobs take as long as all that waits.

        If there is one more than every process can do in so many rounds, one process has to do one
        more than that, at best the shortest of them.
        """
        count = rounds * self._processes + 1
        if count > len(self._long):
            return False
        shortest = self._long[-count:][: rounds + 1]
        return sum(weight for weight, _ in shortest) * self._processes >= self._waiting_bytes

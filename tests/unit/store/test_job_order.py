"""The order of jobs: newest first, without a long one that everybody waits for in the end."""

import random
from pathlib import Path

import pytest

from clew.source import FileKind, SourceFile
from clew.store.job_order import BUNDLE_BYTES, JobOrder, weigh
from clew.store.jobs import FileTask, Job

MB = 1 << 20


def job(name: str, size: int) -> Job:
    path = Path(f"/root/{name}")
    file = SourceFile(path, name, FileKind.SESSION, name, None, None, None, size, 0, 0, 0)
    return Job(name, (FileTask("/root", file, None, (), is_changed=True),), "/blobs")


def jobs_of(sizes: list[int]) -> list[Job]:
    """Make jobs of these sizes, the newest first, named by their place."""
    return [job(str(number), size) for number, size in enumerate(sizes)]


def names(jobs: list[Job]) -> list[str | None]:
    return [job.session_id for job in jobs]


def take_all(order: JobOrder) -> list[list[str | None]]:
    taken = []
    while order:
        taken.append(names(order.take()))
    return taken


def makespan(jobs: list[Job], processes: int) -> int:
    """Return when all are done, with each process taking the next as soon as it is free."""
    order = JobOrder(jobs, processes)
    free_at = [0] * processes
    while order:
        free_at.sort()
        free_at[0] += weigh(order.take())
    return max(free_at)


def makespan_of_largest_first(jobs: list[Job], processes: int) -> int:
    free_at = [0] * processes
    for weight in sorted((weigh([job]) for job in jobs), reverse=True):
        free_at.sort()
        free_at[0] += weight
    return max(free_at)


def test_the_newest_come_first() -> None:
    order = JobOrder(jobs_of([2 * MB, 3 * MB, 2 * MB, 4 * MB, 2 * MB]), 1)

    assert take_all(order) == [["0"], ["1"], ["2"], ["3"], ["4"]]


def test_short_ones_are_taken_together_up_to_a_limit() -> None:
    jobs = jobs_of([2000] * 100)

    bundles = take_all(JobOrder(jobs, 2))

    assert [name for bundle in bundles for name in bundle] == names(jobs)
    assert len(bundles) < 10
    assert all(weigh([jobs[0]]) * len(bundle) <= BUNDLE_BYTES for bundle in bundles)


def test_a_long_old_one_begins_when_it_would_otherwise_end_last() -> None:
    # After four, 16 MB wait besides the long one, which takes one of two processes as long.
    order = JobOrder(jobs_of([4 * MB] * 8 + [17 * MB]), 2)

    assert take_all(order)[:5] == [["0"], ["1"], ["2"], ["3"], ["8"]]


def test_the_longest_does_not_come_early_without_need() -> None:
    order = JobOrder(jobs_of([2 * MB] * 100 + [3 * MB]), 2)

    assert [name for bundle in take_all(order) for name in bundle][:95] == [
        str(number) for number in range(95)
    ]


def random_sizes(seed: int) -> list[int]:
    """Make sizes as users have them, with up to three very long ones, often the oldest."""
    dice = random.Random(seed)  # noqa: S311 (a test's dice)
    sizes = [int(dice.lognormvariate(13, 1.5)) for _ in range(dice.randint(20, 600))]
    for _ in range(dice.randint(0, 3)):
        place = dice.choice([len(sizes), dice.randrange(len(sizes))])
        sizes.insert(place, int(sum(sizes) * dice.uniform(0.02, 0.6)))
    return sizes


@pytest.mark.parametrize("processes", [1, 2, 4, 8])
def test_the_order_takes_as_long_as_the_largest_first(processes: int) -> None:
    ratios = []
    for seed in range(40):
        jobs = jobs_of(random_sizes(seed))
        ratios.append(makespan(jobs, processes) / makespan_of_largest_first(jobs, processes))

    assert sum(ratios) / len(ratios) < 1.01
    assert max(ratios) < 1.15

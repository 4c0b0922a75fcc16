"""Contestants that sync for the first time: all of it, with more processes, many small files."""

import atexit
import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

from bench.archives import forget_new_archive, in_new_archive, in_synced_archive, make_archive
from bench.child import Given, children_cpu, own_cpu
from bench.contestant import LARGE, SMALL, Budget, Contestant, Limit, Run
from bench.first_run import CLEW
from bench.own_folders import hundred_mb, small_files
from bench.peers import for_agentsview, forget_agentsview

# Imported inside, so that the memory of one contestant does not count for another.
# ruff: noqa: PLC0415

FEW: Final = 10_000
MANY: Final = 50_000
_AGENTSVIEW: Final = "agentsview"
_SMALLER: Final = "clew sync 100 MB"
_SYNC: Final = (*CLEW, "sync", "--json")


def with_1_worker() -> Run:
    """Sync in one process."""
    return _sync_with(1)


def with_2_workers() -> Run:
    """Sync with two more processes."""
    return _sync_with(2)


def with_4_workers() -> Run:
    """Sync with four more processes."""
    return _sync_with(4)


def _sync_with(workers: int) -> Run:
    """Give the function that syncs, and says how much of the work the first process did."""
    from clew.archive import open_archive

    place = Path(tempfile.mkdtemp(prefix="clew-bench-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)

    def run(given: Given) -> dict[str, float]:
        own, others = own_cpu(), children_cpu()
        with open_archive(place / "home") as archive:
            archive.sync([given.folder], workers=workers)
        own, others = own_cpu() - own, children_cpu() - others
        return {"main CPU s": own, "main share": own / (own + others)}

    return run


def _files(name: str, count: int, does: str, budget: Budget | None = None) -> Contestant:
    return Contestant(
        name,
        "files",
        does,
        command=_SYNC,
        place=partial(small_files, count),
        environ=in_new_archive,
        before=forget_new_archive,
        budgets=(budget,) if budget else (),
        limits=(Limit("peak MB", 400),),
    )


SYNCS: Final = (
    Contestant(
        _AGENTSVIEW,
        "sync",
        "first sync, in one process",
        command=(_AGENTSVIEW, "sync"),
        environ=for_agentsview,
        before=forget_agentsview,
    ),
    Contestant(
        _SMALLER,
        "sync",
        "the same for another folder",
        command=_SYNC,
        place=hundred_mb,
        environ=in_new_archive,
        before=forget_new_archive,
    ),
    Contestant(
        "clew sync",
        "sync",
        "first sync, the whole program",
        command=_SYNC,
        environ=in_new_archive,
        before=forget_new_archive,
        budgets=(
            Budget(2.5, _AGENTSVIEW, SMALL),
            Budget(4, _AGENTSVIEW, LARGE),
            # The same rate, as far as two runs are the same.
            Budget(0.9, _SMALLER, LARGE, by_rate=True),
        ),
        limits=(Limit("peak MB", 400),),
    ),
    Contestant("1 worker", "workers", "first sync, in one process", with_1_worker),
    Contestant(
        "2 workers",
        "workers",
        "two more processes, as on two cores",
        with_2_workers,
        limits=(Limit("main share", 0.4),),
    ),
    Contestant("4 workers", "workers", "four more processes", with_4_workers),
    _files("10,000 files", FEW, "first sync of small sessions"),
    # Linear: five times the files in hardly more than five times the time.
    _files("50,000 files", MANY, "five times as many", Budget(1 / 5.5, "10,000 files")),
    Contestant(
        "50,000 files again",
        "files",
        "nothing has changed",
        command=_SYNC,
        place=partial(small_files, MANY),
        environ=in_synced_archive,
        setup=make_archive,
    ),
    Contestant(
        "50,000 files list",
        "files",
        "never synced: the newest sessions",
        command=(*CLEW, "list", "--limit", "20"),
        place=partial(small_files, MANY),
        environ=in_new_archive,
        before=forget_new_archive,
    ),
)

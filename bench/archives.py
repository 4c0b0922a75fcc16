"""What clew does with an archive, as functions: count, sync, search; and archives to do it with."""

import datetime as dt
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from bench.child import Given
from bench.contestant import Run
from bench.peers import isolated, private_home
from bench.queries import QUERIES, REGEXES, WORDS

# Each function imports clew inside, so that the memory of one does not count for another.
# ruff: noqa: PLC0415

PAGE: Final = 20


def clew_scan() -> Run:
    """Count the usage of all transcripts, without an archive."""
    from clew.analytics import scan, summarise

    def run(given: Given) -> int:
        found = scan([given.folder])
        return summarise(found.sums, "day", dt.UTC).totals.model_calls

    return run


def clew_unchanged() -> Run:
    """Sync an archive that has everything already."""
    from clew.archive import open_archive

    def run(given: Given) -> dict[str, float]:
        root = given.folder
        with open_archive(archive_of(root)) as archive:
            report = archive.sync([root])
        return {"bytes read": report.bytes_read, "sessions": report.sessions_total}

    return run


def clew_size() -> Run:
    """Weigh an archive: kept bytes, rows and index."""

    def run(given: Given) -> dict[str, float]:
        root = given.folder
        raw = _weigh(root)
        home = archive_of(root)
        database = sum(path.stat().st_size for path in home.glob("archive.db*"))
        kept = _weigh(home) - database
        return {"share": (kept + database) / raw, "kept": kept / raw, "rows": database / raw}

    return run


def clew_search() -> Run:
    """Ask many queries of an open archive, each for a page of hits with snippets."""
    return _ask(QUERIES)


def clew_regexes() -> Run:
    """Ask for regular expressions with letters that the index can look up."""
    return _ask(REGEXES)


def _ask(queries: Sequence[str]) -> Run:
    from clew.archive import open_archive

    def run(given: Given) -> dict[str, float]:
        now = dt.datetime.now(dt.UTC)
        with open_archive(archive_of(given.folder)) as archive:
            return timed(queries, lambda text: archive.search(text, now=now, limit=PAGE))

    return run


def ripgrep() -> Run:
    """Count words in the files, in either case, one after the other."""

    def run(given: Given) -> dict[str, float]:
        folder = str(given.folder)

        def look(word: str) -> None:
            command = ["rg", "--no-config", "--ignore-case", "--fixed-strings", "--count-matches"]
            subprocess.run([*command, word, folder], stdout=subprocess.DEVNULL, check=False)  # noqa: S603

        return timed(WORDS, look)

    return run


@cache
def make_archive(folder: Path) -> None:
    """Sync a folder into a new archive of the benchmark's own, once for all contestants."""
    home = archive_of(folder)
    shutil.rmtree(home, ignore_errors=True)
    code = "import sys; from pathlib import Path; from clew.archive import open_archive\n"
    code += "with open_archive(sys.argv[1]) as archive: archive.sync([Path(sys.argv[2])])"
    # In a process of its own, since contestants are compared with one that holds little.
    subprocess.run([sys.executable, "-c", code, str(home), str(folder)], check=True)  # noqa: S603


def in_archive(folder: Path) -> dict[str, str]:
    """Let a program find that archive, and no transcripts beside it."""
    home = archive_of(folder)
    return {**in_synced_archive(folder), "CLAUDE_CONFIG_DIR": str(home / "none")}


def in_synced_archive(folder: Path) -> dict[str, str]:
    """Let a program find that archive, and the transcripts that are in it already."""
    own = isolated(private_home(folder, "home"))
    return {**own, "CLEW_ARCHIVE": str(archive_of(folder)), "CLAUDE_CONFIG_DIR": str(folder)}


def in_new_archive(folder: Path) -> dict[str, str]:
    """Let a program sync the folder into an archive that is not there yet."""
    home = private_home(folder, "first")
    return {
        **isolated(home),
        "CLEW_ARCHIVE": str(home / "archive"),
        "CLAUDE_CONFIG_DIR": str(folder),
    }


def forget_new_archive(folder: Path) -> None:
    """Take away what the last first sync made."""
    shutil.rmtree(private_home(folder, "first"), ignore_errors=True)


def timed(
    queries: Iterable[str],
    ask: Callable[[str], object],
    work: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """Ask each query, and give the median and the slowest time of all.

    The processor's time, as `work` counts it, tells what the others would be with nothing else on
    the machine.
    """
    times, worked = [], []
    for query in queries:
        started, before = time.perf_counter(), work()
        ask(query)
        times.append((time.perf_counter() - started) * 1000)
        worked.append((work() - before) * 1000)
    return {
        "p50 ms": statistics.median(times),
        "p99 ms": _ninety_ninth(times),
        "p50 CPU ms": statistics.median(worked),
        "p99 CPU ms": _ninety_ninth(worked),
        "queries": len(times),
    }


def _ninety_ninth(times: Sequence[float]) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * 0.99))]


def archive_of(root: Path) -> Path:
    """Give the place of the benchmark's own archive of a folder."""
    return private_home(root, "archive")


def _weigh(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

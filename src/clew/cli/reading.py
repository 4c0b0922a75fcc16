"""Many sessions read: one after the other, or on all cores."""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from clew.cli.overview import SessionOverview, overview_of
from clew.conversation import build
from clew.errors import ClewError
from clew.sessions import SessionFiles, Survey, gather, place_among, survey
from clew.source import FileKind, SourceFile

Advance: TypeAlias = Callable[[int], object]
# Runs a function over things and gives what came of each, in their order.
Mapper: TypeAlias = Callable[[Callable[[Any], Any], Sequence[Any]], Iterator[Any]]

# Below this (about two seconds of work) starting processes takes longer than they save.
_SMALL: Final = 300_000_000
_BATCH: Final = 64
_LOST_PROCESS: Final = (
    "the system ended one of the reading processes, perhaps for lack of memory; "
    "list fewer sessions at a time, as with --since or --project"
)


class _Job(msgspec.Struct, frozen=True):
    """A session to read, and what its neighbours know of it."""

    session: SessionFiles
    surveys: list[Survey]


Folders: TypeAlias = dict[Path, list[SourceFile]]
Known: TypeAlias = dict[str, list[Survey]]


def read_overviews(
    chosen: Sequence[SessionFiles],
    everyone: Iterable[SessionFiles],
    advance: Advance,
    *,
    workers: int | None = None,
) -> Iterator[SessionOverview | None]:
    """Sum up sessions, in their order and no faster than asked; None for one that is unreadable.

    What neighbours know of a session is found by reading each transcript of its folder once.

    Args:
        chosen: The sessions to sum up.
        everyone: All sessions there are, among them the neighbours.
        advance: Is told the bytes done since the last time; `count_bytes` gives their sum.
        workers: How many processes; by default one when there is little to do, else one per core.
    """
    folders = _folders(everyone)
    known: Known = {}
    if workers is None:
        workers = 1 if count_bytes(chosen, everyone) < _SMALL else _count_cores()
    with _mapper(workers) as run:
        for start in range(0, len(chosen), _BATCH):
            batch = chosen[start : start + _BATCH]
            for folder in {file.path.parent for file in map(_own_transcript, batch) if file}:
                known |= _survey_folder(folders.pop(folder, []), run, advance)
            jobs = [_Job(session, known.get(session.session_id, [])) for session in batch]
            for session, overview in zip(batch, run(_read, jobs), strict=True):
                advance(session.size)
                yield overview


def count_bytes(chosen: Iterable[SessionFiles], everyone: Iterable[SessionFiles]) -> int:
    """Count the bytes that must be read for the chosen sessions."""
    read = list(chosen)
    folders = {file.path.parent for file in map(_own_transcript, read) if file}
    beside = (
        file for folder, own in _folders(everyone).items() if folder in folders for file in own
    )
    return sum(session.size for session in read) + sum(file.size for file in beside)


def _read(job: _Job) -> SessionOverview | None:
    try:
        material = gather(job.session)
    except OSError:
        return None
    if not material.transcripts:
        return None
    return overview_of(build(place_among(material, job.surveys)), job.session)


def _survey(file: SourceFile) -> Survey | None:
    try:
        return survey(file)
    except OSError:
        return None


def _survey_folder(files: Sequence[SourceFile], run: Mapper, advance: Advance) -> Known:
    surveys = []
    for file, found in zip(files, run(_survey, files), strict=True):
        advance(file.size)
        surveys.append(found)
    return _neighbours([found for found in surveys if found is not None])


def _folders(everyone: Iterable[SessionFiles]) -> Folders:
    folders: Folders = {}
    for file in map(_own_transcript, everyone):
        if file is not None:
            folders.setdefault(file.path.parent, []).append(file)
    return folders


def _neighbours(surveys: list[Survey]) -> Known:
    """Find for each session those that hold answers of its own, cut to those answers.

    All others would be carried to every process for nothing. Old titles may be anyone's.
    """
    owners: dict[str, list[Survey]] = {}
    for known in surveys:
        for name in known.claims:
            owners.setdefault(name, []).append(known)
    titles = {leaf: title for known in surveys for leaf, title in known.titles.items()}
    found: dict[str, list[Survey]] = {}
    for known in surveys:
        shared = {name for name in known.claims if len(owners[name]) > 1}
        near = {other.session_id: other for name in shared for other in owners[name]}
        found[known.session_id] = [_cut(other, shared) for other in near.values()]
        if titles:
            found[known.session_id].append(Survey("", {}, titles, ()))
    return found


def _cut(known: Survey, names: set[str]) -> Survey:
    claims = {name: claim for name, claim in known.claims.items() if name in names}
    return msgspec.structs.replace(known, claims=claims, titles={})


def _own_transcript(session: SessionFiles) -> SourceFile | None:
    return next((file for file in session.files if file.kind is FileKind.SESSION), None)


@contextmanager
def _mapper(workers: int) -> Iterator[Mapper]:
    if workers == 1:
        yield map
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _ignore_interrupts)
    try:
        yield lambda work, things: pool.map(work, things, chunksize=_chunk(len(things), workers))
    except BrokenProcessPool as error:
        raise ClewError(_LOST_PROCESS) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _chunk(number: int, workers: int) -> int:
    """Hand over several at once, yet keep all processes busy to the end."""
    return max(1, min(16, number // (workers * 8)))


def _ignore_interrupts() -> None:
    # Ctrl-C reaches every process of a terminal; the one that waits for the others answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _count_cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1

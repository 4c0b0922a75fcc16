"""Contestants over one folder → the best time, the peak memory and the ratio of each."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from bench.child import Attempt, Page, Task, find_transcripts
from bench.contestant import Contestant
from bench.peers import private_home
from bench.standings import NOT_INSTALLED, Folder, Standing, Verdict, judge_all, ratio_of

CHUNK: Final = 1 << 20
# Who takes longer than this runs once: other load hardly changes so long a time.
LONG_SECONDS: Final = 60.0


class Result(msgspec.Struct, frozen=True):
    """A whole contest."""

    folder: Folder
    rounds: int
    references: dict[str, str]
    standings: list[Standing]
    verdicts: list[Verdict]


def warm(folder: Path) -> Folder:
    """Read every transcript once, so that all contestants find it in memory, and count it."""
    paths = find_transcripts(folder)
    lines = size = 0
    for path in paths:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                lines += chunk.count(b"\n")
                size += len(chunk)
    return Folder(str(folder), len(paths), lines, size)


def hold(
    contestants: Sequence[Contestant],
    folder: Path,
    rounds: int = 3,
    references: dict[str, str] | None = None,
) -> Result:
    """Let all contestants run, round by round in turn, each time in a fresh process.

    `references` names for each group the contestant that ratios are taken to.
    """
    present = [contestant for contestant in contestants if contestant.is_installed]
    places = {who.name: who.place() if who.place else folder for who in present}
    seen = {place: warm(place) for place in {folder, *places.values()}}
    for contestant in present:
        if contestant.setup is not None:
            contestant.setup(places[contestant.name])
    attempts: dict[str, list[Attempt]] = {contestant.name: [] for contestant in contestants}
    for contestant in _in_turn(present, rounds, attempts):
        attempts[contestant.name].append(run_once(contestant, places[contestant.name]))
    standings = {
        who.name: _stand(who, attempts[who.name], seen[places.get(who.name, folder)])
        for who in contestants
    }
    names = references or {}
    compared = [
        msgspec.structs.replace(own, ratio=ratio_of(own, standings.get(names.get(own.group, ""))))
        for own in standings.values()
    ]
    verdicts = judge_all(contestants, standings, seen[folder].size_bytes)
    return Result(seen[folder], rounds, names, compared, verdicts)


def output_of(folder: Path) -> Path:
    """Give the folder that programs write to."""
    return private_home(folder, "output")


def copy_of(folder: Path) -> Path:
    """Give the place of a copy, for programs that write beside what they read."""
    return private_home(folder, "copy")


def run_once(contestant: Contestant, folder: Path) -> Attempt:
    """Run a contestant in a process of its own."""
    if contestant.before is not None:
        contestant.before(folder)
    task = msgspec.json.encode(_task(contestant, folder)).decode()
    child = [sys.executable, "-m", "bench.child", task]
    done = subprocess.run(child, capture_output=True, check=False)  # noqa: S603 (our own module)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        return Attempt(problem=said[-1] if said else f"exit code {done.returncode}")
    return msgspec.json.decode(done.stdout, type=Attempt)


def _task(contestant: Contestant, folder: Path) -> Task:
    places = {"folder": folder, "output": output_of(folder), "copy": copy_of(folder)}
    if any("{session}" in part for part in _texts(contestant)):
        places["session"] = Path(_longest(folder))
    prepare = contestant.prepare
    return Task(
        folder=str(folder),
        function=f"{prepare.__module__}:{prepare.__qualname__}" if prepare else "",
        command=[part.format_map(places) for part in contestant.command],
        environ=contestant.environ(folder) if contestant.environ else {},
        terminal=contestant.terminal,
        page=contestant.page and _page(contestant.page, folder, places),
    )


def _page(page: Page, folder: Path, places: dict[str, Path]) -> Page:
    """Name the session of a page; a folder with few sessions cannot list more."""
    sessions = sum(not path.stem.startswith("agent-") for path in find_transcripts(folder))
    return Page(
        page.path.format_map(places),
        # Some have no messages, and are not listed.
        min(page.sessions, sessions // 2),
        tuple(path.format_map(places) for path in page.afterwards),
    )


def _texts(contestant: Contestant) -> Iterator[str]:
    yield from contestant.command
    if contestant.page is not None:
        yield contestant.page.path
        yield from contestant.page.afterwards


def _longest(folder: Path) -> str:
    """Give the id of the session with the largest transcript."""
    return max(find_transcripts(folder), key=lambda path: path.stat().st_size).stem


def _in_turn(
    present: Sequence[Contestant], rounds: int, attempts: dict[str, list[Attempt]]
) -> Iterator[Contestant]:
    """Give a b c, a b c, …: whatever else the machine does then hits all alike."""
    for _ in range(rounds):
        for contestant in present:
            before = attempts[contestant.name]
            if not (before and before[-1].seconds > LONG_SECONDS):
                yield contestant


def _stand(contestant: Contestant, attempts: Sequence[Attempt], seen: Folder) -> Standing:
    own = Standing(contestant.name, contestant.group, contestant.does, contestant.is_limit)
    if not attempts:
        return msgspec.structs.replace(own, problem=NOT_INSTALLED)
    problems = [attempt.problem for attempt in attempts if attempt.problem]
    if problems:
        return msgspec.structs.replace(own, problem=problems[0])
    seconds = min(attempt.seconds for attempt in attempts)
    return msgspec.structs.replace(
        own,
        rounds=len(attempts),
        seconds=seconds,
        cpu_seconds=min(attempt.cpu_seconds for attempt in attempts),
        mb_per_second=seen.size_bytes / 1e6 / seconds,
        lines_per_second=seen.lines / seconds,
        peak_bytes=max(attempt.peak_bytes for attempt in attempts),
        found=attempts[0].found,
        figures={
            name: min(attempt.figures[name] for attempt in attempts) for name in attempts[0].figures
        },
    )

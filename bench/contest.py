"""Contestants over one folder → the best time, the peak memory and the ratio of each."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from bench.child import Attempt, Task, find_transcripts
from bench.peers import private_home

# How many were found, or figures with their names.
Run = Callable[[Sequence[Path]], int | dict[str, float]]
CHUNK: Final = 1 << 20
NOT_INSTALLED: Final = "not installed"


class Budget(msgspec.Struct, frozen=True):
    """A promise: at least so many times as fast as another contestant of the same run."""

    dollars_at_least: float
    reference: str

    @property
    def text(self) -> str:
        """Say it as it is printed."""
        return f">= {self.dollars_at_least:g} x {self.reference}"


class Limit(msgspec.Struct, frozen=True):
    """A promise about one figure: never above so much."""

    figure: str
    at_most: float

    @property
    def text(self) -> str:
        """Say it as it is printed."""
        return f"{self.figure} <= {self.at_most:g}"


class Contestant(msgspec.Struct, frozen=True):
    """Someone who takes part: a function of ours, or a program that may be installed.

    `prepare` imports what it needs and gives the function whose time counts. `command` is a
    program with its arguments, where `{folder}` stands for the folder, `{output}` for one to write
    to and `{copy}` for a copy that `before` makes; `environ` gives what it finds in its
    environment. `setup` makes ready, once and unmeasured, what all rounds need; `before` what each
    of them needs. A function that runs a program says which one it `needs`. `also` are further
    budgets.
    """

    name: str
    group: str
    does: str
    prepare: Callable[[], Run] | None = None
    command: tuple[str, ...] = ()
    is_limit: bool = False
    budget: Budget | None = None
    environ: Callable[[Path], dict[str, str]] | None = None
    setup: Callable[[Path], None] | None = None
    before: Callable[[Path], None] | None = None
    limits: tuple[Limit, ...] = ()
    needs: str = ""
    also: tuple[Budget, ...] = ()

    @property
    def is_installed(self) -> bool:
        """Tell whether its program, if it needs one, is there."""
        program = self.command[0] if self.command else self.needs
        return not program or shutil.which(program) is not None


class Folder(msgspec.Struct, frozen=True):
    """What is read: all transcripts below a folder."""

    path: str
    files: int
    lines: int
    size_bytes: int


class Standing(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one contestant did: its best time and its highest peak over all rounds."""

    name: str
    group: str
    does: str
    is_limit: bool = False
    seconds: float | None = None
    cpu_seconds: float | None = None
    mb_per_second: float | None = None
    lines_per_second: float | None = None
    peak_bytes: int | None = None
    ratio: float | None = None
    found: int | None = None
    figures: dict[str, float] = {}
    problem: str = ""


class Verdict(msgspec.Struct, frozen=True):
    """Whether a contestant kept its budget: unknown where one of the two is not installed.

    What was reached is a ratio, or the figure that is limited.
    """

    name: str
    budget: str
    reached: float | None
    met: bool | None


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
    seen = warm(folder)
    for contestant in contestants:
        if contestant.setup is not None and contestant.is_installed:
            contestant.setup(folder)
    attempts: dict[str, list[Attempt]] = {contestant.name: [] for contestant in contestants}
    for contestant in _in_turn(contestants, rounds):
        attempts[contestant.name].append(run_once(contestant, folder))
    standings = {who.name: _stand(who, attempts[who.name], seen) for who in contestants}
    names = references or {}
    compared = [
        _compare(standing, standings.get(names.get(standing.group, "")))
        for standing in standings.values()
    ]
    verdicts = [judge(who, who.budget, standings) for who in contestants if who.budget]
    verdicts += [judge(who, budget, standings) for who in contestants for budget in who.also]
    verdicts += [
        judge_limit(standings[who.name], limit) for who in contestants for limit in who.limits
    ]
    return Result(seen, rounds, names, compared, verdicts)


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
    places = {"folder": folder, "output": output_of(folder), "copy": copy_of(folder)}
    command = [part.format_map(places) for part in contestant.command]
    prepare = contestant.prepare
    function = f"{prepare.__module__}:{prepare.__qualname__}" if prepare else ""
    environ = contestant.environ(folder) if contestant.environ else {}
    task = msgspec.json.encode(Task(str(folder), function, command, environ)).decode()
    child = [sys.executable, "-m", "bench.child", task]
    done = subprocess.run(child, capture_output=True, check=False)  # noqa: S603 (our own module)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        return Attempt(problem=said[-1] if said else f"exit code {done.returncode}")
    return msgspec.json.decode(done.stdout, type=Attempt)


def judge(contestant: Contestant, budget: Budget, standings: dict[str, Standing]) -> Verdict:
    """Tell whether a contestant is as fast as it promised; one that failed is not."""
    own, other = standings[contestant.name], standings.get(budget.reference)
    ratio = _ratio(own, other)
    met: bool | None = ratio is not None and ratio >= budget.dollars_at_least
    if NOT_INSTALLED in (own.problem, other.problem if other else ""):
        met = None
    return Verdict(contestant.name, budget.text, ratio, met)


def judge_limit(own: Standing, limit: Limit) -> Verdict:
    """Tell whether a figure stays below its limit; one that is not there does not."""
    own_figures = {
        "seconds": own.seconds,
        "peak MB": None if own.peak_bytes is None else own.peak_bytes / 1e6,
        **own.figures,
    }
    value = own_figures.get(limit.figure)
    met = None if own.problem == NOT_INSTALLED else value is not None and value <= limit.at_most
    return Verdict(own.name, limit.text, value, met)


def _in_turn(contestants: Sequence[Contestant], rounds: int) -> Iterator[Contestant]:
    """Give a b c, a b c, …: whatever else the machine does then hits all alike."""
    present = [contestant for contestant in contestants if contestant.is_installed]
    for _ in range(rounds):
        yield from present


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


def _compare(standing: Standing, reference: Standing | None) -> Standing:
    return msgspec.structs.replace(standing, ratio=_ratio(standing, reference))


def _ratio(own: Standing, other: Standing | None) -> float | None:
    """Say how many times as fast the one is as the other."""
    if other is None or own.seconds is None or other.seconds is None:
        return None
    return other.seconds / own.seconds

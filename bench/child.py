"""A task → one attempt, measured in the process that runs this module."""

import importlib
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import msgspec

STATUS: Final = Path("/proc/self/status")


class Page(msgspec.Struct, frozen=True):
    """A page of a server: there when it links to so many sessions.

    What is asked for afterwards, unmeasured, shows how much memory the server needs.
    """

    path: str = "/"
    sessions: int = 0
    afterwards: tuple[str, ...] = ()


class Given(msgspec.Struct, frozen=True):
    """What a function is given: a folder, and all transcripts below it."""

    folder: Path
    paths: list[Path]


class Task(msgspec.Struct, frozen=True):
    """What to run over which folder: a function as `module:name`, or a command."""

    folder: str
    function: str = ""
    command: list[str] = []
    environ: dict[str, str] = {}
    terminal: bool = False
    page: Page | None = None


class Attempt(msgspec.Struct, frozen=True):
    """One measured run, or the reason why there is none.

    Its processor time is that of all its processes, its peak that of the largest.
    """

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    found: int = 0
    figures: dict[str, float] = {}
    problem: str = ""


def main() -> None:
    """Run the task given as the only argument, and print the attempt as JSON."""
    task = msgspec.json.decode(sys.argv[1], type=Task)
    sys.stdout.buffer.write(msgspec.json.encode(run_task(task)))


def run_task(task: Task) -> Attempt:
    """Run a task in the way it asks for."""
    # Imported when needed: what this process holds is the least that a program is weighed at.
    if task.terminal:
        from bench.terminal import run_on_terminal  # noqa: PLC0415

        return run_on_terminal(task)
    if task.page is not None:
        from bench.serving import run_server  # noqa: PLC0415

        return run_server(task, task.page)
    return run_command(task) if task.command else run_function(task)


def find_transcripts(folder: Path) -> list[Path]:
    """List all transcripts below a folder, always in the same order."""
    return sorted(path for path in folder.rglob("*.jsonl") if path.is_file())


def run_function(task: Task) -> Attempt:
    """Prepare unmeasured, then time the function over all transcripts of the folder."""
    module, _, name = task.function.partition(":")
    run = getattr(importlib.import_module(module), name)()
    given = Given(Path(task.folder), find_transcripts(Path(task.folder)))
    started, worked = time.perf_counter(), own_cpu() + children_cpu()
    found = run(given)
    seconds, worked = time.perf_counter() - started, own_cpu() + children_cpu() - worked
    peak = max(own_peak(), children_peak())
    figures = found if isinstance(found, dict) else {}
    return Attempt(seconds, worked, peak, 0 if figures else found, figures)


def run_command(task: Task) -> Attempt:
    """Time a program from its start to its end; what it prints is dropped."""
    started = time.perf_counter()
    quiet = subprocess.DEVNULL
    done = subprocess.run(  # noqa: S603 (a program from our table)
        task.command, stdin=quiet, stdout=quiet, stderr=quiet, check=False, env=environ_of(task)
    )
    seconds = time.perf_counter() - started
    if done.returncode > 1:
        return Attempt(problem=f"{task.command[0]} ended with {done.returncode}")
    return Attempt(seconds, children_cpu(), children_peak())


def environ_of(task: Task) -> dict[str, str]:
    """Give the environment of a task's program."""
    return {**os.environ, **task.environ}


def own_cpu() -> float:
    """Count the processor seconds of this process."""
    return _cpu_seconds(resource.RUSAGE_SELF)


def children_cpu() -> float:
    """Count the processor seconds of the processes below this one that have ended."""
    return _cpu_seconds(resource.RUSAGE_CHILDREN)


def own_peak() -> int:
    """Give the most memory this process held.

    Linux starts `ru_maxrss` at what the parent held when it forked; the status file does not.
    """
    if STATUS.exists():
        for line in STATUS.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _unit()


def children_peak() -> int:
    """Give the most memory that one of the processes below this one held; all have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _unit()


def _cpu_seconds(who: int) -> float:
    spent = resource.getrusage(who)
    return spent.ru_utime + spent.ru_stime


def _unit() -> int:
    """Give the bytes in a unit of `ru_maxrss`: one on macOS, a kilobyte elsewhere."""
    return 1 if sys.platform == "darwin" else 1024


if __name__ == "__main__":
    main()

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


class Task(msgspec.Struct, frozen=True):
    """What to run over which folder: a function as `module:name`, or a command."""

    folder: str
    function: str = ""
    command: list[str] = []
    environ: dict[str, str] = {}


class Attempt(msgspec.Struct, frozen=True):
    """One measured run, or the reason why there is none."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    found: int = 0
    figures: dict[str, float] = {}
    problem: str = ""


def main() -> None:
    """Run the task given as the only argument, and print the attempt as JSON."""
    task = msgspec.json.decode(sys.argv[1], type=Task)
    attempt = run_command(task) if task.command else run_function(task)
    sys.stdout.buffer.write(msgspec.json.encode(attempt))


def find_transcripts(folder: Path) -> list[Path]:
    """List all transcripts below a folder, always in the same order."""
    return sorted(path for path in folder.rglob("*.jsonl") if path.is_file())


def run_function(task: Task) -> Attempt:
    """Prepare unmeasured, then time the function over all transcripts of the folder."""
    module, _, name = task.function.partition(":")
    run = getattr(importlib.import_module(module), name)()
    paths = find_transcripts(Path(task.folder))
    started, worked = time.perf_counter(), time.process_time()
    found = run(paths)
    seconds, worked = time.perf_counter() - started, time.process_time() - worked
    figures = found if isinstance(found, dict) else {}
    return Attempt(seconds, worked, own_peak(), 0 if figures else found, figures)


def run_command(task: Task) -> Attempt:
    """Time a program from its start to its end; what it prints is dropped."""
    started = time.perf_counter()
    quiet = subprocess.DEVNULL
    environ = {**os.environ, **task.environ}
    done = subprocess.run(  # noqa: S603 (a program from our table)
        task.command, stdin=quiet, stdout=quiet, stderr=quiet, check=False, env=environ
    )
    seconds = time.perf_counter() - started
    if done.returncode > 1:
        return Attempt(problem=f"{task.command[0]} ended with {done.returncode}")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Attempt(seconds, spent.ru_utime + spent.ru_stime, spent.ru_maxrss * _unit())


def own_peak() -> int:
    """Give the most memory this process held.

    Linux starts `ru_maxrss` at what the parent held when it forked; the status file does not.
    """
    if STATUS.exists():
        for line in STATUS.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _unit()


def _unit() -> int:
    """Give the bytes in a unit of `ru_maxrss`: one on macOS, a kilobyte elsewhere."""
    return 1 if sys.platform == "darwin" else 1024


if __name__ == "__main__":
    main()

"""A server under load: many readers at once, on a large archive, while new sessions come in.

`python -m bench.load` starts a server on a copy of a synced archive, lets readers ask for lists,
search and first pages of sessions while it takes in another folder of transcripts, and tells how
long they waited, and how much memory the server had from quarter to quarter.
"""

import argparse
import asyncio
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote
from urllib.request import urlopen

import msgspec

from bench.generate import cache_folder, generated
from bench.queries import QUERIES
from bench.readers import Answered, Question, read_all

_LARGE: Final = 1_000_000_000
_NEW: Final = 100_000_000
_ADDRESS: Final = re.compile(r"http://\S+")
_SESSIONS: Final = 20
_BUDGET_MS: Final = 500
_QUARTERS: Final = 4
_MORE: Final = 1.1
_FILTERS: Final = ("", "?sort=cost", "?text=test", "?has_errors=true", "?group=project")


def main() -> int:
    """Measure, print, and fail when the budget is missed."""
    options = _options()
    root, new = generated(options.size), generated(options.new, seed=1)
    with tempfile.TemporaryDirectory(dir=cache_folder()) as folder:
        home = Path(folder) / "archive"
        shutil.copytree(_archive(root), home)
        with _server(home, root, new) as (address, process_id):
            answers, memory = asyncio.run(_load(address, process_id, options))
    _report(answers)
    told = (f"{used:.0f} MB at {at:.0f} s" for at, used in memory)
    _say(f"memory {', '.join(told)}: {'flat' if _is_flat(memory) else 'it grows'}")
    return int(not (_is_kept(answers) and _is_flat(memory)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--size", type=int, default=_LARGE, help="bytes in the archive")
    parser.add_argument("--new", type=int, default=_NEW, help="bytes that come in meanwhile")
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=1, help="seconds for which a page is read")
    return parser.parse_args()


def _archive(root: Path) -> Path:
    """Give the archive of a folder, synced once and kept for the next time."""
    home = cache_folder() / f"load-{root.name}"
    code = "import sys; from pathlib import Path; from clew.archive import open_archive\n"
    code += "with open_archive(sys.argv[1]) as archive: archive.sync([Path(sys.argv[2])])"
    subprocess.run([sys.executable, "-c", code, str(home), str(root)], check=True)  # noqa: S603
    return home


@contextmanager
def _server(home: Path, *roots: Path) -> Iterator[tuple[str, int]]:
    """Run a server in a process of its own; give its address and the process."""
    chosen = [part for root in roots for part in ("--root", str(root))]
    command = [sys.executable, "-m", "clew", "serve", "--port", "0", *chosen]
    environment = {**os.environ, "CLEW_HOME": str(home)}
    with subprocess.Popen(  # noqa: S603
        command, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            told = process.stderr.readline() if process.stderr else ""
            yield _ADDRESS.findall(told)[0].rstrip("/"), process.pid
        finally:
            process.terminate()


async def _load(
    address: str, process_id: int, options: argparse.Namespace
) -> tuple[list[Answered], list[tuple[float, float]]]:
    ids = await asyncio.to_thread(_latest, address)

    def choose(dice: random.Random) -> Question:
        kind = dice.choice(("list", "search", "session"))
        match kind:
            case "list":
                return kind, f"/{dice.choice(_FILTERS)}"
            case "search":
                return kind, f"/search?q={quote(dice.choice(QUERIES))}"
            case _:
                return kind, f"/sessions/{dice.choice(ids)}"

    sampling = asyncio.create_task(_watch_memory(process_id, options.seconds))
    answers = await read_all(address, options.readers, options.seconds, options.pause, choose)
    return answers, await sampling


async def _watch_memory(process_id: int, seconds: float) -> list[tuple[float, float]]:
    """Tell how much memory a process has at the start, after each quarter, and at the end."""
    found = [(0.0, _memory_mb(process_id))]
    for quarter in range(1, _QUARTERS + 1):
        await asyncio.sleep(seconds / _QUARTERS)
        found.append((seconds * quarter / _QUARTERS, _memory_mb(process_id)))
    return found


def _latest(address: str) -> list[str]:
    with urlopen(f"{address}/api/sessions?limit={_SESSIONS}") as answer:  # noqa: S310 (our own)
        found = msgspec.json.decode(answer.read())
    return [quote(session["id"], safe="") for session in found["sessions"]]


def _memory_mb(process_id: int) -> float:
    """Read how much memory a process has for itself, where the system tells."""
    try:
        told = Path(f"/proc/{process_id}/status").read_text()
    except OSError:
        return 0.0
    return int(told.partition("RssAnon:")[2].split()[0]) / 1024


def _report(answers: Sequence[Answered]) -> None:
    _say(f"{'':10}{'answers':>9}{'p50 ms':>9}{'p95 ms':>9}{'max ms':>9}{'errors':>8}{'kB':>7}")
    for kind in sorted({answer.kind for answer in answers}):
        own = [answer for answer in answers if answer.kind == kind]
        waited = sorted(answer.milliseconds for answer in own)
        errors = sum(not answer.is_good for answer in own)
        size = sum(answer.size_bytes for answer in own) / len(own) / 1000
        figures = [_at(waited, share) for share in (0.5, 0.95, 1.0)]
        told = "".join(f"{figure:>9.0f}" for figure in figures)
        _say(f"{kind:10}{len(own):>9}{told}{errors:>8}{size:>7.0f}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _is_kept(answers: Sequence[Answered]) -> bool:
    kinds = {answer.kind for answer in answers}
    waited = {k: sorted(a.milliseconds for a in answers if a.kind == k) for k in kinds}
    good = all(answer.is_good for answer in answers)
    return good and all(_at(own, 0.95) < _BUDGET_MS for own in waited.values())


def _is_flat(memory: Sequence[tuple[float, float]]) -> bool:
    """Tell whether the second half of the time took hardly more memory than the first."""
    return memory[-1][1] <= memory[_QUARTERS // 2][1] * _MORE


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


if __name__ == "__main__":
    sys.exit(main())

"""`python -m bench.team_pages`: what pages of a team server cost while sessions are parsed.

All transcripts are pushed first and most of them parsed. Then one session is parsed at a time, and
members ask for some pages after each. Only processor time while they wait is counted, so that a
busy machine changes little. At the end they ask while nothing is parsed.
"""

import argparse
import asyncio
import random
import sys
from collections.abc import Sequence
from typing import Final

import msgspec

from bench.generate import parse_size
from bench.readers import get_page
from bench.team_devices import push_all
from bench.team_load import LoadScene, Observer, load_scene
from clew.server.worker import Worker

_SESSIONS: Final = "SELECT count(*) FROM session_state"
_PARTS: Final = ("server", "database")
_OK: Final = 200
_EVERY: Final = 5


class PageCosts(msgspec.Struct):
    """How many pages there were, and how long the processors worked for them."""

    pages: int = 0
    spent: dict[str, float] = msgspec.field(default_factory=lambda: dict.fromkeys(_PARTS, 0.0))


def main(arguments: Sequence[str]) -> int:
    """Measure, and print what a page takes."""
    parser = argparse.ArgumentParser(prog="python -m bench.team_pages", description=__doc__)
    parser.add_argument("--size", type=parse_size, default="40MB", help="of all devices together")
    parser.add_argument("--devices", type=int, default=10)
    parser.add_argument("--steps", type=int, default=40, help="how many sessions are parsed")
    parser.add_argument("--pages", type=int, default=6, help="how many pages after each")
    # The worker runs in this process.
    parser.set_defaults(workers=1)
    options = parser.parse_args(arguments)
    with load_scene(options) as scene:
        push_all(scene.machines)
        worker = Worker(scene.programs.location)
        for _ in range(scene.count(_SESSIONS) - options.steps):
            worker.work()
        for title, parses in (("while sessions are parsed", True), ("while nobody pushes", False)):
            costs = asyncio.run(_measure(scene, worker if parses else None, options))
            each = ", ".join(
                f"{name} {used / costs.pages * 1000:.1f} ms" for name, used in costs.spent.items()
            )
            sys.stdout.write(f"{title}, per page of {costs.pages}: {each} of CPU\n")
    return 0


async def _measure(
    scene: LoadScene, worker: Worker | None, options: argparse.Namespace
) -> PageCosts:
    costs, dice, observer = PageCosts(), random.Random(5), Observer(scene)  # noqa: S311 (load)
    for step in range(options.steps):
        if worker is not None and not worker.work():
            break
        if step % _EVERY == 0:
            await observer.find_latest()
        before = scene.spent()
        await asyncio.gather(
            *(_ask(scene, observer, dice, step * options.pages + n) for n in range(options.pages))
        )
        after = scene.spent()
        costs.pages += options.pages
        for name in _PARTS:
            costs.spent[name] += after[name] - before[name]
    return costs


async def _ask(scene: LoadScene, observer: Observer, dice: random.Random, number: int) -> None:
    _, path = observer.choose(dice)
    token = scene.machines[number % len(scene.machines)].token
    status = await get_page(scene.programs.address, path, token)
    if status != _OK:
        raise RuntimeError(f"{path}: {status}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

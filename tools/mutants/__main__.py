"""`just mutants`: mutate a sample of lines, run the tests that ran them, list what survived."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import msgspec

from tools.mutants.lines import measure, tests_of
from tools.mutants.mutate import Mutant, mutate

_ROOT: Final = Path(__file__).resolve().parents[2]
_SOURCE: Final = _ROOT / "src"
_CORE: Final = ("conversation", "store", "analytics", "search", "redact", "web/guard.py")
_MOST_TESTS: Final = 60
_SECONDS: Final = 120


class Outcome(msgspec.Struct, frozen=True):
    """What became of a mutant: killed, survived, or in a line that no test ran."""

    module: str
    line: int
    change: str
    state: str


@click.command(help=__doc__)
@click.argument("packages", nargs=-1)
@click.option("--count", default=100, show_default=True, help="Number of mutants to try.")
@click.option("--seed", default=1, show_default=True, help="Which sample to take.")
@click.option("--tests", multiple=True, help="Only these tests, by default all but the browser's.")
@click.option("--most-survivors", default=None, type=int, help="Fail above this number.")
def main(
    packages: tuple[str, ...],
    count: int,
    seed: int,
    tests: tuple[str, ...],
    most_survivors: int | None,
) -> None:
    """Try a sample of mutants, and list those that survive."""
    data = measure(_ROOT, tests)
    places = [(module, mutant) for module in _modules(packages) for mutant in _of(module)]
    sample = random.Random(seed).sample(places, min(count, len(places)))  # noqa: S311 (a sample)
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "src")
        shutil.copytree(_SOURCE, tree)
        for module, mutant in sorted(sample, key=lambda pair: (pair[0], pair[1].line)):
            state = _try(tree, module, mutant, tests_of(data, _SOURCE / module, mutant.line))
            outcomes.append(Outcome(str(module), mutant.line, mutant.change, state))
            click.echo(f"{state:9} {module}:{mutant.line}: {mutant.change}")
    survivors = [outcome for outcome in outcomes if outcome.state == "survived"]
    killed = sum(outcome.state == "killed" for outcome in outcomes)
    unseen = len(outcomes) - killed - len(survivors)
    click.echo(f"{len(outcomes)} mutants: {killed} killed, {len(survivors)} survived, ", nl=False)
    click.echo(f"{unseen} in lines that no test ran")
    if most_survivors is not None and len(survivors) > most_survivors:
        sys.exit(1)


def _modules(packages: tuple[str, ...]) -> Iterator[Path]:
    """Give the modules to mutate, relative to the source folder."""
    for package in packages or _CORE:
        place = _SOURCE / "clew" / package
        found = [place] if place.is_file() else sorted(place.rglob("*.py"))
        yield from (path.relative_to(_SOURCE) for path in found)


def _of(module: Path) -> list[Mutant]:
    return mutate((_SOURCE / module).read_text("utf-8"))


def _try(tree: Path, module: Path, mutant: Mutant, tests: list[str]) -> str:
    """Put a mutant in its module's place, run tests, and put the module back."""
    if not tests:
        return "not run"
    place = tree / module
    place.write_text(mutant.text, "utf-8")
    try:
        return "survived" if _passes(tree, _spread(tests)) else "killed"
    finally:
        shutil.copy(_SOURCE / module, place)


def _spread(tests: list[str]) -> list[str]:
    """Choose among very many tests: the first ones, which are nearest, and some of all others."""
    near, far = tests[: _MOST_TESTS // 2], tests[_MOST_TESTS // 2 :]
    step = max(1, len(far) // (_MOST_TESTS // 2))
    return near + far[::step][: _MOST_TESTS // 2]


def _passes(tree: Path, tests: list[str]) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:randomly", "--no-header"]
    command += ["-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(  # noqa: S603 (pytest)
            command, cwd=_ROOT, env=environment, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


if __name__ == "__main__":
    main()

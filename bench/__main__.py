"""`python -m bench` runs the contest, `python -m bench generate` writes transcripts."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console

from bench.child import find_transcripts
from bench.contest import Result, hold
from bench.contestant import Contestant
from bench.contestants import CONTESTANTS, REFERENCES
from bench.generate import generate, generated, parse_size
from bench.own_folders import SCALE
from bench.report import show

NOT_FOUND: Final = 3
BUDGET_MISSED: Final = 4
# The groups in which other programs take part that know no other layout.
_LIKE_CLAUDE: Final = {"first", "html", "sync", "usage"}
# So small that every contestant is tried in a minute or two; its figures mean nothing.
_SMOKE_SIZE: Final = 300_000
_SMOKE_SCALE: Final = "0.002"


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments ask, and give the exit code."""
    options = _parse(arguments)
    if options.smoke:
        options.size, options.rounds = _SMOKE_SIZE, 1
        os.environ[SCALE] = _SMOKE_SCALE
    return _generate(options) if options.action == "generate" else _contest(options)


def _generate(options: argparse.Namespace) -> int:
    if options.output is None:
        folder = generated(options.size, options.seed)
    else:
        folder = options.output
        if folder.exists():
            sys.stderr.write(f"{folder} is already there; name a new folder\n")
            return 2
        generate(folder, options.size, options.seed)
    sys.stdout.write(f"{folder}\n")
    return 0


def _contest(options: argparse.Namespace) -> int:
    folder = options.dir or generated(options.size, options.seed)
    if not find_transcripts(folder):
        sys.stderr.write(f"no transcript below {folder}\n")
        return NOT_FOUND
    if _LIKE_CLAUDE.intersection(options.only) and not (folder / "projects").is_dir():
        sys.stderr.write(f"{folder} has no folder `projects`, as other programs want it\n")
        return NOT_FOUND
    result = hold(_chosen(options.only), folder, options.rounds, REFERENCES)
    _print(result, options.json)
    missed = any(verdict.met is False for verdict in result.verdicts)
    return BUDGET_MISSED if options.strict and missed else 0


def _chosen(groups: Sequence[str]) -> list[Contestant]:
    """Give the contestants of these groups, or of all, and those they are compared with."""
    own = [contestant for contestant in CONTESTANTS if not groups or contestant.group in groups]
    compared = {REFERENCES.get(contestant.group, "") for contestant in own}
    compared.update(budget.reference for who in own for budget in who.budgets)
    return [who for who in CONTESTANTS if who in own or who.name in compared]


def _print(result: Result, path: Path | None) -> None:
    show(result, Console())
    if path is not None:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("action", nargs="?", choices=("run", "generate"), default="run")
    parser.add_argument("--size", type=_size, default="100MB", help="such as 100MB or 1GB")
    parser.add_argument("--seed", type=int, default=0)
    making = parser.add_argument_group("generate")
    making.add_argument("-o", "--output", type=Path, help="a new folder, instead of the kept one")
    running = parser.add_argument_group("run")
    running.add_argument("--dir", type=Path, help="read this folder, instead of a generated one")
    running.add_argument("--rounds", type=int, default=3)
    groups = sorted({contestant.group for contestant in CONTESTANTS})
    running.add_argument(
        "--only",
        action="append",
        default=[],
        choices=groups,
        metavar="GROUP",
        help=f"repeatable: {', '.join(groups)}",
    )
    running.add_argument(
        "--smoke", action="store_true", help="try every contestant on very little, once"
    )
    running.add_argument("--json", type=Path, metavar="FILE", help="write the result there too")
    running.add_argument("--strict", action="store_true", help="exit 4 when a budget is missed")
    return parser.parse_args(arguments)


def _size(text: str) -> int:
    try:
        return parse_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

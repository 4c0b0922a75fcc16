"""A contest's result → a table and lines for people."""

from typing import Final

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from bench.contest import Result
from bench.standings import Standing, Verdict

# Above this share, other work on the machine decides who wins.
BUSY: Final = 0.15
_WORDS: Final = {None: "not judged", True: "met", False: "MISSED"}


def show(result: Result, console: Console) -> None:
    """Print who did how, group by group, and which budgets hold."""
    seen = result.folder
    console.print(
        f"{seen.size_bytes / 1e6:,.1f} MB, {seen.lines:,} lines, {seen.files:,} files in "
        f"{seen.path}; best of {result.rounds}",
        highlight=False,
        soft_wrap=True,
    )
    for group in dict.fromkeys(standing.group for standing in result.standings):
        members = [standing for standing in result.standings if standing.group == group]
        console.print(_table(group, members, result.references.get(group, "")))
    if result.verdicts:
        console.print(_verdicts(result.verdicts))
    if (waited := _waited(result.standings)) > BUSY:
        console.print(f"the machine is busy: up to {waited:.0%} of a time was waiting; run again")


def _waited(standings: list[Standing]) -> float:
    """Give the largest share of a best time in which its contestant did not compute."""
    shares = [
        1 - standing.cpu_seconds / standing.seconds
        for standing in standings
        if standing.seconds and standing.cpu_seconds is not None
    ]
    return max(shares, default=0.0)


def _table(group: str, standings: list[Standing], reference: str) -> Table:
    table = Table(title=group, title_justify="left", box=SIMPLE, pad_edge=False)
    table.add_column("contestant", no_wrap=True)
    for heading in ("seconds", "CPU s", "MB/s", "peak MB", f"x {reference}"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("does")
    for standing in standings:
        does = f"limit: {standing.does}" if standing.is_limit else standing.does
        told = ", ".join(f"{name} {value:,.4g}" for name, value in standing.figures.items())
        told = f"{does}: {told}" if told else does
        table.add_row(standing.name, *_cells(standing), standing.problem or told)
    return table


def _cells(standing: Standing) -> list[str]:
    peak = None if standing.peak_bytes is None else standing.peak_bytes / 1e6
    return [
        _number(standing.seconds, ".3f"),
        _number(standing.cpu_seconds, ".3f"),
        _number(standing.mb_per_second, ",.0f"),
        _number(peak, ",.0f"),
        _number(standing.ratio, ".2f"),
    ]


def _number(value: float | None, shape: str) -> str:
    return "-" if value is None else format(value, shape)


def _verdicts(verdicts: list[Verdict]) -> Table:
    table = Table(title="budgets", title_justify="left", box=SIMPLE, pad_edge=False)
    for heading in ("contestant", "budget"):
        table.add_column(heading, no_wrap=True)
    table.add_column("reached", justify="right", no_wrap=True)
    table.add_column("")
    for verdict in verdicts:
        reached = "not measured" if verdict.reached is None else f"{verdict.reached:,.4g}"
        table.add_row(verdict.name, verdict.budget, reached, _WORDS[verdict.met])
    return table

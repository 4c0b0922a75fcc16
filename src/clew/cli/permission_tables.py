"""The tables of `clew permissions`."""

from collections.abc import Iterator, Sequence
from typing import Final

import click
from rich.console import Console
from rich.text import Text

from clew.cli.table import Column, Item, print_table
from clew.cli.text import visible
from clew.figures import plural
from clew.insight import ANSWERS, DECIDERS, AskedAbout, PermissionReport, Refusal, WaitSum
from clew.render import duration
from clew.store import DecisionCount

_SIGNS: Final = {"at_most": "≤ ", "inferred": "~"}
_YOU: Final = {**DECIDERS, "person": "you"}


def print_permissions(report: PermissionReport, limit: int, console: Console) -> None:
    """Print all tables, and what is not known."""
    if not report.calls:
        click.echo("No tool calls match these filters.", err=True)
        return
    for line in _summary(report):
        console.print(Text(line), soft_wrap=True)
    _print("Decisions", _DECISIONS, report.decisions, limit, console)
    _print("Asked by tool", [_TOOL, *_COUNTS], report.tools, limit, console)
    _print("Asked about", [_SUBJECT, *_COUNTS], report.patterns, limit, console)
    if len(report.projects) > 1:
        _print("Asked by project", [_PROJECT, *_COUNTS], report.projects, limit, console)
    _print("Refused", _REFUSALS, report.refusals, limit, console)
    if report.candidate_rules:
        _title("Always accepted: rules you could add to permissions.allow", console)
        for rule in report.candidate_rules:
            console.print(Text(f"  {visible(rule)}"), soft_wrap=True)


def _summary(report: PermissionReport) -> Iterator[str]:
    if report.asked:
        took = f", {_sum(report.waiting)} in total, median {_median(report.waiting)}"
        least = "at least " if report.unrecorded_calls else ""
        yield (
            f"You were asked {least}{plural(report.asked, 'time')}: accepted {report.accepted:,}, "
            f"refused {report.refused:,}{took if report.waiting.calls else ''}."
        )
    if report.questions.calls:
        yield (
            f"You answered questions and plans {plural(report.questions.calls, 'time')}, "
            f"{_sum(report.questions)} in total."
        )
    if report.inferred.calls:
        yield (
            f"{plural(report.inferred.calls, 'call')} of older sessions probably waited for you, "
            f"{_sum(report.inferred)} in total."
        )
    if report.unrecorded_calls:
        yield (
            f"Who let {report.unrecorded_calls:,} of {plural(report.calls, 'call')} run is not "
            "recorded: older versions of Claude Code record refusals only."
        )


def _print(
    title: str,
    columns: Sequence[Column[Item]],
    items: Sequence[Item],
    limit: int,
    console: Console,
) -> None:
    if not items:
        return
    _title(title, console)
    print_table(columns, items[: limit or None], console, indent="  ")
    if limit and len(items) > limit:
        note = f"  Showing {limit:,} of {len(items):,} (`--limit 0` for all)"
        console.print(Text(note, "dim"), soft_wrap=True)


def _title(title: str, console: Console) -> None:
    console.print()
    console.print(Text(title, "bold"))


def _sum(waiting: WaitSum) -> str:
    return f"{_SIGNS.get(waiting.quality, '')}{duration(waiting.total_ms)}" if waiting.calls else ""


def _median(waiting: WaitSum) -> str:
    if waiting.median_ms is None:
        return ""
    return f"{_SIGNS.get(waiting.quality, '')}{duration(waiting.median_ms)}"


def _subject(about: AskedAbout | Refusal) -> str:
    return ", ".join(about.subject.split("\n"))


_DECISIONS: Final[list[Column[DecisionCount]]] = [
    Column("decided by", lambda row: _YOU.get(row.decided_by, row.decided_by), widest=30),
    Column("decision", lambda row: ANSWERS.get(row.answer, row.answer), widest=30),
    Column("calls", lambda row: f"{row.calls:,}", is_number=True),
]
_TOOL: Final[Column[AskedAbout]] = Column("tool", lambda row: row.tool, takes_rest=True)
_SUBJECT: Final[Column[AskedAbout]] = Column(
    "what", lambda row: f"{row.tool} {_subject(row)}".strip(), takes_rest=True
)
_PROJECT: Final[Column[AskedAbout]] = Column(
    "project", lambda row: row.project, takes_rest=True, is_path=True
)
_COUNTS: Final[list[Column[AskedAbout]]] = [
    Column("asked", lambda row: f"{row.asked:,}", is_number=True),
    Column("accepted", lambda row: f"{row.accepted:,}", 1, is_number=True),
    Column("refused", lambda row: f"{row.refused:,}", 1, is_number=True),
    Column("sessions", lambda row: f"{row.sessions:,}", 4, is_number=True),
    Column("median", lambda row: _median(row.waiting), 2, is_number=True),
    Column("waited", lambda row: _sum(row.waiting), 3, is_number=True),
]
_REFUSALS: Final[list[Column[Refusal]]] = [
    Column("by", lambda row: _YOU.get(row.decided_by, row.decided_by), widest=30),
    Column("what", lambda row: f"{row.tool} {_subject(row)}".strip(), takes_rest=True),
    Column("calls", lambda row: f"{row.calls:,}", is_number=True),
    Column("remarks", lambda row: f"{row.remarks:,}" if row.remarks else "", 2, is_number=True),
    Column("sessions", lambda row: f"{row.sessions:,}", 3, is_number=True),
]

"""A comparison of two sessions on the terminal."""

from collections.abc import Iterator
from typing import Final

from rich.console import Console
from rich.text import Text

from clew.cli.table import Column, print_table
from clew.cli.text import visible
from clew.insight import (
    CHANGED_BY,
    ComparedSession,
    FileDifference,
    SessionComparison,
    ToolPair,
    TurnPair,
    changed_lines,
    compared_figures,
)

_TURNS: Final = 40
_TOOLS: Final = 15
_LONGEST: Final = 60
_TONES: Final = {"+": "green", "-": "red"}

Row = tuple[str, str, str]


def print_comparison(found: SessionComparison, console: Console, *, is_short: bool) -> None:
    """Print figures, tools, turns and files; and differences, unless `is_short`."""
    columns: list[Column[Row]] = [
        Column("", lambda row: row[0]),
        Column("A", lambda row: row[1], widest=60),
        Column("B", lambda row: row[2], widest=60),
    ]
    print_table(columns, list(_figures(found.a, found.b)), console)
    _print_tools(found, console)
    _print_turns(found, console)
    _print_files(found, console)
    if not is_short:
        for file in found.files:
            _print_difference(file, console)


def _figures(a: ComparedSession, b: ComparedSession) -> Iterator[Row]:
    yield "session", a.session_id[:8], b.session_id[:8]
    yield "title", _cut(a.title or "(no title)"), _cut(b.title or "(no title)")
    for name, first, second in compared_figures(a, b):
        yield name, _cut(first), _cut(second)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def _print_tools(found: SessionComparison, console: Console) -> None:
    columns: list[Column[ToolPair]] = [
        Column("tool", lambda pair: pair.tool, takes_rest=True),
        Column("A", lambda pair: f"{pair.a:,}", is_number=True),
        Column("B", lambda pair: f"{pair.b:,}", is_number=True),
    ]
    if found.tools:
        console.print()
        print_table(columns, found.tools[:_TOOLS], console)


def _print_turns(found: SessionComparison, console: Console) -> None:
    columns: list[Column[TurnPair]] = [
        Column("turn", _turn, is_number=True),
        Column("A", lambda pair: _cut(pair.a.prompt) if pair.a else "", widest=44),
        Column("calls", lambda pair: f"{pair.a.tool_calls:,}" if pair.a else "", is_number=True),
        Column("B", lambda pair: _cut(pair.b.prompt) if pair.b else "", widest=44),
        Column("calls", lambda pair: f"{pair.b.tool_calls:,}" if pair.b else "", is_number=True),
    ]
    if found.turns:
        console.print()
        print_table(columns, found.turns[:_TURNS], console)
        if len(found.turns) > _TURNS:
            console.print(Text(f"{len(found.turns) - _TURNS:,} more turns", "dim"))


def _turn(pair: TurnPair) -> str:
    either = pair.a or pair.b
    return "" if either is None else str(either.turn)


def _print_files(found: SessionComparison, console: Console) -> None:
    columns: list[Column[FileDifference]] = [
        Column("file", lambda file: file.path, takes_rest=True, is_path=True),
        Column("changed by", lambda file: CHANGED_BY[file.difference], widest=30),
        Column("A", lambda file: changed_lines(file.a), is_number=True),
        Column("B", lambda file: changed_lines(file.b), is_number=True),
    ]
    if found.files:
        console.print()
        print_table(columns, found.files, console)


def _print_difference(file: FileDifference, console: Console) -> None:
    if not file.hunks and not file.reason:
        return
    console.print()
    console.print(
        Text(visible(f"{file.path}: {CHANGED_BY[file.difference]}"), "bold"), soft_wrap=True
    )
    if file.reason:
        console.print(Text(f"  {visible(file.reason)}", "dim"), soft_wrap=True)
    for hunk in file.hunks:
        console.print(Text(f"@@ -{hunk.old_start or 1} +{hunk.new_start or 1} @@", "cyan"))
        for line in hunk.lines:
            console.print(Text(visible(line), _TONES.get(line[:1], "")), soft_wrap=True)

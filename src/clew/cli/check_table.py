"""The report of a check, as a person reads it: the totals first, the verdict last."""

from collections.abc import Mapping
from itertools import chain, zip_longest
from typing import Final, Literal

from rich.cells import cell_len
from rich.columns import Columns
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from clew.check import Example, ProblemGroup, Report
from clew.cli.text import cut_front, size, visible
from clew.figures import plural
from clew.problems import Severity

_STYLES: Final = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_FEW_PLACES: Final = 3
_FEW_PATHS: Final = 12
_INDENT: Final = "    "
_NUMBERS: Final = frozenset({"count", "files", "entries"})


def print_report(report: Report, console: Console, *, verbose: bool) -> None:
    """Print a report; `verbose` lists every problem."""
    _print_totals(report, console)
    _print_types(report.entries_by_type, console)
    _print_versions(report.versions, console)
    _print_drift(report.drift, console, most=None if verbose else _FEW_PATHS)
    if report.problems:
        _print_problems(report.problems, console)
    _print_places(report.problems, console, verbose=verbose)
    _print_verdict(report, console, verbose=verbose)


def _print_totals(report: Report, console: Console) -> None:
    files = report.files
    totals = (
        plural(files.total, "file"),
        size(files.size_bytes),
        plural(report.lines, "line"),
        plural(report.entries, "entry", "entries"),
        plural(len(report.versions), "version"),
    )
    console.print(Text(" · ".join(totals), "bold"))
    kinds = (f"{kind.replace('_', ' ')} {number:,}" for kind, number in files.by_kind.items())
    console.print(Text(f"Files by kind: {', '.join(kinds)}"))


def _print_types(counts: Mapping[str, int], console: Console) -> None:
    """Print a line for each type, with its subtypes."""
    subtypes: dict[str, dict[str, int]] = {}
    for name, number in counts.items():
        kind, _, subtype = name.partition("/")
        subtypes.setdefault(kind, {})[subtype] = number
    table = _table("type", "entries", "subtypes")
    for kind, parts in sorted(subtypes.items(), key=lambda item: -sum(item[1].values())):
        of_which = ", ".join(f"{part} {number:,}" for part, number in parts.items() if part)
        table.add_row(_safe(kind), f"{sum(parts.values()):,}", _safe(of_which))
    _print_section("Entries by type", table, console)


def _print_versions(counts: Mapping[str, int], console: Console) -> None:
    """Print versions with their counts, in as many columns as fit."""
    shown = {visible(version): f"{number:,}" for version, number in counts.items()}
    wide = max(map(len, shown), default=0)
    high = max(map(len, shown.values()), default=0)
    cells = [Text(f"{version:<{wide}}  {number:>{high}}") for version, number in shown.items()]
    columns = Columns(cells, column_first=True, padding=(0, 5, 0, 0))
    if counts:
        _print_section("Entries by version", Padding(columns, (0, 0, 0, 2)), console)


def _print_drift(
    drift: Mapping[str, Mapping[str, int]], console: Console, *, most: int | None
) -> None:
    paths: dict[str, int] = {}
    versions: dict[str, list[str]] = {}
    for version, counts in drift.items():
        for path, number in counts.items():
            paths[path] = paths.get(path, 0) + number
            versions.setdefault(path, []).append(version)
    if not paths:
        return
    table = _table("type or field", "count", "versions")
    for path in sorted(paths, key=lambda path: (-paths[path], path))[:most]:
        span = dict.fromkeys((versions[path][0], versions[path][-1]))
        table.add_row(_safe(path), f"{paths[path]:,}", _safe(" to ".join(span)))
    _print_section("Drift: types and fields unknown to this version of clew", table, console)
    _print_rest(len(paths) - len(table.rows), console)


def _print_problems(groups: list[ProblemGroup], console: Console) -> None:
    table = _table("severity", "count", "files", "problem")
    for group in groups:
        severity = Text(group.severity.value, _STYLES[group.severity])
        problem = Text.assemble((group.kind, "bold"), f": {group.meaning}")
        table.add_row(severity, f"{group.count:,}", f"{group.files:,}", problem)
    _print_section("Problems", table, console)


def _print_places(groups: list[ProblemGroup], console: Console, *, verbose: bool) -> None:
    for group in groups:
        if group.severity is Severity.NOTE and not verbose:
            continue
        console.print()
        console.print(Text(f"{group.severity}: {group.kind}", _STYLES[group.severity]))
        places = _places(group, verbose=verbose)
        for place in places:
            console.print(_place(place, console), soft_wrap=True)
        _print_rest(group.count - len(places), console)


def _places(group: ProblemGroup, *, verbose: bool) -> list[Example]:
    """Choose the examples to show: all, or a few with different messages."""
    if verbose:
        return group.examples
    by_text: dict[str, list[Example]] = {}
    for example in group.examples:
        by_text.setdefault(example.text, []).append(example)
    mixed = chain.from_iterable(zip_longest(*by_text.values()))
    return [example for example in mixed if example is not None][:_FEW_PLACES]


def _place(example: Example, console: Console) -> Text:
    """Format a file and line that can be copied, and the message about them.

    On a narrow terminal the path is cut at its front, as long as the file's name fits; otherwise
    the message goes on the next line.
    """
    where = visible(f"{example.file}:{example.line}" if example.line else example.file)
    text = visible(example.text)
    gap = "  "
    if console.is_terminal:
        room = console.width - len(_INDENT)
        beside = room - len(gap) - cell_len(text)
        if cell_len(where.rpartition("/")[2]) < beside:
            room = beside
        else:
            gap = f"\n{_INDENT}  "
        where = cut_front(where, room)
    return Text.assemble(f"{_INDENT}{where}", (f"{gap}{text}", "dim") if text else "")


def _print_verdict(report: Report, console: Console, *, verbose: bool) -> None:
    trip = report.round_trip
    style = "" if trip.identical == trip.files else "bold red"
    same = f"{trip.identical:,} of {plural(trip.files, 'file')}"
    console.print()
    console.print(Text(f"Round trip: {same} identical, byte for byte", style))
    found = [
        Text(plural(report.count(severity), severity.value), _STYLES[severity])
        for severity in Severity
    ]
    hint = "" if verbose or not report.problems else " (`--verbose` for all)"
    console.print(Text.assemble(Text(", ").join(found), (hint, "dim")))


def _print_rest(number: int, console: Console) -> None:
    if number > 0:
        console.print(Text(f"{_INDENT}… and {number:,} more", "dim"))


def _print_section(title: str, content: RenderableType, console: Console) -> None:
    console.print()
    console.print(Text(title, "bold"))
    console.print(content)


def _table(*names: str) -> Table:
    """Make a table without lines: numbers right-aligned, the last column as wide as possible."""
    table = Table(box=None, header_style="dim", padding=(0, 0, 0, 2))
    for name in names:
        justify: Literal["left", "right"] = "right" if name in _NUMBERS else "left"
        table.add_column(name, justify=justify, no_wrap=name in _NUMBERS)
    return table


def _safe(text: str) -> Text:
    return Text(visible(text))

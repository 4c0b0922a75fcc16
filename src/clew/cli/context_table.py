"""The table of `clew context`: a bar for each turn, then cache breaks, compactions and costs."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from clew.analytics import (
    NEAR_LIMIT,
    CompactionLoss,
    ContextItem,
    ContextSample,
    PartCost,
    describe_cause,
    display_name,
)
from clew.cli.table import Column, print_table
from clew.cli.text import cut_front
from clew.cli.usage_table import Marks, choose_marks
from clew.insight import ContextReport
from clew.insight.context import PricedBreak, part_names, shown_parts
from clew.render import duration, money, plural, safe_line, scaled

_BAR: Final = 24
_FEW: Final = 10
_MOST_NAMED: Final = 8
_NEAR: Final = "near limit"
_SHORT: Final = {
    "system": "system",
    "tools": "tools",
    "injected": "injected",
    "summary": "summary",
    "prompts": "prompts",
    "answers": "answers",
    "thinking": "thinking",
    "files": "files",
    "results": "results",
}


def print_context(report: ContextReport, turn: int | None, console: Console) -> None:
    """Print the samples of turns, and what broke, was lost and was paid."""
    samples = [one for one in report.samples if turn in (None, one.turn)]
    console.print(Text(safe_line(report.title) or "(no title)", "bold"), soft_wrap=True)
    if not samples:
        console.print("No request in this session has token counts.")
        return
    main = [one for one in samples if one.agent_run_id is None]
    shown = main or samples
    console.print(Text(_headline(report, shown), "dim"), soft_wrap=True)
    console.print()
    _print_samples(shown if turn is not None else last_of_turns(shown), report, console)
    _print_breaks([one for one in report.breaks if turn in (None, one.found.turn)], console)
    _print_compactions([one for one in report.compactions if turn in (None, one.turn)], console)
    if turn is None:
        _print_costs(report, console)


def last_of_turns(samples: Iterable[ContextSample]) -> list[ContextSample]:
    """Return the last request of each turn, and the last before each compaction."""
    found: dict[tuple[int | None, int], ContextSample] = {}
    for sample in samples:
        found[sample.turn, sample.epoch] = sample
    return list(found.values())


def _headline(report: ContextReport, samples: Sequence[ContextSample]) -> str:
    fullest = max(samples, key=lambda one: one.fullness)
    said = "" if fullest.is_window_known else " (assumed)"
    pieces = [
        report.session_id,
        plural(len(samples), "request"),
        f"at most {scaled(fullest.total)} of {scaled(fullest.window)} tokens{said}",
    ]
    if any(sample.is_estimated for sample in samples):
        error = report.estimate_error
        pieces.append("parts estimated from characters")
        if error is not None:
            pieces[-1] += f", median error {error:.0%}"
    return " · ".join(pieces)


def _print_samples(
    samples: Sequence[ContextSample], report: ContextReport, console: Console
) -> None:
    marks = choose_marks(console)
    parts = shown_parts(samples, part_names(report))
    columns = [
        Column[ContextSample]("turn", lambda one: str(one.turn or "-"), is_number=True),
        Column[ContextSample]("total", lambda one: scaled(one.total), is_number=True),
        Column[ContextSample]("full", lambda one: f"{one.fullness:.0%}", is_number=True),
        *(_part_column(part, rank) for rank, part in enumerate(parts)),
        Column[ContextSample]("", lambda one: _bar(one, marks), 12, widest=_BAR + 12),
    ]
    print_table(columns, samples, console)


def _part_column(part: str, rank: int) -> Column[ContextSample]:
    return Column[ContextSample](
        _SHORT[part], lambda one: scaled(one.tokens[part]), rank + 1, is_number=True
    )


def _bar(sample: ContextSample, marks: Marks) -> str:
    full = min(round(sample.fullness * _BAR), _BAR)
    near = f" {_NEAR}" if sample.fullness >= NEAR_LIMIT else ""
    return f"{marks.full * full}{near}"


def _print_breaks(breaks: Sequence[PricedBreak], console: Console) -> None:
    if not breaks:
        return
    cost = sum(one.cost_nano_usd or 0 for one in breaks)
    _print_title(f"{plural(len(breaks), 'cache break')}, {money(cost, 'exact')}", console)
    columns = [
        Column[PricedBreak]("turn", lambda one: str(one.found.turn or "-"), is_number=True),
        Column[PricedBreak]("cause", _cause, takes_rest=True),
        Column[PricedBreak]("model", lambda one: display_name(one.found.model), 3),
        Column[PricedBreak]("tokens", lambda one: scaled(one.found.tokens), 1, is_number=True),
        Column[PricedBreak]("cost", lambda one: money(one.cost_nano_usd, "exact"), is_number=True),
    ]
    print_table(columns, breaks, console)


def _cause(one: PricedBreak) -> str:
    found = one.found
    said = describe_cause(found.cause)
    if found.cause.startswith("pause_") and found.pause_ms is not None:
        said += f": {duration(found.pause_ms)}"
    return f"{said} (stated by the API)" if found.source == "api" else said


def _print_compactions(losses: Sequence[CompactionLoss], console: Console) -> None:
    for loss in losses:
        sizes = [scaled(size) for size in (loss.tokens_before, loss.tokens_after) if size]
        place = f"Compaction in turn {loss.turn}" if loss.turn else "Compaction"
        _print_title(": ".join(filter(None, (place, " to ".join(sizes)))), console)
        missing = f"{len(loss.lost_files)} of {plural(loss.files, 'file')}"
        unsaid = f"{len(loss.lost_prompts)} of {plural(loss.prompts, 'prompt')}"
        console.print(f"  not in the summary: {missing}, {unsaid}", soft_wrap=True)
        _print_names("    ", loss.lost_files, console)
        for prompt in loss.lost_prompts[:_MOST_NAMED]:
            first = safe_line(prompt.text.strip().partition("\n")[0])[:80]
            console.print(f"    turn {prompt.turn or '-'}: {first}", soft_wrap=True)
        if loss.read_again:
            console.print(f"  read again: {plural(len(loss.read_again), 'file')}", soft_wrap=True)
            _print_names("    ", loss.read_again, console)


def _print_names(indent: str, paths: Sequence[str], console: Console) -> None:
    width = max(console.width - len(indent), 20)
    for path in paths[:_MOST_NAMED]:
        console.print(f"{indent}{cut_front(safe_line(path), width)}", soft_wrap=True)
    if len(paths) > _MOST_NAMED:
        console.print(f"{indent}and {len(paths) - _MOST_NAMED} more")


def _print_costs(report: ContextReport, console: Console) -> None:
    names = part_names(report)
    parts = [one for one in report.parts if one.part in names and one.tokens]
    _print_title("Cost of the context, by part (all requests, without answers)", console)
    total = sum(one.cost_nano_usd for one in parts) or 1
    columns = [
        Column[PartCost]("part", lambda one: names[one.part], takes_rest=True),
        Column[PartCost]("tokens", lambda one: scaled(one.tokens), is_number=True),
        Column[PartCost]("share", lambda one: f"{one.cost_nano_usd / total:.0%}", is_number=True),
        Column[PartCost]("cost", lambda one: money(one.cost_nano_usd, "exact"), is_number=True),
    ]
    print_table(columns, sorted(parts, key=lambda one: -one.cost_nano_usd), console)
    if report.items:
        _print_items(report.items[:_FEW], names, console)


def _print_items(items: Sequence[ContextItem], names: dict[str, str], console: Console) -> None:
    _print_title("Most expensive to carry along", console)
    columns = [
        Column[ContextItem]("turn", lambda one: str(one.turn or "-"), is_number=True),
        Column[ContextItem]("what", lambda one: safe_line(one.label), takes_rest=True),
        Column[ContextItem]("part", lambda one: names.get(one.part, one.part), 3),
        Column[ContextItem]("", lambda one: "read again later" if one.read_again else "", 2),
        Column[ContextItem]("tokens", lambda one: scaled(one.tokens), 1, is_number=True),
        Column[ContextItem]("requests", lambda one: f"{one.requests:,}", 1, is_number=True),
        Column[ContextItem]("cost", lambda one: money(one.cost_nano_usd, "exact"), is_number=True),
    ]
    print_table(columns, items, console)


def _print_title(text: str, console: Console) -> None:
    console.print()
    console.print(Text(text, "bold"), soft_wrap=True)

"""The cost of a session: call by call, by model, and compared with the client's totals."""

import datetime as dt
from collections.abc import Iterator
from pathlib import PurePath
from typing import Final

import msgspec
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from clew.analytics import (
    Comparison,
    Counts,
    ExplainedCall,
    Explanation,
    Step,
    UsageRow,
    display_name,
)
from clew.cli.session_table import project_name
from clew.cli.table import Column, print_table
from clew.cli.usage_table import (
    Marks,
    choose_marks,
    headline,
    key_text,
    number_columns,
    wrapped,
)
from clew.clock import parse_time
from clew.conversation import is_inherited, is_lower_bound
from clew.render import safe_line

_INDENT: Final = "    "
_PER_MILLION: Final = 1_000_000
_PLUS: Final = " + "
_GAP: Final = "  "
_NO_LINE: Final = "no line"
_SEARCH: Final = "web search"


class _Side(msgspec.Struct, frozen=True):
    """One line of the comparison."""

    model: str
    whose: str
    counts: Counts


def print_explanation(explanation: Explanation, console: Console, zone: dt.tzinfo) -> None:
    """Print every call and its price, then the totals."""
    marks = choose_marks(console)
    name = safe_line(explanation.title) or "(no title)"
    place = project_name(explanation.project)
    console.print(Text(name, "bold"), soft_wrap=True)
    known = [explanation.session_id, safe_line(place), headline(explanation.totals, None, marks)]
    line = " · ".join(piece for piece in known if piece)
    console.print(Text(wrapped(line, console)), soft_wrap=True)
    console.print()
    for text, style in _call_lines(explanation, zone, marks):
        joint = _PLUS if style else _GAP
        console.print(Text(wrapped(text, console, joint, _INDENT), style), soft_wrap=True)
    console.print()
    _print_models(explanation, marks, console)
    if explanation.client is not None:
        console.print()
        _print_comparison(explanation.client, console)
    console.print()
    for note in [*explanation.notes, f"Prices as of {explanation.price_table.date}."]:
        console.print(Text(safe_line(note), "dim"))


def _call_lines(
    explanation: Explanation, zone: dt.tzinfo, marks: Marks
) -> Iterator[tuple[str, str]]:
    """Yield the lines of all calls; those of another session are summed up in one."""
    own = [call for call in explanation.calls if not is_inherited(call.quality)]
    inherited = len(explanation.calls) - len(own)
    if inherited:
        yield _inherited_text(inherited), ""
    for call in own:
        yield _head(call, zone, marks, f"{explanation.session_id}.jsonl"), ""
        yield f"{_INDENT}{_sum_text(call, marks)}", "dim"
        for note in [*call.rules, *call.flags]:
            yield f"{_INDENT}{safe_line(note)}", "dim"


def _inherited_text(count: int) -> str:
    if count == 1:
        return "1 call was made by another session and is counted there."
    return f"{count:,} calls were made by another session and are counted there."


def _head(call: ExplainedCall, zone: dt.tzinfo, marks: Marks, transcript: str) -> str:
    moment = parse_time(call.at)
    try:
        time = f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S}" if moment else "(no time)"
    except (OverflowError, ValueError, OSError):
        time = call.at
    who = display_name(call.model) + (" as advisor" if call.kind == "advisor" else "")
    least = f"{marks.at_least} " if is_lower_bound(call.quality) else ""
    cost = "unpriced" if call.cost_usd is None else f"{least}${call.cost_usd:.6f}"
    pieces = [time, who, call.agent, cost, _places(call, transcript)]
    return _GAP.join(safe_line(piece) for piece in pieces if piece)


def _places(call: ExplainedCall, transcript: str) -> str:
    """Format the lines of a call: of the session's own transcript, or of a file by name."""
    lines: dict[str, list[str]] = {}
    for place in call.lines:
        lines.setdefault(PurePath(place.file).name, []).append(str(place.line))
    texts = []
    for file, numbers in lines.items():
        own = "line" if len(numbers) == 1 else "lines"
        texts.append(f"{own if file == transcript else file} {','.join(numbers)}")
    return ", ".join(texts) or _NO_LINE


def _sum_text(call: ExplainedCall, marks: Marks) -> str:
    if call.price is None:
        return f"{call.input_tokens:,} input, {call.output_tokens:,} output, unknown price"
    return _PLUS.join(_step_text(step, marks) for step in call.steps) or "no tokens"


def _step_text(step: Step, marks: Marks) -> str:
    above, below = step.multiplier
    factor = f"{above}" if below == 1 else f"{above}/{below}"
    times = "" if above == below else f" {marks.times} {factor}"
    unit = f"${step.unit_price_usd * _PER_MILLION:g}/M"
    if step.what == _SEARCH:
        unit = f"${step.unit_price_usd:g}"
    return f"{step.count:,} {step.what} {marks.times} {unit}{times}"


def _print_models(explanation: Explanation, marks: Marks, console: Console) -> None:
    name = Column[UsageRow]("model", lambda row: key_text(row.key, "model"))
    columns = [name, *number_columns(explanation.models, marks)]
    print_table(columns, explanation.models, console, total=explanation.totals)


def _print_comparison(client: Comparison, console: Console) -> None:
    if client.is_equal:
        text = f"The client's own total is the same, to the micro-dollar: ${client.client_usd:.6f}."
        console.print(text, soft_wrap=True)
        return
    difference = client.difference_usd
    how = "more" if difference > 0 else "less"
    console.print(
        f"The client's own total is ${client.client_usd:.6f}: ${abs(difference):.6f} {how}.",
        soft_wrap=True,
    )
    for reason in client.reasons:
        console.print(Padding(reason.text, (0, 0, 0, len(_INDENT)), expand=False))
    console.print()
    sides = [
        _Side(own.model if whose == "ours" else "", whose, counts)
        for own in client.models
        for whose, counts in (
            ("ours", own.ours),
            ("client", own.client),
            ("difference", own.difference),
        )
    ]
    print_table(_SIDES, sides, console)


_SIDES: Final[list[Column[_Side]]] = [
    Column("model", lambda side: display_name(side.model)),
    Column("", lambda side: side.whose),
    Column("input", lambda side: f"{side.counts.input_tokens:,}", 4, is_number=True),
    Column("output", lambda side: f"{side.counts.output_tokens:,}", 1, is_number=True),
    Column("cache read", lambda side: f"{side.counts.cache_read_tokens:,}", 2, is_number=True),
    Column("5m write", lambda side: f"{side.counts.cache_write_5m_tokens:,}", 5, is_number=True),
    Column("1h write", lambda side: f"{side.counts.cache_write_1h_tokens:,}", 6, is_number=True),
    Column("cost", lambda side: _signed(side.counts.cost_usd), is_number=True),
]


def _signed(usd: float) -> str:
    return f"{'-' if usd < 0 else ''}${abs(usd):.6f}"

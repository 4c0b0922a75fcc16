"""The table of `clew usage`: totals, rows with bars, and notes."""

import datetime as dt
import re
from collections.abc import Sequence
from typing import Final

import msgspec
from rich.console import Console
from rich.text import Text

from clew.analytics import SessionLabel, UsageReport, UsageRow, display_name
from clew.cli.session_table import choose_sign, id_width, project_name
from clew.cli.session_table import cost as session_cost
from clew.cli.table import Column, print_table
from clew.cli.text import visible
from clew.render import plural, scaled

_BAR: Final = 16
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_TOTAL: Final = "total"
_BLOCK: Final = dt.timedelta(hours=5)
_LAST_DAY: Final = dt.timedelta(days=6)
_DOT: Final = " · "
_LEAST_NAME: Final = 20
_LEAST_TITLE: Final = 28
_WIDEST_NAME: Final = 36
_HASH: Final = re.compile("[0-9a-f]{7,64}")
_SHORT_HASH: Final = 10


class UsageContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a table shows besides the report: session titles, totals of the previous period."""

    labels: dict[str, SessionLabel] = {}
    before: UsageRow | None = None


class Marks(msgspec.Struct, frozen=True):
    """The characters that a terminal can show."""

    at_least: str = "≥"
    times: str = "\N{MULTIPLICATION SIGN}"
    full: str = "█"
    parts: str = _EIGHTHS


PLAIN: Final = Marks(">=", "x", "#", " ")


def print_usage(
    report: UsageReport, context: UsageContext, limit: int | None, console: Console
) -> None:
    """Print the headline, a line for each row, their total, and the notes."""
    marks = choose_marks(console)
    rows = report.rows[:limit]
    line = headline(report.totals, context.before, marks)
    console.print(Text(wrapped(line, console), "bold"), soft_wrap=True)
    console.print()
    columns = [*_key_columns(report.by, rows, context.labels), *number_columns(report.rows, marks)]
    print_table(columns, rows, console, total=report.totals)
    console.print()
    for note in [*report.notes, f"Prices as of {report.price_table.date}."]:
        console.print(Text(visible(note), "dim"))


def choose_marks(console: Console) -> Marks:
    """Return the characters of the console's encoding."""
    return PLAIN if choose_sign(console) == PLAIN.at_least else Marks()


def headline(totals: UsageRow, before: UsageRow | None, marks: Marks) -> str:
    """Format the most important numbers on one line, with their change."""
    then = before or UsageRow(key="")
    pieces = [
        cost(totals, marks) + _change(totals.cost_usd, then.cost_usd),
        f"{scaled(totals.total_tokens)} tokens{_change(totals.total_tokens, then.total_tokens)}",
        plural(totals.sessions, "session") + _change(totals.sessions, then.sessions),
        plural(totals.model_calls, "call") + _change(totals.model_calls, then.model_calls),
    ]
    rate = hits(totals)
    return _DOT.join([*pieces, f"{rate} cache hits"] if rate else pieces)


def wrapped(line: str, console: Console, joint: str = _DOT, hanging: str = "") -> str:
    """Break a line that is too long for a terminal, only between its pieces."""
    first, *rest = line.split(joint)
    lines = [first]
    for piece in rest:
        taken = len(lines[-1]) + 2 * len(joint) + len(piece)
        if console.is_terminal and taken > console.width:
            lines[-1] += joint.rstrip()
            lines.append(hanging + piece)
        else:
            lines[-1] += joint + piece
    return "\n".join(lines)


def cost(row: UsageRow, marks: Marks) -> str:
    """Format a cost with the sign of its quality."""
    return session_cost(row.cost_usd, row.quality, marks.at_least)


def hits(row: UsageRow) -> str:
    """Format the share of input tokens that were read from the cache."""
    written = row.cache_write_5m_tokens + row.cache_write_1h_tokens
    read = row.input_tokens + row.cache_read_tokens + written
    return f"{row.cache_read_tokens / read:.0%}" if read else ""


def bar(share: float, marks: Marks) -> str:
    """Draw a bar, to an eighth of a character where the terminal can."""
    parts = round(share * _BAR * len(marks.parts))
    full, part = divmod(parts, len(marks.parts))
    return (marks.full * full + marks.parts[part]).rstrip()


def key_text(key: str, by: str) -> str:
    """Format the key of a row."""
    match by:
        case "model":
            return display_name(key)
        case "agent":
            return key.replace("_", " ")
        case "day" | "week" | "block":
            try:
                return _time_text(key, by)
            except (ValueError, OverflowError):
                return key
        case _:
            return key


def number_columns(rows: Sequence[UsageRow], marks: Marks) -> list[Column[UsageRow]]:
    """Return the number columns, with bars for the cost, or for tokens if there is none."""
    is_priced = any(row.cost_usd for row in rows)
    sizes = {row.key: (row.cost_usd or 0) if is_priced else row.total_tokens for row in rows}
    most = max(sizes.values(), default=0) or 1
    return [
        Column("calls", lambda row: f"{row.model_calls:,}", 4, is_number=True),
        Column("input", lambda row: scaled(row.input_tokens), 6, is_number=True),
        Column("output", lambda row: scaled(row.output_tokens), 3, is_number=True),
        Column("cache read", lambda row: scaled(row.cache_read_tokens), 7, is_number=True),
        Column("cache write", _written, 8, is_number=True),
        Column("hits", hits, 2, is_number=True),
        Column("cost", lambda row: cost(row, marks), is_number=True),
        Column("", lambda row: bar(sizes.get(row.key, 0) / most, marks), 5),
    ]


def _time_text(key: str, by: str) -> str:
    start = dt.datetime.fromisoformat(key)
    if by == "day":
        return f"{key} {start:%a}"
    if by == "week":
        return f"{key} to {start + _LAST_DAY:%m-%d}"
    return f"{start:%Y-%m-%d %H:%M} to {start + _BLOCK:%H:%M}"


def _change(now: float | None, then: float | None) -> str:
    if not now or not then:
        return ""
    return f" ({now / then - 1:+.0%})"


def _key_columns(
    by: str, rows: Sequence[UsageRow], labels: dict[str, SessionLabel]
) -> list[Column[UsageRow]]:
    if by == "session":
        return _session_columns(rows, labels)
    is_path = by == "project"

    def text(row: UsageRow) -> str:
        return _TOTAL if row.key == _TOTAL else key_text(row.key, by)

    if by == "commit":
        return _commit_columns()
    least = _LEAST_NAME if is_path else 0
    width = _WIDEST_NAME
    return [
        Column(by, text, takes_rest=is_path, is_path=is_path, least=least, widest=width),
        Column("sessions", lambda row: f"{row.sessions:,}", 9, is_number=True),
    ]


def _commit_columns() -> list[Column[UsageRow]]:
    def name(row: UsageRow) -> str:
        is_hash = _HASH.fullmatch(row.key) is not None
        return row.key[:_SHORT_HASH] if is_hash else _TOTAL if row.key == _TOTAL else ""

    def subject(row: UsageRow) -> str:
        # Git was quiet about commits that only have a subject.
        own = "" if name(row) else row.key
        return row.label if isinstance(row.label, str) else own

    return [
        Column("commit", name),
        Column("subject", subject, 1, takes_rest=True, least=_LEAST_TITLE),
        Column("sessions", lambda row: f"{row.sessions:,}", 9, is_number=True),
    ]


def _session_columns(
    rows: Sequence[UsageRow], labels: dict[str, SessionLabel]
) -> list[Column[UsageRow]]:
    width = id_width(row.key for row in rows)
    none = SessionLabel("", "")

    def title(row: UsageRow) -> str:
        return labels.get(row.key, none).title or ("" if row.key == _TOTAL else "(no title)")

    return [
        Column("session", lambda row: row.key[:width]),
        Column("title", title, 1, takes_rest=True, least=_LEAST_TITLE),
        Column("project", lambda row: project_name(labels.get(row.key, none).project), 7),
    ]


def _written(row: UsageRow) -> str:
    return scaled(row.cache_write_5m_tokens + row.cache_write_1h_tokens)

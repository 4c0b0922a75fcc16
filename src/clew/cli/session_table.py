"""The table of sessions, and formats of cells that other tables use too."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Final

from rich.console import Console

from clew.analytics import display_name, find_checkout
from clew.cli.table import Column, print_table
from clew.clock import parse_time
from clew.render import duration, money, scaled, waiting_time
from clew.store import SessionOverview

_SHORT_ID: Final = 8
_LONGEST: Final = 60
_NANO: Final = 1_000_000_000


def print_sessions(sessions: Sequence[SessionOverview], console: Console, now: dt.datetime) -> None:
    """Print a line for each session."""
    print_table(_columns(sessions, now, choose_sign(console)), sessions, console)


def when(time: str | None, now: dt.datetime) -> str:
    """Format a time: with its hour if it is of this year, else with its year."""
    parsed = None if time is None else parse_time(time)
    if parsed is None:
        return ""
    local = parsed.astimezone(now.tzinfo)
    day = f"{local.day:>2} {local:%b}"
    return f"{day} {local:%H:%M}" if local.year == now.year else f"{day} {local.year}"


def id_width(ids: Iterable[str]) -> int:
    """Return the length at which the ids are unique."""
    known = set(ids)
    widths = range(_SHORT_ID, max(map(len, known), default=0) + 1)
    return next((n for n in widths if len({name[:n] for name in known}) == len(known)), _SHORT_ID)


def project_name(path: str) -> str:
    """Return the short name of a project: its folder's, behind its repository's for a worktree."""
    return find_checkout(path).label


def model_names(models: Iterable[str]) -> str:
    """Format the display names of models, without duplicates."""
    return ", ".join(dict.fromkeys(map(display_name, models)))


def choose_sign(console: Console) -> str:
    """Return the sign of a lower bound in the console's encoding."""
    return "≥" if (console.encoding or "").lower().startswith("utf") else ">="


def cost(usd: float | None, quality: str, sign: str = "≥") -> str:
    """Format a cost, with the sign of its quality."""
    return money(None if usd is None else round(usd * _NANO), quality, sign)


def _columns(
    sessions: Sequence[SessionOverview], now: dt.datetime, sign: str
) -> list[Column[SessionOverview]]:
    width = id_width(session.id for session in sessions)
    columns: list[Column[SessionOverview]] = [
        Column("id", lambda session: session.id[:width]),
        Column("when", lambda session: when(session.ended_at, now), is_number=True),
        Column("title", _title, takes_rest=True),
        Column("outcome", lambda session: session.outcome, 9),
        Column("project", lambda session: project_name(session.project), 3),
        Column("branch", _branch, 8),
        Column("models", lambda session: model_names(session.models), 7),
        Column("messages", lambda session: f"{session.messages:,}", 6, is_number=True),
        Column("calls", lambda session: f"{session.tool_calls:,}", 5, is_number=True),
        Column("tokens", lambda session: scaled(session.total_tokens), 2, is_number=True),
        Column("cost", lambda session: _cost(session, sign), 1, is_number=True),
        Column("duration", lambda session: duration(session.duration_ms), 4, is_number=True),
        Column("description", lambda session: session.description, 10, widest=_LONGEST),
    ]
    if any(session.tags for session in sessions):
        columns.insert(3, Column("tags", lambda session: ", ".join(session.tags), 8))
    if any(map(_waited, sessions)):
        columns.append(Column("waited", _waited, 9, is_number=True))
    return columns


def _waited(session: SessionOverview) -> str:
    return waiting_time(session.waiting_ms, session.waiting_quality).removeprefix("waited ")


def _title(session: SessionOverview) -> str:
    title = session.title or "(no title)"
    named = title if session.has_transcript else f"(transcript missing) {title}"
    return f"* {named}" if session.is_starred else named


def _branch(session: SessionOverview) -> str:
    # Where no branch is checked out, the client writes HEAD for its name.
    return "" if session.git_branch in (None, "HEAD") else session.git_branch or ""


def _cost(session: SessionOverview, sign: str) -> str:
    return cost(session.cost_usd, session.usage.quality, sign)

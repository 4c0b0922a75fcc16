"""`clew` without a command: recent sessions, and what to try next."""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console
from rich.text import Text

from clew.archive import Archive, Order, default_roots
from clew.cli.output import make_console
from clew.cli.refresh import answer_archive
from clew.cli.search_paths import DEFAULT_PATHS
from clew.cli.session_table import choose_sign, cost, id_width, print_sessions
from clew.cli.text import visible
from clew.errors import NotFoundError
from clew.figures import plural
from clew.render import scaled
from clew.store import OnProgress, RecentUsage, SessionOverview

if TYPE_CHECKING:
    from clew.preview import ArchivePreview

_RECENT: Final = 10
_GAP: Final = "  "
_WEEK: Final = dt.timedelta(days=7)


def print_overview(now: dt.datetime, *, is_demo: bool) -> None:
    """Archive new transcripts and print a short overview, in the order that shows it sooner."""
    program = "clew --demo" if is_demo else "clew"

    def fill(preview: "ArchivePreview", on_progress: OnProgress) -> None:
        preview.add_newest(Order(limit=_RECENT), on_progress)

    try:
        with answer_archive((), fill, no_sync=False) as archive:
            _print(archive, make_console(), now, program)
    except NotFoundError:
        _offer_samples(default_roots())


def _print(archive: Archive, console: Console, now: dt.datetime, program: str) -> None:
    sessions = list(archive.sessions(order=Order(limit=_RECENT)))
    console.print(_summary(archive, now, choose_sign(console)))
    console.print()
    print_sessions(sessions, console, now)
    console.print()
    _print_steps(_next_steps(sessions, program), console)


def _summary(archive: Archive, now: dt.datetime, sign: str) -> str:
    """Summarise all sessions; before they are archived, only their number is known."""
    if not archive.is_complete:
        return f"{plural(archive.count('sessions'), 'session')}, not all archived yet"
    return _header(archive.recent(now - _WEEK), sign)


def _offer_samples(paths: Sequence[Path]) -> None:
    searched = ", ".join(visible(str(path)) for path in paths) or DEFAULT_PATHS
    click.echo(f"No Claude Code transcripts found in {searched}.")
    click.echo()
    steps = [
        ("clew --demo", "try clew with sample sessions"),
        ("clew sync --root DIR", "archive transcripts in another directory"),
    ]
    _print_steps(steps, make_console())


def _print_steps(steps: Sequence[tuple[str, str]], console: Console) -> None:
    width = max(len(words) for words, _ in steps)
    whole = max(len(does) for _, does in steps) + width + len(_GAP) * 2
    is_narrow = console.is_terminal and whole > console.width
    for words, does in steps:
        front = f"{words}\n{_GAP * 2}" if is_narrow else f"{words:<{width}}{_GAP}"
        console.print(Text(_GAP + front).append(does, "dim"), soft_wrap=True)


def _header(recent: RecentUsage, sign: str) -> str:
    total = f"{plural(recent.sessions, 'session')} in {plural(recent.projects, 'project')}"
    if not recent.model_calls:
        return f"{total} · last 7 days: no activity"
    return f"{total} · last 7 days: {scaled(recent.total_tokens)} tokens, {_spent(recent, sign)}"


def _spent(recent: RecentUsage, sign: str) -> str:
    """Format the estimated cost."""
    if recent.unpriced_calls >= recent.model_calls:
        return "unpriced"
    spent = cost(recent.cost_usd, recent.quality, sign)
    return f"{f'≈ {spent}' if spent.startswith('$') else spent} at API prices"


def _next_steps(sessions: Sequence[SessionOverview], program: str) -> list[tuple[str, str]]:
    width = id_width(session.id for session in sessions)
    name = sessions[0].id[:width] if sessions else "latest"
    return [
        (f"{program} show {name}", "show the latest session"),
        (f'{program} search "retry"', "search all sessions"),
        (f"{program} usage", "show tokens and cost by day"),
        (f"{program} list files --path app.py", "list sessions that read or changed a file"),
        ("clew --help", "list all commands"),
    ]

"""Lessons on the terminal."""

from collections.abc import Iterator
from typing import Final

import click
from rich.console import Console
from rich.text import Text

from clew.cli.session_table import id_width
from clew.cli.text import visible
from clew.figures import plural
from clew.insight import DECIDERS, Lesson, LessonReport

_SESSIONS: Final = 5
_INDENT: Final = "  "


def print_lessons(report: LessonReport, limit: int, console: Console) -> None:
    """Print each lesson with its rule, and how much of what went wrong they cover."""
    if not report.lessons:
        click.echo(_nothing(report), err=True)
        return
    for lesson in report.lessons[: limit or None]:
        _print(lesson, console)
    if limit and len(report.lessons) > limit:
        click.echo(f"Showing {limit:,} of {len(report.lessons):,} (`--limit 0` for all)", err=True)
    click.echo(_coverage(report), err=True)


def _nothing(report: LessonReport) -> str:
    if not report.failures and not report.denials:
        return "No failed or refused calls match these filters."
    wrong = " and ".join(_wrong(report))
    return f"{wrong}, but none of them in enough sessions; try --min-sessions 2."


def _wrong(report: LessonReport) -> Iterator[str]:
    if report.failures:
        yield plural(report.failures, "failed call")
    if report.denials:
        yield plural(report.denials, "refused call")


def _coverage(report: LessonReport) -> str:
    return (
        f"{report.covered_failures:,} of {plural(report.failures, 'failed call')} and "
        f"{report.covered_denials:,} of {plural(report.denials, 'refused call')} are covered"
    )


def _print(lesson: Lesson, console: Console) -> None:
    what = f"{lesson.tool} {lesson.command}".strip()
    console.print(Text(visible(f"{what}: {_text(lesson)}"), "bold"), soft_wrap=True)
    console.print(Text(f"{_INDENT}{', '.join(_figures(lesson))}", "dim"), soft_wrap=True)
    console.print(Text(f"{_INDENT}sessions {_sessions(lesson)}", "dim"), soft_wrap=True)
    console.print(Text(f"{_INDENT}→ {visible(lesson.rule)}"), soft_wrap=True)
    console.print()


def _text(lesson: Lesson) -> str:
    by = DECIDERS.get(lesson.decided_by, lesson.decided_by)
    return f"{lesson.text} by {by}" if lesson.kind == "denial" and by else lesson.text


def _figures(lesson: Lesson) -> Iterator[str]:
    yield plural(lesson.sessions, "session")
    yield plural(lesson.calls, "call")
    yield f"at most ${lesson.cost_usd:,.2f}"
    if lesson.loops:
        where = plural(lesson.loops, "loop")
        yield f"{where} (the same call up to {lesson.longest_loop:,} times)"


def _sessions(lesson: Lesson) -> str:
    ids = list(dict.fromkeys(call.session_id for call in lesson.examples))
    width = id_width(ids)
    more = f" and {len(ids) - _SESSIONS:,} more" if len(ids) > _SESSIONS else ""
    return visible(", ".join(name[:width] for name in ids[:_SESSIONS])) + more

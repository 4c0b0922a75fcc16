"""Front matter, the facts of a session, and headings of turns."""

import datetime as dt
import json
from collections.abc import Iterable, Iterator
from typing import Final

from clew.analytics import find_checkout
from clew.clock import parse_time
from clew.render.formatting import (
    UNTITLED,
    clock_time,
    cost,
    cost_estimate,
    day,
    duration,
    local_time,
    plural,
    scaled,
    waiting_time,
)
from clew.render.markdown.digest import digest_line
from clew.render.markdown.inline import inline
from clew.render.markdown.options import MarkdownContext
from clew.render.safe import safe_line
from clew.view.page import Header, TurnView, UsageView

_TAG: Final = "claude-code"
_LONGEST_TITLE: Final = 120
_NANO: Final = 1_000_000_000
_TOOLS: Final = 40


def front_matter(header: Header) -> str:
    """Write the facts as YAML, for notes apps and scripts; cost is an estimate at API prices."""
    return "\n".join(("---", *_properties(header), "---"))


def title_line(header: Header) -> str:
    """Write the title of the page."""
    return f"# {inline(header.title) or UNTITLED}"


def fact_lines(header: Header, context: MarkdownContext) -> str:
    """Write the facts of the session in a line or two, and below them what is missing."""
    at = local_time(header.started_at, context.options.zone)
    facts = (
        find_checkout(header.project).label,
        header.git_branch,
        ", ".join(header.models),
        f"{day(at)} {clock_time(at)}",
        duration(header.duration_ms) if header.duration_ms else "",
        waiting_time(header.waiting_ms, header.waiting_quality),
        plural(header.calls, "call") if header.calls else "",
        plural(header.errors, "error") if header.errors else "",
        plural(header.agent_runs, "agent run") if header.agent_runs else "",
        f"{scaled(_all_tokens(header.spent))} tokens" if _all_tokens(header.spent) else "",
        cost_estimate(header.spent, header.unpriced_models),
    )
    lines = [" · ".join(filter(None, map(inline, facts)))]
    if header.notice:
        lines.append(f"**{inline(header.notice)}**")
    if header.digest is not None:
        lines.append(digest_line(header.digest))
    return "\n\n".join(filter(None, lines))


def turn_heading(turn: TurnView, context: MarkdownContext) -> Iterator[str]:
    """Write the heading of a turn, and what the turn took."""
    if not turn.index:
        return
    level = "#" * max(context.level - 1, 2)
    yield f"{level} {turn.index} · {inline(_cut(turn.title)) or '(no text)'}"
    facts = (
        when(turn.started_at, context),
        plural(turn.calls, "call") if turn.calls else "",
        plural(turn.errors, "error") if turn.errors else "",
        duration(turn.duration_ms) if turn.duration_ms else "",
        cost(turn.spent),
    )
    line = " · ".join(filter(None, map(inline, facts)))
    if line:
        yield f"*{line}*"


def outline(turns: Iterable[TurnView]) -> list[str]:
    """Write one line for each prompt."""
    return [f"- {turn.index} · {inline(_cut(turn.title))}" for turn in turns if turn.index]


def when(time: str, context: MarkdownContext) -> str:
    """Write a time of day; with its day, where that is not the session's first."""
    at = local_time(time, context.options.zone)
    today = day(at)
    return f"{today} {clock_time(at)}" if today != context.first_day else clock_time(at)


def _properties(header: Header) -> Iterator[str]:
    yield f"title: {_quoted(header.title or UNTITLED)}"
    yield f"session: {_quoted(header.id)}"
    for name, text in (("project", header.cwd or header.project), ("branch", header.git_branch)):
        if text:
            yield f"{name}: {_quoted(text)}"
    yield from _list("models", header.models)
    yield from _time("started", header.started_at)
    yield from _time("ended", header.ended_at)
    yield f"tokens: {_all_tokens(header.spent)}"
    if header.spent.cost_nano_usd is not None:
        yield f"cost_usd: {_decimal(header.spent.cost_nano_usd)} # estimate at API prices"
    if header.spent.quality != "exact":
        yield f"cost_quality: {header.spent.quality}"
    if header.digest is not None:
        yield f"outcome: {header.digest.outcome}"
        yield f"description: {_quoted(header.digest.description)}"
    yield from _list("tools", [name for name, _count in header.tools[:_TOOLS]])
    if header.note is not None and header.note.is_starred:
        yield "starred: true"
    own = () if header.note is None else header.note.tags
    yield from _list("tags", [_TAG, *own])


def _list(name: str, texts: Iterable[str]) -> Iterator[str]:
    items = [f"  - {_quoted(text)}" for text in texts if text]
    if items:
        yield "\n".join((f"{name}:", *items))


def _time(name: str, time: str) -> Iterator[str]:
    parsed = parse_time(time)
    if parsed is not None:
        yield f"{name}: {parsed.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%S}Z"


def _quoted(text: str) -> str:
    """Write a text as YAML reads it back: a string of JSON is one of YAML."""
    return json.dumps(safe_line(text), ensure_ascii=False)


def _decimal(nano_dollars: int) -> str:
    whole, rest = divmod(nano_dollars, _NANO)
    digits = f"{rest:09}".rstrip("0")
    return f"{whole}.{digits or '0'}"


def _all_tokens(spent: UsageView) -> int:
    return spent.given_tokens + spent.written_tokens


def _cut(text: str) -> str:
    line = safe_line(text)
    return line if len(line) <= _LONGEST_TITLE else f"{line[: _LONGEST_TITLE - 1]}…"

"""The line of facts below a title: every number leads to what it counts."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlencode

import msgspec

from clew.clock import LocalZone, parse_time
from clew.render.formatting import cost, duration, plural, scaled, waiting_time
from clew.render.html.escaping import anchor, in_url
from clew.render.html.formatting import day_and_clock, tokens, usage_details, utc
from clew.render.html.options import AppLinks, HtmlOptions
from clew.view import FrameView, Header

_ALL_EDITS: Final = "Lines added and removed by all edits; the page Changes shows the net change"
_TURNS: Final = "A turn begins with a prompt, or with a command that the model answers"


class Fact(msgspec.Struct, frozen=True):
    """One fact, and where it leads; `action` is what scripts do instead."""

    text: str
    exact: str = ""
    datetime: str = ""
    tone: str = ""
    url: str = ""
    action: str = ""


class ToolTally(msgspec.Struct, frozen=True):
    """How often a tool was called, and the address of these calls alone."""

    name: str
    calls: int
    url: str


def make_facts(frame: FrameView, options: HtmlOptions) -> list[Fact]:
    """Return the facts of a session or of a run."""
    app = options.app
    facts = [
        *(_listed(frame.header, app)),
        *(_counted(frame, app)),
        *(_spent(frame.header, app)),
    ]
    return [fact for fact in facts if fact.text]


def tool_tallies(header: Header, options: HtmlOptions) -> list[ToolTally]:
    """Return how often each tool was called; each leads to the page with its calls alone."""
    own = _own(header, options.app)
    return [
        ToolTally(name, number, "" if own is None else f"{own}?{urlencode({'tool': name})}")
        for name, number in header.tools
    ]


def _listed(header: Header, app: AppLinks | None) -> Iterator[Fact]:
    """Yield what other sessions may have in common with this one: they lead to the list."""
    yield Fact(
        header.git_branch,
        "Git branch",
        url=_sessions(app, project=header.project, branch=header.git_branch),
    )
    for model in header.models:
        yield Fact(model, "Model", url=_sessions(app, model=model))
    day = _local_day(header.started_at)
    yield Fact(
        day_and_clock(header.started_at),
        datetime=utc(header.started_at),
        url=_sessions(app, since=day, until=day),
    )


def _counted(frame: FrameView, app: AppLinks | None) -> Iterator[Fact]:
    header, own = frame.header, _own(frame.header, app)
    session = "" if app is None else app.session
    spans = "Total time, and active time without long pauses"
    yield Fact(_time(header), spans, url=f"{session}/timeline" if session else "")
    prompts = "" if own is None else f"{own}?detail=prompts"
    yield Fact(*_prompts_and_turns(frame), url=prompts)
    # Scripts open the filters, where a tool can be chosen.
    calls = "#menu" if own is None else f"{own}?detail=tools"
    yield Fact(_count(header.calls, "call"), url=calls, action="tools")
    yield Fact(_count(header.agent_runs, "agent run"), url=f"{session}/agents" if session else "")
    lines = _ALL_EDITS if header.files else ""
    yield Fact(changed_lines(header), lines, url=f"{session}/changes" if session else "")
    # Errors that no message of the main thread has are those of agent runs.
    errors = _first_error(frame) or (f"{session}/agents" if session else "")
    yield Fact(_count(header.errors, "error"), tone="bad", url=errors)


def _spent(header: Header, app: AppLinks | None) -> Iterator[Fact]:
    spent = header.spent
    context = "" if app is None else f"{app.session}/context"
    if context and header.agent:
        context = f"{context}?run={in_url(header.id)}"
    text = f"{scaled(tokens(spent))} tokens" if tokens(spent) else ""
    yield Fact(text, usage_details(spent), url=context)
    yield Fact(cost(spent), "Estimated from list prices", url=context)


def _local_day(at: str) -> str:
    """Return the day of a moment as lists count days: in the zone of this machine."""
    moment = parse_time(at)
    return "" if moment is None else f"{moment.astimezone(LocalZone()):%Y-%m-%d}"


def _own(header: Header, app: AppLinks | None) -> str | None:
    """Return the address of the page itself, which is empty for a run; a file has none."""
    if app is None:
        return None
    return "" if header.agent else app.session


def _sessions(app: AppLinks | None, **filters: str) -> str:
    given = {name: value for name, value in filters.items() if value}
    return f"{app.sessions}?{urlencode(given)}" if app is not None and given else ""


def _prompts_and_turns(frame: FrameView) -> tuple[str, str]:
    """Count prompts, and the turns of the outline where these are others, and say why."""
    prompts = frame.header.prompts
    turns = sum(turn.index > 0 for turn in frame.turns)
    text = _count(prompts, "prompt")
    if not text or turns in (0, prompts):
        return text, ""
    return f"{text}, {plural(turns, 'turn')}", _TURNS


def _first_error(frame: FrameView) -> str:
    """Return the place of the first message with an error."""
    found = next((mark for mark in frame.marks if mark.tone == "bad" and mark.kind != "gap"), None)
    return "" if found is None else f"#{anchor('m', found.id)}"


def _time(header: Header) -> str:
    if not header.duration_ms:
        return ""
    whole, active = duration(header.duration_ms), duration(header.active_ms)
    shown = f"{active} active" if header.active_ms and active != whole else ""
    waited = waiting_time(header.waiting_ms, header.waiting_quality)
    return ", ".join(filter(None, (whole, shown, waited)))


def changed_lines(header: Header) -> str:
    """Write how many files a session changed, and how many lines of them."""
    if not header.files:
        return ""
    added = sum(file.added for file in header.files)
    removed = sum(file.removed for file in header.files)
    least = "≥ " if any(file.is_lower_bound for file in header.files) else ""
    return f"{plural(len(header.files), 'file')} {least}+{added:,} \u2212{removed:,}"


def _count(number: int, noun: str) -> str:
    return plural(number, noun) if number else ""

"""Tool calls and agent runs → markup: one line each, until they are opened."""

from typing import Final, Protocol

from clew.conversation import MISSING
from clew.render.formatting import cost, duration, plural, waiting_time
from clew.render.html.escaping import anchor, escape, escape_value, tag, tint
from clew.render.html.formatting import draw_changes, size
from clew.render.html.marks import AT_LEAST
from clew.render.html.options import HtmlOptions
from clew.render.html.parts import draw_parts
from clew.view import CallView, Parallel, RunView


class DrawRun(Protocol):
    """Draws an agent run that a call started, as a page has it."""

    options: HtmlOptions

    def __call__(self, run: RunView, /) -> str:
        """Return the markup of a run."""


# How an agent is called where nothing is known of it.
_ANY_AGENT: Final = "agent"
# The end of such a run is unknown; a missing transcript has its own label.
_NO_STATE: Final = ("", "unknown", MISSING)
_WAITS: Final = {
    "measured": "Waited for a person",
    "at_most": "Waited for a person; its own time is included, or that of calls beside it",
    "inferred": "Probably waited for a person; the transcript does not say so",
}
_NO_TRANSCRIPT: Final = "transcript missing"
_RUN_WORDS: Final = {
    "workflow": "Workflow",
    "teammate": "Teammate",
    "compaction": "Compaction",
    "warmup": "Warm-up",
    "suggestion": "Suggestion",
    "side_question": "Side question",
}


def draw_call(call: CallView, draw_run: DrawRun) -> str:
    """Draw a tool call with the agent runs that it started, and below it what a person said."""
    error, tone = ("error", " data-error") if call.is_error else ("", "")
    classes = " ".join(filter(None, ("tool-call", error, call.tone)))
    changes = draw_changes(call.added, call.removed, is_lower_bound=call.is_lower_bound)
    label = f"{_label(call.label)} {changes}" if changes else _label(call.label)
    line = _line(call.verb, label, _call_end(call))
    inside = draw_parts(call.parts, call.label)
    if call.runs:
        inside += "".join(map(draw_run, call.runs))
    drawn = (
        f'<details class="{classes}" id="{anchor("c", call.id)}" data-part="call"'
        f' data-tool="{escape_value(call.tool)}" data-level="3"{tone}>\n'
        f'<summary>{line}</summary>\n<div class="inside">{inside}</div></details>'
    )
    if len(call.runs) == 1:
        drawn = _with_own_page(drawn, call.runs[0], draw_run.options, level=3)
    return f"{drawn}{_reply(call.reply) if call.reply else ''}"


def draw_parallel(parallel: Parallel, draw_run: DrawRun) -> str:
    """Draw calls that were made at once, under one bracket."""
    calls = "".join([draw_call(call, draw_run) for call in parallel.calls])
    said = f"{len(parallel.calls)} parallel calls"
    return (
        '<div class="parallel" data-part="parallel" data-level="3"'
        f' role="group" aria-label="{said}">{calls}</div>'
    )


def draw_run(run: RunView, items: str, options: HtmlOptions) -> str:
    """Draw an agent run around its items; one that is shown elsewhere as a link to there."""
    names = (run.agent if run.agent != _ANY_AGENT else "", run.title)
    label = ": ".join(text for text in names if text) or run.agent or run.id
    verb = _RUN_WORDS.get(run.kind, "Agent run")
    # A run without a transcript may still have messages, rebuilt from progress.
    if run.is_linked or not (run.has_transcript or run.messages):
        line = _line(verb, _link(run, label, options), _run_end(run))
        return f'<p class="agent-run linked" data-level="3">{line}</p>'
    classes = " ".join(filter(None, ("agent-run", tint(run.color), run.tone)))
    line = _line(verb, _label(label), _run_end(run))
    level = 4 if run.is_hidden else 3
    drawn = (
        f'<details class="{classes}" id="{anchor("r", run.id)}" data-level="{level}">\n'
        f'<summary>{line}</summary>\n<div class="inside">{items}</div></details>'
    )
    return _with_own_page(drawn, run, options, level)


def _line(verb: str, label: str, end: list[str]) -> str:
    """Write the one line: verb, what it acts on, and figures at its end."""
    words = f'<span class="verb"><bdi>{escape(verb)}</bdi></span> {label}'
    return f'{words} <span class="end">{" ".join(end)}</span>'


def _label(label: str) -> str:
    return f'<span class="label"><bdi>{escape(label)}</bdi></span>'


def _link(run: RunView, label: str, options: HtmlOptions) -> str:
    if not run.is_linked:
        return _label(label)
    url = escape_value(options.run_url(run.id))
    return f'<a class="label" href="{url}"><bdi>{escape(label)}</bdi></a>'


def _with_own_page(drawn: str, run: RunView, options: HtmlOptions, level: int) -> str:
    """Add a link to the run's page, if it has one: beside the fold, as a summary is a control."""
    if not options.run_prefix:
        return drawn
    url = escape_value(options.run_url(run.id))
    link = f'<a class="own-page" href="{url}" aria-label="Open this run on its own page">Open</a>'
    return f'<div class="called" data-part="called" data-level="{level}">{link}{drawn}</div>'


def _call_end(call: CallView) -> list[str]:
    end = [f'<span class="state"><bdi>{escape(call.state)}</bdi></span>'] if call.state else []
    if len(call.runs) == 1:
        end += _run_figures(call.runs[0])
        if not call.runs[0].has_transcript:
            end.append(tag("span", "state", _NO_TRANSCRIPT))
    end += _times(call)
    if call.size_bytes:
        end.append(tag("span", "size", size(call.size_bytes)))
    return end


def _times(call: CallView) -> list[str]:
    """Write how long a call took, and how long it waited for a person."""
    waited = waiting_time(call.waiting_ms, call.waiting_quality)
    took = call.took_ms if waited else call.duration_ms
    found = [] if took is None or (waited and not took) else [tag("span", "time", duration(took))]
    if waited:
        why = _WAITS.get(call.waiting_quality, "")
        title = f' title="{escape_value(why)}"' if why else ""
        found.append(f'<span class="time waited"{title}>{escape(waited)}</span>')
    return found


def _run_end(run: RunView) -> list[str]:
    end = []
    if run.status not in _NO_STATE:
        classes = f"state {run.tone}" if run.tone else "state"
        end.append(tag("span", classes, f"<bdi>{escape(run.status)}</bdi>"))
    if run.messages and not run.is_linked:
        end.append(tag("span", "calls", plural(run.messages, "message")))
    end += _run_figures(run)
    if run.duration_ms is not None:
        end.append(tag("span", "time", duration(run.duration_ms)))
    if not run.has_transcript:
        end.append(tag("span", "state", _NO_TRANSCRIPT))
    return end


def _run_figures(run: RunView) -> list[str]:
    figures = [tag("span", "calls", plural(run.calls, "call"))] if run.calls else []
    money = cost(run.spent)
    least = f' title="{AT_LEAST}"' if money.startswith("≥") else ""
    return [*figures, f'<span class="cost"{least}>{escape(money)}</span>'] if money else figures


def _reply(text: str) -> str:
    words = f'<div class="words" data-part="words"><pre class="text">\n{escape(text)}</pre></div>'
    said = '<p class="note quiet">You said</p>'
    return f'<div class="reply" data-level="3">{said}{words}</div>'

"""Tool calls and agent runs, one line each: what was done to what, and what it took."""

from collections.abc import Iterable, Iterator
from typing import Final

from clew.render.formatting import (
    call_size,
    call_time,
    cost,
    cost_of_all,
    duration,
    plural,
)
from clew.render.markdown.inline import as_html, code_span, inline
from clew.view.page import CallView, RunView

_LONGEST: Final = 300
_AGENT: Final = "agent run"
NO_TRANSCRIPT: Final = "transcript missing"


def call_line(call: CallView) -> str:
    """Write a call as a line of Markdown: `**Bash** command — exit 1, 12.4 s`."""
    facts = map(inline, _call_facts(call))
    return _line(f"**{inline(call.verb)}**", code_span(_cut(call.label)), facts)


def call_summary(call: CallView) -> str:
    """Write a call as the line of a fold."""
    label = as_html(_cut(call.label))
    facts = map(as_html, _call_facts(call))
    return _line(f"<b>{as_html(call.verb)}</b>", f"<code>{label}</code>" if label else "", facts)


def run_line(run: RunView) -> str:
    """Write an agent run as a line of Markdown."""
    facts = map(inline, _run_facts(run))
    return _line(f"**{inline(run.agent) or _AGENT}**", inline(_cut(run.title)), facts)


def run_summary(run: RunView) -> str:
    """Write an agent run as the line of a fold."""
    facts = map(as_html, _run_facts(run))
    return _line(f"<b>{as_html(run.agent) or _AGENT}</b>", as_html(_cut(run.title)), facts)


def _line(name: str, words: str, facts: Iterable[str]) -> str:
    line = " ".join(filter(None, (name, words)))
    return " — ".join(filter(None, (line, ", ".join(filter(None, facts)))))


def _call_facts(call: CallView) -> Iterator[str]:
    if call.added is not None or call.removed is not None:
        least = "≥ " if call.is_lower_bound else ""
        yield f"{least}+{call.added or 0:,} -{call.removed or 0:,}"
    yield call.state
    yield from _runs_facts(call.runs)
    yield call_size(call)
    yield call_time(call)


def _runs_facts(runs: tuple[RunView, ...]) -> Iterator[str]:
    if len(runs) > 1:
        yield plural(len(runs), _AGENT)
    yield plural(sum(run.calls for run in runs), "call") if runs else ""
    yield cost_of_all(run.spent for run in runs)
    yield NO_TRANSCRIPT if any(not run.has_transcript for run in runs) else ""


def _run_facts(run: RunView) -> Iterator[str]:
    yield run.phase
    yield run.status if run.tone else ""
    yield plural(run.calls, "call") if run.calls else ""
    yield plural(run.errors, "error") if run.errors else ""
    yield cost(run.spent)
    yield duration(run.duration_ms) if run.duration_ms else ""
    yield "not shown here" if run.is_linked else ""
    yield "" if run.has_transcript else NO_TRANSCRIPT


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

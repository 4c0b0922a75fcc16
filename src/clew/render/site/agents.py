"""The agent runs of a session as a tree: on a page of their own, and folded on the session's."""

from collections import Counter
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote, urlencode

import msgspec

from clew.conversation import MISSING
from clew.render.formatting import cost, cost_of_all, duration, plural, scaled
from clew.render.html.escaping import anchor
from clew.render.html.formatting import day_and_clock, tokens, usage_details, utc
from clew.render.site.base import BasePage
from clew.render.site.templates import draw
from clew.render.site.urls import SiteUrls
from clew.view import RunSummary, RunTree

_DEEPEST: Final = 6
_MOST_FOLDED: Final = 60
_KINDS: Final = {"suggestion": "suggestion", "warmup": "warm-up"}
_STATES: Final = {"": "unknown", "unknown": "unknown", MISSING: "transcript missing"}
_ANY_AGENT: Final = "agent"


class AgentsPage(msgspec.Struct, frozen=True, kw_only=True):
    """The agent runs of a session."""

    session_id: str
    title: str
    tree: RunTree


class _RunRow(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    url: str
    call_url: str
    changes_url: str
    name: str
    title: str
    status: str
    tone: str
    depth: int
    at: str
    day: str
    took: str
    calls: int
    errors: int
    tokens: str
    usage: str
    cost: str
    models: str
    files: int
    added: int
    removed: int
    is_lower_bound: bool


def render_agents(page: AgentsPage, base: BasePage) -> str:
    """Draw the page."""
    tree, urls = page.tree, base.urls
    body = draw(
        "agents.html",
        page=page,
        own=urls.session(page.session_id),
        timeline=urls.timeline(page.session_id),
        runs=_rows(tree.runs, urls, page.session_id),
        hidden=_rows(tree.hidden, urls, page.session_id),
        hidden_text=describe_hidden_runs(tree.hidden),
        said=_describe(tree.runs),
    )
    return base.draw(f"Agents of {page.title}", body)


def render_run_tree(
    tree: RunTree, urls: SiteUrls, session_id: str, heading: str = "Agent runs"
) -> str:
    """Draw the tree as a fold of a session's page; nothing where there are no runs."""
    if not tree.runs and not tree.hidden:
        return ""
    return draw(
        "run_fold.html",
        heading=heading,
        said=_describe(tree.runs),
        runs=_rows(tree.runs[:_MOST_FOLDED], urls, session_id),
        left_out=max(0, len(tree.runs) - _MOST_FOLDED),
        hidden_text=describe_hidden_runs(tree.hidden),
        all_url=urls.agents(session_id),
    )


def describe_hidden_runs(runs: Sequence[RunSummary]) -> str:
    """Say in one line what the client started by itself: `12 suggestions, 3 warm-ups, $0.04`."""
    counts = Counter(_KINDS.get(run.kind, "other run") for run in runs)
    money = cost_of_all(run.spent for run in runs)
    found = [plural(number, word) for word, number in sorted(counts.items())]
    return ", ".join([*found, money] if found and money else found)


def _describe(runs: Sequence[RunSummary]) -> list[str]:
    """Say in some words what the runs were: how many, how many of them failed, time and cost."""
    if not runs:
        return []
    failed = sum(run.tone == "bad" for run in runs)
    calls = sum(run.calls for run in runs)
    took = sum(run.duration_ms or 0 for run in runs)
    found = [
        plural(len(runs), "run"),
        f"{failed:,} failed" if failed else "",
        plural(calls, "call") if calls else "",
        f"{duration(took)} together" if took else "",
        cost_of_all(run.spent for run in runs),
    ]
    return [word for word in found if word]


def _rows(runs: Sequence[RunSummary], urls: SiteUrls, session_id: str) -> list[_RunRow]:
    return [_row(run, urls, session_id) for run in runs]


def _row(run: RunSummary, urls: SiteUrls, session_id: str) -> _RunRow:
    own = urls.session(session_id)
    changes = f"{own}/changes?{urlencode({'run': run.id})}" if urls.is_dynamic else ""
    return _RunRow(
        id=anchor("run", run.id),
        url=f"{own}/runs/{quote(run.id, safe='')}",
        call_url=f"{own}#{anchor('c', run.tool_call_id)}" if run.tool_call_id else "",
        changes_url=changes if run.files else "",
        name=run.agent if run.agent != _ANY_AGENT or not run.title else "",
        title=run.title,
        status=_STATES.get(run.status, run.status),
        tone=run.tone,
        depth=min(run.depth, _DEEPEST),
        at=utc(run.started_at),
        day=day_and_clock(run.started_at),
        took="" if run.duration_ms is None else duration(run.duration_ms),
        calls=run.calls,
        errors=run.errors,
        tokens=scaled(tokens(run.spent)) if tokens(run.spent) else "",
        usage=usage_details(run.spent),
        cost=cost(run.spent),
        models=", ".join(run.models),
        files=run.files,
        added=run.added,
        removed=run.removed,
        is_lower_bound=run.is_lower_bound,
    )

"""SessionOverview: one session as a line of a list."""

import os
from typing import Any, Final

import msgspec

from clew.analytics import bill_all, bill_messages
from clew.cli.filters import Filters, matches, matches_model, matches_project
from clew.clock import milliseconds
from clew.conversation import Conversation, total_tokens
from clew.render import usage_json
from clew.sessions import SessionFiles

# What a person or a model said or did; all else the client writes by itself.
_TALK: Final = frozenset(
    {
        "answer",
        "api_error",
        "bash_input",
        "command",
        "compaction_summary",
        "memory",
        "prompt",
        "steering",
        "teammate",
        "tool_results",
    }
)


class SessionOverview(msgspec.Struct, frozen=True, kw_only=True):
    """What a list tells of a session; `path` is its transcript."""

    id: str
    title: str
    title_source: str
    project: str
    cwd: str
    git_branch: str | None
    versions: tuple[str, ...]
    models: tuple[str, ...]
    started_at: str | None
    ended_at: str | None
    duration_ms: int
    active_ms: int
    first_prompt: str
    messages: int
    prompts: int
    answers: int
    tool_calls: int
    errors: int
    agent_runs: int
    tools: tuple[str, ...]
    agents: tuple[str, ...]
    usage: dict[str, Any]
    total_tokens: int
    cost_usd: float | None
    unpriced_models: tuple[str, ...]
    is_talk: bool
    size_bytes: int
    path: str


def overview_of(conversation: Conversation, session: SessionFiles) -> SessionOverview:
    """Sum up a session."""
    known, totals = conversation.session, conversation.totals
    bill = bill_all(conversation.messages, bill_messages(conversation))
    runs = [run for run in conversation.agent_runs if not run.is_hidden]
    return SessionOverview(
        id=known.id,
        title=known.title,
        title_source=known.title_source,
        project=known.project,
        cwd=known.cwd,
        git_branch=known.git_branch,
        versions=known.versions,
        models=known.models,
        started_at=known.started_at or None,
        ended_at=known.ended_at or None,
        duration_ms=known.duration_ms,
        active_ms=known.active_ms,
        first_prompt=known.first_prompt,
        messages=totals.messages,
        prompts=totals.prompts,
        answers=totals.answers,
        tool_calls=totals.tool_calls,
        errors=totals.errors,
        agent_runs=totals.agent_runs,
        tools=tuple(dict.fromkeys(call.tool for call in conversation.tool_calls)),
        agents=tuple(dict.fromkeys(n for run in runs for n in (run.agent, run.name) if n)),
        usage=usage_json(totals.usage, bill),
        total_tokens=total_tokens(totals.usage),
        cost_usd=bill.usd,
        unpriced_models=bill.unpriced_models,
        is_talk=any(message.kind in _TALK for message in conversation.messages),
        size_bytes=session.size,
        path=os.fsencode(session.files[0].path).decode("utf-8", "replace"),
    )


def accepts(filters: Filters, session: SessionOverview) -> bool:
    """Tell whether a session is asked for; of one that lasted, any moment counts."""
    return (
        session.id.startswith(filters.session or "")
        and matches_project(filters.project, session.project)
        and matches(filters.branch, [session.git_branch or ""])
        and matches_model(filters.model, session.models)
        and matches(filters.tool, session.tools)
        and matches(filters.agent, session.agents)
        and _is_within(filters, session)
    )


def _is_within(filters: Filters, session: SessionOverview) -> bool:
    since, until = _moment(filters.since), _moment(filters.until)
    started, ended = _moment(session.started_at), _moment(session.ended_at)
    if since is not None and (ended is None or ended < since):
        return False
    return until is None or (started is not None and started < until)


def _moment(time: str | None) -> int | None:
    return None if time is None else milliseconds(time)

"""The facts of a session as a whole: title, project, lineage, times, totals."""

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final

from clew.clock import milliseconds
from clew.conversation.material import Material, TranscriptKind
from clew.conversation.model import (
    AgentRun,
    Conversation,
    Lineage,
    Message,
    PullRequestLink,
    Session,
    Thread,
    ToolCall,
    Totals,
)
from clew.conversation.nodes import Node, Nodes
from clew.conversation.opening import find_opening, first_prompt
from clew.conversation.projects import project_of
from clew.conversation.titles import (
    fallback_title,
    is_failed_title,
    stated_title,
    title_of_runs,
)
from clew.conversation.usage import add_up, usages_of
from clew.entries import (
    AgentName,
    BridgeSession,
    ContinuedIn,
    CostState,
    Marker,
    PrLink,
    Row,
    Summary,
)

# A longer gap is a pause.
IDLE_MS: Final = 5 * 60 * 1000
_TO_THE_MINUTE: Final = slice(len("2026-11-15T08:35"))


def describe_session(
    material: Material,
    nodes: Nodes,
    messages: list[Message],
    threads: list[Thread],
    runs: list[AgentRun],
) -> Session:
    """Gather the facts of a session."""
    rows = [b for n in nodes.by_id.values() if isinstance(b := n.entry.body, Row)]
    own = [n for n in nodes.by_id.values() if not n.context]
    main = [b for n in own if isinstance(b := n.entry.body, Row)] or rows
    markers = [entry.body for _, entry, _, _ in nodes.markers if isinstance(entry.body, Marker)]
    prompt = first_prompt(messages, threads)
    slug = next((row.slug for row in main if row.slug), None)
    title = stated_title(markers, material.custom_title)
    if not title.text:
        opening = find_opening(messages, threads)
        title = fallback_title(_summary(material, markers, own), opening, prompt, slug)
    if not title.has_words and all(message.agent_run_id is not None for message in messages):
        runs_title = title_of_runs(runs)
        title = runs_title if runs_title.text else title
    # Of some sessions only the transcripts of their agents are left.
    times = sorted(node.time for node in own or nodes.by_id.values() if node.time)
    cwd = next((row.cwd for row in main if row.cwd), "") or ""
    session = Session(
        id=material.session_id,
        title=title.text,
        title_source=title.source,
        project=project_of(cwd, markers),
        cwd=cwd,
        git_branch=next((row.git_branch for row in reversed(main) if row.git_branch), None),
        versions=_distinct(row.version for row in main),
        models=_distinct(m.model for m in messages if m.usage is not None),
        started_at=times[0] if times else "",
        ended_at=times[-1] if times else "",
        first_prompt=prompt,
        slug=slug,
        team=next((row.team_name for row in main if row.team_name), None),
        agent_name=_last(m.agent_name for m in markers if isinstance(m, AgentName))
        or next((row.agent_name for row in main if row.agent_name), None),
        entrypoint=next((row.entrypoint for row in main if row.entrypoint), None),
        lineage=_lineage(material, markers, rows),
        pr_urls=_distinct(m.pr_url for m in markers if isinstance(m, PrLink)),
        has_transcript=any(t.kind is TranscriptKind.SESSION for t in material.transcripts),
    )
    session.duration_ms, session.active_ms = _durations(times)
    return session


def total_up(conversation: Conversation, *, is_complete: bool = True) -> Totals:
    """Count over the session and its runs; each model call once."""
    messages = conversation.messages
    hidden = {run.id for run in conversation.agent_runs if run.is_hidden}
    return Totals(
        usage=add_up(usages_of(messages, is_complete=is_complete)),
        messages=len(messages),
        prompts=sum(m.kind in ("prompt", "steering") and not m.agent_run_id for m in messages),
        answers=sum(m.kind == "answer" and not m.is_meta and m.subtype is None for m in messages),
        tool_calls=len(conversation.tool_calls),
        errors=_count_errors(messages, conversation.tool_calls),
        thinking_blocks=sum(b.kind == "thinking" for m in messages for b in m.blocks),
        agent_runs=sum(run.id not in hidden for run in conversation.agent_runs),
    )


def pull_requests(nodes: Nodes) -> tuple[PullRequestLink, ...]:
    """Return the pull requests of a session in order, each as it was first noticed."""
    found: dict[str, PullRequestLink] = {}
    for _, entry, _, time in nodes.markers:
        link = entry.body
        if isinstance(link, PrLink) and link.pr_url and link.pr_url not in found:
            found[link.pr_url] = PullRequestLink(
                link.pr_url, link.pr_number, link.pr_repository, link.timestamp or time
            )
    return tuple(found.values())


def last_cost_state(nodes: Nodes) -> CostState | None:
    """Return the client's own totals, as last written."""
    states = [entry.body for _, entry, _, _ in nodes.markers if isinstance(entry.body, CostState)]
    return states[-1] if states else None


def account_ids(nodes: Nodes) -> tuple[str, ...]:
    """Return the ids of accounts and organisations that the client wrote down."""
    links = (e.body for _, e, _, _ in nodes.markers if isinstance(e.body, BridgeSession))
    ids = (
        (link.owner_account_uuid, link.owner_organization_uuid, link.bridge_session_id)
        for link in links
    )
    return _distinct(one for own in ids for one in own if one)


def _count_errors(messages: Iterable[Message], calls: Iterable[ToolCall]) -> int:
    return sum(m.kind == "api_error" for m in messages) + sum(c.is_error for c in calls)


def _summary(material: Material, markers: list[Marker], own: list[Node]) -> str:
    """An old title belongs to the session that contains the row it points at."""
    titles = {**material.surroundings.titles}
    titles.update({m.leaf_uuid: m.summary for m in markers if isinstance(m, Summary)})
    titles = {leaf: title for leaf, title in titles.items() if not is_failed_title(title)}
    found = [(node.order, titles[node.id]) for node in own if node.id in titles] if titles else ()
    return max(found)[1] if found else ""


def _last(values: Iterable[str]) -> str | None:
    """Of a marker that is written again and again, the last one wins."""
    found = [value for value in values if value]
    return found[-1] if found else None


def _lineage(material: Material, markers: list[Marker], rows: Sequence[Row]) -> Lineage:
    around = material.surroundings
    forked = next((row.forked_from.session_id for row in rows if row.forked_from), None)
    continued = [m.continued_in_session_id for m in markers if isinstance(m, ContinuedIn)]
    return Lineage(
        resumed_from=around.resumed_from,
        forked_from=forked or around.forked_from,
        continued_in=continued[-1] if continued else None,
        teammate_of=around.teammate_of,
    )


def _durations(times: list[str]) -> tuple[int, int]:
    """Return the time from first to last row, and the part of it in which someone worked."""
    # There is no pause within a minute: its first and last row are enough.
    minutes = (list(minute) for _, minute in groupby(times, key=itemgetter(_TO_THE_MINUTE)))
    ends = (time for minute in minutes for time in (minute[0], minute[-1]))
    moments = [moment for time in ends if (moment := milliseconds(time)) is not None]
    if not moments:
        return 0, 0
    gaps = [after - before for before, after in pairwise(moments)]
    return moments[-1] - moments[0], sum(gap for gap in gaps if gap <= IDLE_MS)


def _distinct(values: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def runs_by_call(runs: Iterable[AgentRun]) -> dict[str, list[AgentRun]]:
    """Group runs by the call that started them, in order of their start."""
    grouped: dict[str, list[AgentRun]] = {}
    for run in sorted(runs, key=lambda run: (run.started_at, run.id)):
        if run.tool_call_id:
            grouped.setdefault(run.tool_call_id, []).append(run)
    return grouped

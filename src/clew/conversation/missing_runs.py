"""Agent runs whose transcript is missing and of which no progress rows are left either.

The result of the call that started such a run reports its totals. They are of its last request, so
they are listed, but not added to anything: what the session used is then a lower bound.
"""

from collections.abc import Iterable, Iterator, Mapping

from clew.conversation.model import MISSING, AgentRun, Message, Reported, Session, ToolCall
from clew.conversation.model_usage import is_inherited
from clew.conversation.usage import NOT_COUNTED
from clew.entries import ResultLinks
from clew.problems import Problem


def lost_run_id(call: ToolCall, links: ResultLinks, prompt: str) -> str:
    """Name the run that a finished call reports; empty where it reports none.

    Teammates are sessions of their own.
    """
    has_totals = links.total_tool_use_count is not None or links.total_tokens is not None
    if links.teammate_id or not (links.agent_id or (prompt and has_totals)):
        return ""
    return links.agent_id or f"{call.id}:run"


def missing_run(name: str, call: ToolCall, reported: Reported) -> AgentRun:
    """Make the run of a call whose transcript is missing; who started it says the rest."""
    return AgentRun(
        id=name,
        tool_call_id=call.id,
        parent_run_id=call.agent_run_id,
        link="result",
        status=MISSING,
        usage=NOT_COUNTED,
        reported=reported,
        started_at=call.started_at,
        # The result of a run in the background only says that it began.
        ended_at="" if call.background_id else call.ended_at or "",
        has_transcript=False,
    )


def uncounted_turns(
    runs: Iterable[AgentRun], calls: Iterable[ToolCall], messages: Mapping[str, Message]
) -> set[int | None]:
    """Return the turns in which missing runs were started; copied turns are counted elsewhere."""
    lost = {run.tool_call_id for run in runs if run.status == MISSING}
    if not lost:
        return set()
    callers = (messages[call.message_id] for call in calls if call.id in lost)
    return {m.turn for m in callers if not (m.usage and is_inherited(m.usage.quality))}


def report_missing(
    session: Session,
    runs: Iterable[AgentRun],
    calls: Iterable[ToolCall],
    messages: Mapping[str, Message],
) -> Iterator[Problem]:
    """Report a session without its own transcript, and each missing run where its call ended."""
    if not session.has_transcript:
        yield Problem("missing_transcript", "the session's own")
    lost = {run.tool_call_id: run for run in runs if run.status == MISSING}
    for call in calls if lost else ():
        if call.id in lost:
            ended = messages.get(call.result_message_id or "") or messages[call.message_id]
            text, location = f"agent run {lost[call.id].id}", ended.lines[0]
            yield Problem("missing_transcript", text, location.file, location.line, location.offset)

"""The reading order: the session's messages, with each agent run after the call that started it."""

from clew.conversation.model import AgentRun, Message, ToolCall
from clew.conversation.session import runs_by_call


def reading_order(
    runs: list[AgentRun], calls: list[ToolCall], by_id: dict[str, Message]
) -> list[Message]:
    """Return all messages as one reads them; runs without a call are where they began."""
    hung = runs_by_call(runs)
    of_message: dict[str, list[AgentRun]] = {}
    for call in calls:
        of_message.setdefault(call.message_id, []).extend(hung.get(call.id, ()))
    loose = _loose(runs, of_message)
    order: list[Message] = []
    for message in (m for m in by_id.values() if m.agent_run_id is None):
        while loose and loose[-1].started_at < message.started_at:
            _emit_run(loose.pop(), order, of_message, by_id)
        order.append(message)
        for run in of_message.get(message.id, ()):
            _emit_run(run, order, of_message, by_id)
    while loose:
        _emit_run(loose.pop(), order, of_message, by_id)
    return order


def _loose(runs: list[AgentRun], of_message: dict[str, list[AgentRun]]) -> list[AgentRun]:
    """Runs that no call leads to, the latest first."""
    hung = {run.id for own in of_message.values() for run in own}
    loose = [run for run in runs if run.id not in hung]
    return sorted(loose, key=lambda run: (run.started_at, run.id), reverse=True)


def _emit_run(
    run: AgentRun,
    order: list[Message],
    of_message: dict[str, list[AgentRun]],
    by_id: dict[str, Message],
) -> None:
    stack: list[Message | AgentRun] = [run]
    while stack:
        item = stack.pop()
        if isinstance(item, AgentRun):
            stack.extend(by_id[name] for name in reversed(item.message_ids) if name in by_id)
            continue
        order.append(item)
        stack.extend(reversed(of_message.get(item.id, ())))

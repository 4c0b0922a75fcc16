"""Agent runs whose transcript is missing, rebuilt from progress rows."""

import msgspec

from clew.conversation.nodes import Node, Nodes, progress_rows_by_agent
from clew.entries import AgentProgress, Assistant, Entry, ProgressRow, User, decode
from clew.source import Line


def add_progress_runs(nodes: Nodes) -> None:
    """Add the rows of runs without a transcript; for others, progress only repeats it."""
    known = {node.context for node in nodes.by_id.values()}
    for agent, rows in progress_rows_by_agent(nodes).items():
        if agent and agent not in known:
            nodes.progress_runs.add(agent)
            previous = None
            for node in rows:
                previous = _add_row(nodes, node, agent, previous)


def _add_row(nodes: Nodes, node: Node, agent: str, previous: str | None) -> str | None:
    """Add the row inside a progress row below the previous one; return the last one."""
    entry = progress_entry(node.entry)
    if entry is None or not isinstance(entry.body, User | Assistant):
        return previous
    name = entry.body.uuid or f"{node.id}:told"
    if name in nodes.by_id:
        return previous
    nodes.by_id[name] = Node(
        name, entry, agent, node.order, node.time, previous, node.transcript, node.key
    )
    return name


def progress_entry(entry: Entry) -> Entry | None:
    """Return the row of an agent run that a progress row contains; None for any other entry."""
    body = entry.body
    if not isinstance(body, ProgressRow) or not isinstance(body.data, AgentProgress):
        return None
    line = Line(bytes(body.data.message), entry.file, entry.number, entry.line_offset)
    inner = decode(line)
    return msgspec.structs.replace(inner[0], text=entry.text, ended=entry.ended) if inner else None

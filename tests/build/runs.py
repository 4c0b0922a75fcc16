"""Agent runs: what the starting call gets back, and what is noted beside the transcript."""

import msgspec

from tests.build.blocks import Block, text
from tests.build.calls import Agent, Call
from tests.build.clients import Client, Row
from tests.build.rows import Place
from tests.build.usage import Usage, usage_json


class Run(msgspec.Struct, frozen=True):
    """One agent run, as it stands once it is over."""

    agent: Agent
    call_id: str
    place: Place
    model: str
    parent_id: str
    rows: list[Row]
    content: bytes
    usage: Usage
    duration_ms: int

    @property
    def id(self) -> str:
        """Name the run as its transcript does."""
        return self.place.agent_id

    @property
    def report(self) -> str:
        """Give the last words of the run."""
        texts = [block["text"] for block in self._blocks() if block["type"] == "text"]
        return str(texts[-1]) if texts else ""

    @property
    def tool_count(self) -> int:
        """Count the tool calls of the run."""
        return sum(block["type"] == "tool_use" for block in self._blocks())

    def _blocks(self) -> list[Block]:
        answers = [row for row in self.rows if row.get("type") == "assistant"]
        return [block for row in answers for block in row["message"]["content"]]


def starting_input(agent: Agent, client: Client) -> Row:
    """Give the arguments of the call that starts a run."""
    arguments: Row = {
        "description": agent.description,
        "prompt": agent.prompt,
        "subagent_type": agent.agent,
    }
    return arguments | ({"run_in_background": agent.background} if client.writes("meta") else {})


def finished_call(run: Run) -> Call:
    """Give the starting call with its result."""
    client = run.place.client
    tool, arguments = client.agent_tool, starting_input(run.agent, client)
    if run.agent.background:
        return Call(tool, arguments, [text(f"Launched.\nagentId: {run.id}")], _launched(run))
    return Call(tool, arguments, _report_blocks(run), _completed(run))


def meta_json(run: Run) -> Row:
    """Give what the client notes beside an agent transcript."""
    values = {
        "agentType": run.agent.agent,
        "isBuiltIn": True,
        "description": run.agent.description,
        "toolUseId": run.call_id,
        "parentAgentId": run.parent_id,
        "spawnDepth": run.place.depth,
        "requestShape": "background" if run.agent.background else "foreground",
        "requestNonInteractive": run.place.entrypoint != "cli",
        "pickedEffortModel": run.model,
        "finished": True,
    }
    if not run.parent_id:
        del values["parentAgentId"]
    return run.place.client.keep(values, "meta")


def _report_blocks(run: Run) -> list[Block]:
    client = run.place.client
    if not client.writes("agent_result.agentId"):
        return [text(run.report)]
    trailer = f"agentId: {run.id}"
    if client.is_at_least("2.1.10"):
        counts = f"total_tokens: {run.usage.total}\ntool_uses: {run.tool_count}"
        trailer += f"\n<usage>{counts}\nduration_ms: {run.duration_ms}</usage>"
    if client.writes("agent_result.resolvedModel"):
        return [text(f"{run.report}\n{trailer}")]
    return [text(run.report), text(trailer)]


def _completed(run: Run) -> Row:
    values = {
        "status": "completed",
        "prompt": run.agent.prompt,
        "agentId": run.id,
        "agentType": run.agent.agent,
        "content": [text(run.report)],
        "resolvedModel": run.model,
        "totalDurationMs": run.duration_ms,
        "totalTokens": run.usage.total,
        "totalToolUseCount": run.tool_count,
        "usage": usage_json(run.usage, run.place.client),
        "canContinueAgent": True,
    }
    return run.place.client.keep(values, "agent_result")


def _launched(run: Run) -> Row:
    values = {
        "isAsync": True,
        "status": "async_launched",
        "agentId": run.id,
        "description": run.agent.description,
        "resolvedModel": run.model,
        "prompt": run.agent.prompt,
        "canContinueAgent": True,
    }
    return run.place.client.keep(values, "agent_result")

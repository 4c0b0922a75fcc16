"""Agent runs for tests: a session that starts one, and a transcript of one."""

from typing import Any

from clew.conversation import Material, Transcript, TranscriptKind
from tests.build import NEWEST, Row, SessionBuilder, bash
from tests.unit.conversation.built import answer, lines_of, prompt, result, transcript_of, use


def looking(version: str = NEWEST, *, background: bool = False) -> SessionBuilder:
    """Give a session that starts one agent."""
    return (
        SessionBuilder(version=version)
        .user("go")
        .agent(
            "Look around",
            "List all files",
            lambda run: run.tools(bash("ls", "a.py")).assistant("One file."),
            agent="Explore",
            background=background,
        )
    )


def started(call_id: str = "c", text: str = "List all files", **beside: Any) -> list[Row]:
    """Give rows of a session that starts one agent."""
    arguments = {"prompt": text, "description": "Look", "subagent_type": "Explore"}
    return [
        prompt("p", None, "go", 0),
        answer("a", "p", [use(call_id, "Task", **arguments)], 1),
        result("r", "a", call_id, "done", 9, **beside),
    ]


def agent_file(agent_id: str = "a1", text: str = "List all files", second: float = 2) -> Transcript:
    """Give the transcript of an agent that reports at once."""
    fields = {"isSidechain": True, "agentId": agent_id}
    content = lines_of(
        prompt(f"{agent_id}-p", None, text, second, **fields),
        answer(f"{agent_id}-a", f"{agent_id}-p", "report", second + 1, **fields),
    )
    return transcript_of(content, f"agent-{agent_id}", TranscriptKind.AGENT, agent_id)


def session_with(rows: list[Row], *runs: Transcript, **more: Any) -> Material:
    """Put rows of a session and transcripts of runs together."""
    return Material("s", (transcript_of(lines_of(*rows)), *runs), **more)

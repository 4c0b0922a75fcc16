"""Conversations for tests, from builders or from bare rows; each is checked as it is built."""

from typing import Any

import msgspec

from clew.conversation import (
    AgentRun,
    Conversation,
    Material,
    Message,
    Surroundings,
    ToolCall,
    Transcript,
    TranscriptKind,
    build,
)
from clew.entries import Entry, decode_all, decode_meta
from clew.source import split_lines
from tests.build import Row, Run, SessionBuilder
from tests.build.runs import meta_json
from tests.invariants import check


def transcript_of(
    content: bytes,
    name: str = "s",
    kind: TranscriptKind = TranscriptKind.SESSION,
    agent_id: str = "",
    workflow_id: str = "",
) -> Transcript:
    """Read a transcript's bytes."""
    return Transcript(name, kind, entries_of(content, name), agent_id, workflow_id)


def entries_of(content: bytes, name: str = "s") -> tuple[Entry, ...]:
    """Decode bytes as lines of a file."""
    return tuple(decode_all(split_lines([content], f"{name}.jsonl")))


def run_transcript(run: Run, **fields: Any) -> Transcript:
    """Read the transcript of an agent run."""
    kind = fields.pop("kind", TranscriptKind.AGENT)
    return transcript_of(run.content, f"agent-{run.id}", kind, run.id, **fields)


def material_of(builder: SessionBuilder, **changes: Any) -> Material:
    """Give all that a builder wrote, as if it were read from its files."""
    nested = builder.draft.client.agent_layout != "inline"
    runs = builder.runs if nested else []
    told = [run for run in runs if run.place.client.writes("meta")]
    material = Material(
        builder.session_id,
        (
            transcript_of(builder.content(), builder.session_id),
            *(run_transcript(run) for run in runs),
        ),
        metas={run.id: decode_meta(msgspec.json.encode(meta_json(run))) for run in told},
        tool_results={
            name.rpartition("/")[2]: data.decode() for name, data in builder.draft.sidecars.items()
        },
    )
    return msgspec.structs.replace(material, **changes)


def conversation_of(source: SessionBuilder | Material) -> Conversation:
    """Build a conversation and make sure that it is sound."""
    material = source if isinstance(source, Material) else material_of(source)
    conversation = build(material)
    check(material, conversation)
    return conversation


def conversation_of_rows(*rows: Row | bytes, **surroundings: Any) -> Conversation:
    """Build the conversation of bare rows in one file."""
    return conversation_of(
        Material(
            "s",
            (transcript_of(lines_of(*rows)),),
            surroundings=Surroundings(**surroundings),
        )
    )


def lines_of(*rows: Row | bytes) -> bytes:
    """Write rows as the lines of a file."""
    raws = [row if isinstance(row, bytes) else msgspec.json.encode(row) for row in rows]
    return b"".join(raw + b"\n" for raw in raws)


def at(second: float) -> str:
    """Give a time as rows carry it."""
    return f"2026-11-01T09:{int(second) // 60:02}:{second % 60:06.3f}Z"


def prompt(uuid: str, parent: str | None, text: Any, second: float = 0, **fields: Any) -> Row:
    """Write a user row."""
    message = {"role": "user", "content": text}
    return row("user", uuid, parent, second, message=message, **fields)


def answer(uuid: str, parent: str | None, content: Any, second: float = 0, **fields: Any) -> Row:
    """Write a fragment of an answer; without a `message_id` it is an answer of its own."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    message = {
        "id": fields.pop("message_id", f"msg-{uuid}"),
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": blocks,
        "stop_reason": fields.pop("stop_reason", "end_turn"),
        "usage": {"input_tokens": 1, "output_tokens": fields.pop("output", 10)},
    }
    return row("assistant", uuid, parent, second, message=message, **fields)


def use(call_id: str, tool: str = "Bash", **arguments: Any) -> dict[str, Any]:
    """Give a tool use block."""
    return {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}


def result(
    uuid: str, parent: str | None, call_id: str, text: Any, second: float = 0, **fields: Any
) -> Row:
    """Write the result of a call."""
    is_error = {"is_error": True} if fields.pop("is_error", False) else {}
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text, **is_error}
    return prompt(uuid, parent, [block], second, **fields)


def row(kind: str, uuid: str, parent: str | None, second: float = 0, **fields: Any) -> Row:
    """Write a row of any kind."""
    place = {"uuid": uuid, "parentUuid": parent, "timestamp": at(second), "sessionId": "s"}
    return {"type": kind, **place, **fields}


def texts(conversation: Conversation, *kinds: str) -> list[str]:
    """Give the texts of messages of these kinds, in reading order."""
    return [m.text for m in conversation.messages if m.kind in kinds]


def threads_of(conversation: Conversation) -> list[list[str]]:
    """Give each thread as the texts of its messages."""
    by_id = {message.id: message for message in conversation.messages}
    return [[by_id[name].text for name in thread.message_ids] for thread in conversation.threads]


def problems_of(conversation: Conversation) -> list[str]:
    """Give the kinds of problems, as found."""
    return [problem.kind for problem in conversation.problems]


def message_of(conversation: Conversation, text: str) -> Message:
    """Find the one message with this text."""
    (message,) = [m for m in conversation.messages if m.text == text]
    return message


def only_call(conversation: Conversation) -> ToolCall:
    """Give the one tool call there is."""
    (call,) = conversation.tool_calls
    return call


def only_run(conversation: Conversation) -> AgentRun:
    """Give the one agent run there is."""
    (run,) = conversation.agent_runs
    return run

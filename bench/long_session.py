"""A number of messages → the lines of one session with so many, or of a session of one turn."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

Row = dict[str, Any]

START: Final = datetime(2026, 11, 1)  # noqa: DTZ001 (its text is given the zone)
COMMON: Final = {"version": "2.1.47", "cwd": "/home/dev/code"}
CALLS: Final = ("ls", "cat")
# A prompt, an answer with two calls, their two results, the last answer, what the client measured.
MESSAGES_A_TURN: Final = 6
TURNS_A_COMPACTION: Final = 200
REWINDS: Final = 8
LEAST_MESSAGES: Final = MESSAGES_A_TURN * REWINDS


def long_lines(messages: int, session_id: str = "long") -> Iterator[bytes]:
    """Give the lines of a session of about this many messages.

    It is compacted again and again; a few times, however long it is, a prompt goes back behind
    the turn before it.
    """
    yield from _encode(_rows(messages // MESSAGES_A_TURN), session_id, START)


def short_lines(number: int, session_id: str) -> Iterator[bytes]:
    """Give the lines of a session of one turn; its ids differ from those of other numbers."""
    start = START - timedelta(minutes=number)
    yield from _encode(_turn(number, None), session_id, start)


def _encode(rows: Iterable[Row], session_id: str, start: datetime) -> Iterator[bytes]:
    for second, row in enumerate(rows):
        time = (start + timedelta(seconds=second)).isoformat(timespec="milliseconds")
        common = {**COMMON, "sessionId": session_id, "timestamp": f"{time}Z"}
        yield msgspec.json.encode({**row, **common}) + b"\n"


def _rows(turns: int) -> Iterator[Row]:
    parent: str | None = None
    before: str | None = None
    for turn in range(turns):
        if turn % TURNS_A_COMPACTION == TURNS_A_COMPACTION - 1:
            yield from _compaction(turn, parent)
            parent = f"{turn}-summary"
        elif turn % (turns // REWINDS) == 1:
            parent = before
        before = parent
        yield from _turn(turn, parent)
        parent = f"{turn}-measured"


def _compaction(turn: int, parent: str | None) -> Iterator[Row]:
    yield {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": f"{turn}-boundary",
        "parentUuid": None,
        "logicalParentUuid": parent,
        "compactMetadata": {"trigger": "auto", "preTokens": 150_000},
    }
    summary = _user(turn, "summary", f"{turn}-boundary", "What was done so far.")
    yield {**summary, "isCompactSummary": True}


def _turn(turn: int, parent: str | None) -> Iterator[Row]:
    yield _user(turn, "prompt", parent, f"Please look at part {turn}.")
    yield _fragment(turn, "look", "text", "prompt", {"type": "text", "text": "I look at it."})
    above = "look-text"
    for call in CALLS:
        use = {
            "type": "tool_use",
            "id": f"{turn}-{call}",
            "name": "Bash",
            "input": {"command": call},
        }
        yield _fragment(turn, "look", call, above, use)
        above = f"look-{call}"
    for call in CALLS:
        yield _progress(turn, call)
        result = {"type": "tool_result", "tool_use_id": f"{turn}-{call}", "content": "a\nb\nc"}
        yield _user(turn, f"result-{call}", f"{turn}-progress-{call}", [result])
    words = {"type": "text", "text": f"Part {turn} is as it should be."}
    yield _fragment(turn, "done", "text", f"result-{CALLS[-1]}", words)
    yield {
        "type": "system",
        "subtype": "turn_duration",
        "uuid": f"{turn}-measured",
        "parentUuid": f"{turn}-done-text",
        "durationMs": 9000,
    }


def _user(turn: int, name: str, parent: str | None, content: str | list[Row]) -> Row:
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": f"{turn}-{name}", "parentUuid": parent, "message": message}


def _fragment(turn: int, answer: str, name: str, parent: str, block: Row) -> Row:
    return {
        "type": "assistant",
        "uuid": f"{turn}-{answer}-{name}",
        "parentUuid": f"{turn}-{parent}",
        "requestId": f"request-{turn}-{answer}",
        "message": {
            "id": f"message-{turn}-{answer}",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": [block],
            "stop_reason": "end_turn" if answer == "done" else "tool_use",
            "usage": {"input_tokens": 3, "output_tokens": 40, "cache_read_input_tokens": 9000},
        },
    }


def _progress(turn: int, call: str) -> Row:
    return {
        "type": "progress",
        "uuid": f"{turn}-progress-{call}",
        "parentUuid": f"{turn}-look-{call}",
        "parentToolUseID": f"{turn}-{call}",
        "data": {"type": "bash_progress", "output": "a", "elapsedTimeSeconds": 1},
    }

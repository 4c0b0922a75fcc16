"""A conversation → its work on files: what each call wrote, why, and what that cost."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.analytics import bill_messages, session_touches
from clew.conversation import Conversation, Message, ToolCall
from clew.insight.provenance import WritingCall, line_key, seconds, split_lines
from clew.replay import Version, copies_text, replay_session
from clew.tools import (
    BashInput,
    EditInput,
    EditResult,
    MultiEditInput,
    MultiEditResult,
    WriteInput,
    WriteResult,
    decode_call,
    decode_input,
)

_USER_MODIFIED: Final = b'"userModified"'
_NANO: Final = 1_000_000_000
_PROMPT_LENGTH: Final = 500


class MessageFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer was about: its turn, the prompt of that, its model.

    `line_cost_usd` is the cost of the turn, agents included, divided by the lines that it wrote.
    """

    turn: int | None = None
    prompt_id: str | None = None
    prompt: str = ""
    model: str | None = None
    line_cost_usd: float | None = None


class SessionWork(msgspec.Struct, frozen=True, kw_only=True):
    """The versions of files that a session made, and what is known of its calls and answers."""

    session_id: str
    title: str
    cwd: str
    versions: tuple[Version, ...]
    calls: dict[str, WritingCall]
    messages: dict[str, MessageFacts]


def find_work(conversation: Conversation) -> SessionWork:
    """Gather what a session did to files."""
    session = conversation.session
    return SessionWork(
        session_id=session.id,
        title=session.title,
        cwd=session.cwd,
        versions=replay_session(conversation).versions,
        calls={call.id: _call_facts(call) for call in conversation.tool_calls},
        messages=dict(_message_facts(conversation)),
    )


def turns_of_messages(conversation: Conversation) -> dict[str, int]:
    """Return the turn of each message; one of an agent run belongs to the turn that started it."""
    turns = {message.id: message.turn for message in conversation.messages if message.turn}
    callers = {call.id: call.message_id for call in conversation.tool_calls}
    starts = {run.id: callers.get(run.tool_call_id or "") for run in conversation.agent_runs}
    runs = {message.id: message.agent_run_id for message in conversation.messages}
    found = dict(turns)
    for message in conversation.messages:
        name: str | None = message.id
        # Runs may be nested, and a damaged transcript could nest them in a circle.
        for _ in range(len(starts) + 1):
            if name is None or name in turns:
                break
            name = starts.get(runs.get(name) or "")
        if name in turns:
            found[message.id] = turns[name]
    return found


def short_prompt(message: Message | None) -> str:
    """Return the beginning of a prompt."""
    text = "" if message is None else " ".join(message.text.split())
    return text if len(text) <= _PROMPT_LENGTH else f"{text[:_PROMPT_LENGTH]}…"


def _call_facts(call: ToolCall) -> WritingCall:
    at = seconds(call.started_at or call.ended_at or "")
    return WritingCall(at, _is_copy(call), _proposed(call))


def _proposed(call: ToolCall) -> frozenset[str] | None:
    """Return the lines that a call proposed, if a person changed them before they were written."""
    if _USER_MODIFIED not in bytes(call.result):
        return None
    arguments, result = decode_call(call)
    if not isinstance(result, EditResult | MultiEditResult | WriteResult):
        return None
    if not result.user_modified:
        return None
    match arguments:
        case EditInput(new_string=text) | WriteInput(content=text):
            texts = [text]
        case MultiEditInput(edits=tuple(steps)):
            texts = [step.new_string for step in steps]
        case _:
            texts = []
    return frozenset(line_key(line) for text in texts for line in split_lines(text))


def _is_copy(call: ToolCall) -> bool:
    arguments = decode_input(call.tool, bytes(call.input))
    return isinstance(arguments, BashInput) and copies_text(arguments.command)


def _message_facts(conversation: Conversation) -> Iterator[tuple[str, MessageFacts]]:
    turns = turns_of_messages(conversation)
    messages = {message.id: message for message in conversation.messages}
    prompts = {turn.index: turn.prompt_id for turn in conversation.turns}
    costs = _line_costs(conversation, turns)
    for message in conversation.messages:
        if message.kind == "answer":
            turn = turns.get(message.id)
            prompt_id = prompts.get(turn or 0)
            yield (
                message.id,
                MessageFacts(
                    turn=turn,
                    prompt_id=prompt_id,
                    prompt=short_prompt(messages.get(prompt_id or "")),
                    model=message.model,
                    line_cost_usd=costs.get(turn or 0),
                ),
            )


def _line_costs(conversation: Conversation, turns: dict[str, int]) -> dict[int, float]:
    """Return what a line of each turn cost."""
    lines: dict[int, int] = defaultdict(int)
    callers = {call.id: call.message_id for call in conversation.tool_calls}
    for touch in session_touches(conversation):
        if touch.action != "read":
            turn = turns.get(callers.get(touch.tool_call_id, ""), 0)
            lines[turn] += touch.lines_added or 0
    costs: dict[int, int] = defaultdict(int)
    for name, bill in bill_messages(conversation).items():
        costs[turns.get(name, 0)] += bill.nano_dollars or 0
    return {
        turn: round(costs[turn] / count / _NANO, 9)
        for turn, count in lines.items()
        if count and costs[turn]
    }

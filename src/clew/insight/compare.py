"""Two sessions side by side: turns, calls, files, cost, time, outcome, and what they changed."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Final

import msgspec

from clew.analytics import Bills, bill_all, bill_messages
from clew.conversation import Conversation, Message, ModelUsage, Turn
from clew.digest import (
    describe,
    find_outcome,
    gather_facts,
    strip_lead,
    strip_markdown,
)
from clew.insight.net_difference import FileDifference, compare_changes, read_changes
from clew.replay import NetChange
from clew.tools import find_waits, total_wait

_PROMPT: Final = 300
_ANSWER: Final = 500
# Of a long answer, the beginning is enough: markup is removed before it is cut.
_READ: Final = 4 * _ANSWER


class ComparedSession(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one of two sessions; `account` is what came of it in a line.

    `last_answer` is how the last answer with words begins, `last_answer_id` its message.
    """

    session_id: str
    title: str
    project: str
    models: tuple[str, ...]
    started_at: str | None
    duration_ms: int
    active_ms: int
    waiting_ms: int
    waiting_quality: str
    turns: int
    prompts: int
    messages: int
    tool_calls: int
    errors: int
    agent_runs: int
    total_tokens: int
    cost_usd: float | None
    quality: str
    outcome: str
    account: str
    last_answer: str = ""
    last_answer_id: str = ""


class ComparedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of a session: its prompt, what it took, and what it cost."""

    turn: int
    prompt_id: str
    prompt: str
    tool_calls: int
    duration_ms: int | None
    cost_usd: float | None
    quality: str = "exact"


class TurnPair(msgspec.Struct, frozen=True):
    """The turns of the same number; one session may have fewer."""

    a: ComparedTurn | None = None
    b: ComparedTurn | None = None


class ToolPair(msgspec.Struct, frozen=True):
    """How often both sessions called a tool."""

    tool: str
    a: int
    b: int


class SessionComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two sessions; `files` are those that one or both changed."""

    schema: str = "clew.compare/1"
    a: ComparedSession
    b: ComparedSession
    tools: tuple[ToolPair, ...] = ()
    turns: tuple[TurnPair, ...] = ()
    files: tuple[FileDifference, ...] = ()


class SessionSide(msgspec.Struct, frozen=True, kw_only=True):
    """All that a comparison needs of one session; the conversation itself is not kept."""

    session: ComparedSession
    turns: Sequence[ComparedTurn]
    tools: Mapping[str, int]
    files: Mapping[str, NetChange]


def compare_sessions(a: Conversation, b: Conversation) -> SessionComparison:
    """Compare two sessions."""
    return compare_sides(read_side(a), read_side(b))


def read_side(conversation: Conversation) -> SessionSide:
    """Return what a comparison needs of a session."""
    bills = bill_messages(conversation)
    return SessionSide(
        session=_session(conversation, bills),
        turns=_turns(conversation, bills),
        tools=Counter(call.tool for call in conversation.tool_calls),
        files=read_changes(conversation),
    )


def compare_sides(a: SessionSide, b: SessionSide) -> SessionComparison:
    """Compare two sessions that were read one after the other."""
    return SessionComparison(
        a=a.session,
        b=b.session,
        tools=_tools(a.tools, b.tools),
        turns=tuple(TurnPair(*pair) for pair in zip_longest(a.turns, b.turns)),
        files=compare_changes(a.files, b.files),
    )


def _session(conversation: Conversation, bills: Bills) -> ComparedSession:
    session, totals = conversation.session, conversation.totals
    bill = bill_all(conversation.messages, bills)
    waited = total_wait(find_waits(conversation).values())
    facts = gather_facts(conversation)
    last = _last_answer(conversation)
    return ComparedSession(
        session_id=session.id,
        title=session.title,
        project=session.project,
        models=session.models,
        started_at=session.started_at or None,
        duration_ms=session.duration_ms,
        active_ms=session.active_ms,
        waiting_ms=waited.ms,
        waiting_quality=waited.quality,
        turns=len(conversation.turns),
        prompts=totals.prompts,
        messages=totals.messages,
        tool_calls=totals.tool_calls,
        errors=totals.errors,
        agent_runs=totals.agent_runs,
        total_tokens=_tokens(totals.usage),
        cost_usd=bill.usd,
        quality=bill.quality,
        outcome=str(find_outcome(facts)),
        account=describe(facts),
        last_answer="" if last is None else _beginning(last.text),
        last_answer_id="" if last is None else last.id,
    )


def _last_answer(conversation: Conversation) -> Message | None:
    """Return the last answer of the main thread that has words."""
    main = next((thread for thread in conversation.threads if thread.is_main), None)
    ids = frozenset(main.message_ids if main else ())
    answers = (
        message
        for message in reversed(conversation.messages)
        if message.id in ids and message.kind == "answer" and not message.agent_run_id
    )
    return next((one for one in answers if one.text.strip() and one.subtype != "synthetic"), None)


def _beginning(text: str) -> str:
    """Return how a text begins, on one line and without markup."""
    lines = (strip_lead(strip_markdown(line)) for line in text[:_READ].splitlines())
    lines = (line for line in lines if any(map(str.isalnum, line)))
    return textwrap.shorten(" ".join(lines), _ANSWER, placeholder=" …")


def _tokens(usage: ModelUsage) -> int:
    writes = usage.cache_write_5m_tokens + usage.cache_write_1h_tokens
    writes += usage.cache_write_unsplit_tokens
    return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + writes


def _tools(a: Mapping[str, int], b: Mapping[str, int]) -> tuple[ToolPair, ...]:
    """Pair the counts of tools, the one called most by both together first."""
    pairs = (ToolPair(name, a.get(name, 0), b.get(name, 0)) for name in {*a, *b})
    return tuple(sorted(pairs, key=lambda pair: (-pair.a - pair.b, pair.tool)))


def _turns(conversation: Conversation, bills: Bills) -> Sequence[ComparedTurn]:
    own: dict[int, list[Message]] = {}
    for message in conversation.messages:
        if message.turn is not None:
            own.setdefault(message.turn, []).append(message)
    prompts = {message.id: message.text for message in conversation.messages}
    return [_turn(turn, prompts, own.get(turn.index, ()), bills) for turn in conversation.turns]


def _turn(
    turn: Turn, prompts: dict[str, str], messages: Iterable[Message], bills: Bills
) -> ComparedTurn:
    bill = bill_all(messages, bills)
    return ComparedTurn(
        turn=turn.index,
        prompt_id=turn.prompt_id,
        prompt=" ".join(prompts.get(turn.prompt_id, "").split())[:_PROMPT],
        tool_calls=turn.tool_call_count,
        duration_ms=turn.duration_ms,
        cost_usd=bill.usd,
        quality=bill.quality,
    )

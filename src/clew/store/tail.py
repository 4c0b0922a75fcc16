"""The end of a session, built on its own → its rows, as if the whole session had been built."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from clew.clock import milliseconds
from clew.conversation import Conversation, Material, Message, ToolCall, takes_time
from clew.entries import Marker, TurnDuration
from clew.store.past import OpenTurn, Past
from clew.store.rows import PARSER_VERSION, Before, SessionRows, to_rows


def rows_after(
    past: Past, material: Material, conversation: Conversation, session: dict[str, Any]
) -> SessionRows:
    """Give a tail's rows, numbered behind those of its past, and the session's row.

    `session` is that row as it was; what it says of the past stays so. Messages are told their
    place behind the past.
    """
    loose = _open_messages(conversation)
    _place(past, conversation, str(session["cwd"]))
    numbers = {path: number for number, path in enumerate(past.transcripts)}
    claim = str(session["claim"])
    before = Before(past.messages, past.calls, past.last_epoch, numbers, claim)
    rows = to_rows(material, conversation, before)
    if past.open_turn is not None:
        rows.tables["turn"].insert(0, _turn_row(past.open_turn, loose, material, conversation))
    rows.session = _session(past, conversation, session)
    rows.session["claim"] = _claim(past, material)
    return rows


def _open_messages(conversation: Conversation) -> list[Message]:
    """Give the messages that stand before the tail's first turn."""
    return [message for message in conversation.messages if message.turn is None]


def _place(past: Past, conversation: Conversation, cwd: str) -> None:
    open_turn = past.open_turn.index if past.open_turn else None
    conversation.threads[0].id = past.thread_id
    conversation.session.cwd = cwd
    conversation.messages[0].parent_id = past.parent_id
    for message in conversation.messages:
        message.epoch = past.epoch
        message.turn = open_turn if message.turn is None else past.turns + message.turn
        if message.agent_run_id is None:
            message.thread_ids = (past.thread_id,)
    for turn in conversation.turns:
        turn.index += past.turns


def open_turn_of(base: OpenTurn, own: list[Message], calls: Iterable[ToolCall]) -> OpenTurn:
    """Give a turn that went on with these messages."""
    ids = {message.id for message in own}
    timed = [message for message in own if takes_time(message, base.prompt_id)]
    return OpenTurn(
        index=base.index,
        prompt_id=base.prompt_id,
        message_count=base.message_count + sum(m.agent_run_id is None for m in own),
        tool_call_count=base.tool_call_count + sum(call.message_id in ids for call in calls),
        started_at=min(
            (t for t in (base.started_at, *(m.started_at for m in timed)) if t), default=""
        ),
        ended_at=max(base.ended_at, *(m.ended_at for m in timed), ""),
    )


def _turn_row(
    base: OpenTurn, own: list[Message], material: Material, conversation: Conversation
) -> tuple[Any, ...]:
    turn = open_turn_of(base, own, conversation.tool_calls)
    start, end = milliseconds(turn.started_at), milliseconds(turn.ended_at)
    plain = None if start is None or end is None else end - start
    measured = list(_measured(material, own))
    return (
        turn.index,
        turn.prompt_id,
        turn.message_count,
        turn.tool_call_count,
        turn.started_at,
        turn.ended_at,
        round(sum(measured)) if measured else plain,
        PARSER_VERSION,
    )


def _measured(material: Material, own: list[Message]) -> Iterator[float]:
    """Give what the client measured of a turn."""
    rows = [m.lines[0] for m in own if m.subtype == "turn_duration" and m.lines]
    places = {(place.file, place.offset) for place in rows}
    for transcript in material.transcripts if places else ():
        for entry in transcript.entries:
            body = entry.body
            if (
                isinstance(body, TurnDuration)
                and body.duration_ms is not None
                and (entry.file, entry.offset) in places
            ):
                yield body.duration_ms


def _session(past: Past, conversation: Conversation, before: dict[str, Any]) -> dict[str, Any]:
    own, totals = conversation.session, conversation.totals
    title, source = _title(past, conversation, before)
    state = conversation.cost_state
    versions = _joined(msgspec.json.decode(before["versions"], type=list[str]), own.versions)
    return {
        **before,
        "own_title": title,
        "own_title_source": source,
        "git_branch": own.git_branch or before["git_branch"],
        "versions": versions,
        "models": _joined(past.models, own.models),
        "ended_at": own.ended_at,
        "duration_ms": (milliseconds(own.ended_at) or 0) - past.first_ms,
        "active_ms": past.active_ms + own.active_ms,
        "slug": before["slug"] or own.slug,
        "team": before["team"] or own.team,
        "agent_name": before["agent_name"] or own.agent_name,
        "entrypoint": before["entrypoint"] or own.entrypoint,
        "continued_in": own.lineage.continued_in or before["continued_in"],
        "message_count": past.messages + totals.messages,
        "prompt_count": past.prompts + totals.prompts,
        "answer_count": past.answers + totals.answers,
        "tool_call_count": past.calls + totals.tool_calls,
        "error_count": past.errors + totals.errors,
        "agent_run_count": past.agent_runs + totals.agent_runs,
        "client_cost_state": _json(state) if state is not None else before["client_cost_state"],
    }


def _claim(past: Past, material: Material) -> str:
    """Say by what the session claims its answers: a fork less than others, then who began first."""
    bodies = (entry.body for entry in material.transcripts[0].entries)
    marked = (body.timestamp for body in bodies if isinstance(body, Marker))
    began = min((time for time in (past.began, *marked) if time), default="")
    return f"|{int(past.is_fork)}|{began}|{material.session_id}"


def _title(past: Past, conversation: Conversation, before: dict[str, Any]) -> tuple[str, str]:
    """A person's title counts more than a generated one, and a later one more than an earlier."""
    title, source = str(before["own_title"]), str(before["own_title_source"])
    own = conversation.session
    is_better = own.title_source == "custom" or (
        own.title_source == "generated" and source != "custom"
    )
    return (
        (own.title, own.title_source) if is_better and not past.has_title_file else (title, source)
    )


def _joined(first: Iterable[str], then: Iterable[str]) -> str:
    return _json(tuple(dict.fromkeys((*first, *then))))


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode("utf-8", "replace")

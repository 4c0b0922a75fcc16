"""Conversation → JSON, in the shape of `clew.conversation/1`; page → JSON, `clew.page/1`.

What comes out of a conversation is cut into pieces, one per message or call, so that it can be
written while it is made. Each piece is on a line of its own.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from clew.analytics import Bill, Bills, bill_all, bill_messages
from clew.conversation import (
    MISSING,
    AgentRun,
    Block,
    Conversation,
    Message,
    ModelUsage,
    Session,
    ToolCall,
    Turn,
    Variant,
    sum_quality,
)
from clew.digest import SessionDigest
from clew.entries import System
from clew.notes import SessionNote
from clew.tools import Wait, decode_call, find_waits, read_decision
from clew.view import SessionPage

SCHEMA: Final = "clew.conversation/1"
_PENDING: Final = "pending"
_KEPT_DATA: Final = "other"
_SESSION_BLANKS: Final = (
    "title",
    "title_source",
    "project",
    "cwd",
    "started_at",
    "ended_at",
    "first_prompt",
)
_RUN_BLANKS: Final = ("agent", "description", "status", "prompt", "started_at", "ended_at")
_TIMES: Final = ("started_at", "ended_at")
# The message itself has the fields of every system entry.
_ROW_FIELDS: Final = frozenset(System.__struct_fields__)

Json = dict[str, Any]


def render_json(
    conversation: Conversation, digest: SessionDigest | None = None, note: SessionNote | None = None
) -> Iterator[bytes]:
    """Return a conversation as JSON, piece by piece; joined, they are one object.

    With a digest or a note of the reader, that is in it as well.
    """
    bills = bill_messages(conversation)
    yield b'{"schema":' + _encode(SCHEMA)
    yield b',\n"session":' + _encode(_session(conversation.session))
    if digest is not None:
        yield b',\n"digest":' + _encode(digest)
    if note is not None and not note.is_empty:
        yield b',\n"note":' + _encode(note)
    yield from _array("messages", (_message(m, bills) for m in conversation.messages))
    waits = find_waits(conversation)
    calls = (_tool_call(call, waits.get(call.id)) for call in conversation.tool_calls)
    yield from _array("tool_calls", calls)
    yield from _array("agent_runs", _runs(conversation, bills))
    yield from _array("threads", conversation.threads)
    yield from _array("turns", _turns(conversation, bills))
    yield from _array("epochs", conversation.epochs)
    yield b',\n"totals":' + _encode(_totals(conversation, bills))
    yield from _array("problems", conversation.problems)
    yield from _array("duplicates", conversation.duplicates)
    yield b"}\n"


def render_page_json(page: SessionPage) -> bytes:
    """Return a page as JSON, by the names of its structs' fields; pictures are in it as base64."""
    try:
        return msgspec.json.encode(page) + b"\n"
    except UnicodeEncodeError:
        return msgspec.json.encode(_mended(msgspec.to_builtins(page))) + b"\n"


def usage_json(usage: ModelUsage, bill: Bill) -> Json:
    """Return token counts with their cost, and the quality of both together.

    Cache writes of unknown length count as 5-minute ones; their number is given as well.
    """
    fields = msgspec.structs.asdict(usage)
    fields["cache_write_5m_tokens"] += fields["cache_write_unsplit_tokens"]
    fields["iterations"] = usage.iterations or None
    fields["quality"] = sum_quality((usage.quality, bill.quality))
    fields["cost_usd"] = bill.usd
    return fields


def _array(name: str, items: Iterable[object]) -> Iterator[bytes]:
    yield b',\n"' + name.encode() + b'":['
    separator = b"\n"
    for item in items:
        yield separator + _encode(item)
        separator = b",\n"
    yield b"]"


def _session(session: Session) -> Json:
    fields = _nulled(msgspec.structs.asdict(session), _SESSION_BLANKS)
    if not session.started_at:
        fields["duration_ms"] = fields["active_ms"] = None
    return fields


def _message(message: Message, bills: Bills) -> Json:
    fields = _nulled(msgspec.structs.asdict(message), _TIMES)
    del fields["block_lines"]
    if message.usage is not None:
        unbilled = Bill(quality=message.usage.quality)
        fields["usage"] = usage_json(message.usage, bills.get(message.id, unbilled))
    fields["blocks"] = _blocks(message.blocks)
    del fields["variants"]
    if message.variants:
        fields["variants"] = [_variant(variant) for variant in message.variants]
    if message.content is not None:
        fields["content"] = _value(_content(message.content))
    if message.thinking_metadata is not None:
        fields["thinking_metadata"] = _value(message.thinking_metadata)
    if message.todos:
        fields["todos"] = _value(message.todos)
    return fields


def _variant(variant: Variant) -> Json:
    fields = _nulled(msgspec.structs.asdict(variant), ("at",))
    fields["blocks"] = _blocks(variant.blocks)
    return fields


def _content(content: object) -> object:
    if isinstance(content, System):
        names = (name for name in content.__struct_fields__ if name not in _ROW_FIELDS)
        return {name: getattr(content, name) for name in names}
    return content


def _blocks(blocks: Iterable[Block]) -> list[Json]:
    """Return blocks without the bytes of pictures; a block of unknown kind keeps its JSON."""
    found = []
    for block in blocks:
        fields = msgspec.structs.asdict(block)
        data = fields.pop("data")
        if data is not None and block.kind == _KEPT_DATA:
            fields["data"] = _reencoded(data.encode("utf-8", "replace"))
        found.append(fields)
    return found


def _tool_call(call: ToolCall, wait: Wait | None) -> Json:
    fields = _nulled(msgspec.structs.asdict(call), ("started_at",))
    del fields["times"]
    decision = read_decision(call)
    fields["decided_by"] = None if decision is None else decision.by
    fields["answer"] = None if decision is None else decision.answer
    fields["waiting_ms"] = None if wait is None else wait.ms
    fields["waiting_quality"] = None if wait is None else wait.quality
    fields["input"] = _reencoded(bytes(call.input))
    fields["is_error"] = call.is_error
    fields["result"] = None if call.status == _PENDING else _result(call)
    fields["result_blocks"] = _blocks(call.result_blocks)
    return fields


def _result(call: ToolCall) -> msgspec.Raw:
    _, result = decode_call(call)
    try:
        return _value(result)
    except RecursionError:
        return _reencoded(bytes(call.result))


def _runs(conversation: Conversation, bills: Bills) -> Iterator[Json]:
    own: dict[str, list[Message]] = {}
    for message in conversation.messages:
        if message.agent_run_id is not None:
            own.setdefault(message.agent_run_id, []).append(message)
    for run in conversation.agent_runs:
        is_missing = run.status == MISSING
        yield _run(run, Bill(None) if is_missing else bill_all(own.get(run.id, ()), bills))


def _run(run: AgentRun, bill: Bill) -> Json:
    fields = _nulled(msgspec.structs.asdict(run), _RUN_BLANKS)
    fields["usage"] = usage_json(run.usage, bill)
    return fields


def _turns(conversation: Conversation, bills: Bills) -> Iterator[Json]:
    own: dict[int, list[Message]] = {}
    for message in conversation.messages:
        if message.turn is not None:
            own.setdefault(message.turn, []).append(message)
    for turn in conversation.turns:
        yield _turn(turn, bill_all(own.get(turn.index, ()), bills))


def _turn(turn: Turn, bill: Bill) -> Json:
    fields = _nulled(msgspec.structs.asdict(turn), _TIMES)
    fields["usage"] = usage_json(turn.usage, bill)
    return fields


def _totals(conversation: Conversation, bills: Bills) -> Json:
    totals = conversation.totals
    bill = bill_all(conversation.messages, bills)
    return {
        **msgspec.structs.asdict(totals),
        "usage": usage_json(totals.usage, bill),
        "cost_usd": bill.usd,
        "unpriced_models": bill.unpriced_models,
    }


def _nulled(fields: Json, names: Iterable[str]) -> Json:
    """Replace empty texts by null."""
    for name in names:
        fields[name] = fields[name] or None
    return fields


def _encode(item: object) -> bytes:
    try:
        return msgspec.json.encode(item)
    except UnicodeEncodeError:
        return msgspec.json.encode(_mended(_snake(item)))


def _value(value: object) -> msgspec.Raw:
    """Encode a value by the names of our own fields."""
    return msgspec.Raw(_encode(_snake(value)))


def _snake(value: object) -> object:
    """Return structs as objects whose keys are the names of their fields."""
    match value:
        case msgspec.Raw():
            return _reencoded(bytes(value))
        case msgspec.Struct():
            return {name: _snake(getattr(value, name)) for name in value.__struct_fields__}
        case dict():
            return {str(key): _snake(item) for key, item in value.items()}
        case list() | tuple():
            return [_snake(item) for item in value]
        case _:
            return value


def _mended(value: object) -> object:
    """Put a mark in place of what is no character."""
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case dict():
            return {_mended(key): _mended(item) for key, item in value.items()}
        case list() | tuple():
            return [_mended(item) for item in value]
        case _:
            return value


def _reencoded(raw: bytes) -> msgspec.Raw:
    """Return JSON that stood in a transcript as JSON that every reader takes; else as its text."""
    try:
        return msgspec.Raw(msgspec.json.encode(msgspec.json.decode(raw)))
    except (ValueError, RecursionError):
        pass
    text = raw.decode("utf-8", "replace")
    try:
        value = json.loads(text, strict=False, parse_constant=str)
        return msgspec.Raw(msgspec.json.encode(_mended(value)))
    except (ValueError, RecursionError):
        return msgspec.Raw(msgspec.json.encode(text))

"""Conversation → rows: pure, so that it runs in any process, and the same entries give the same.

What depends on other sessions (who owns a copied answer, old titles that stand elsewhere) is not
decided here: the rows carry what is needed to settle it in the database.
"""

import datetime as dt
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.analytics import ModelCall, Tokens, cost_of, file_touches, model_calls
from clew.clock import parse_time
from clew.conversation import (
    Block,
    Conversation,
    Material,
    Message,
    ModelUsage,
    ToolCall,
    Transcript,
    TranscriptKind,
)
from clew.entries import (
    AttachmentRow,
    Broken,
    Entry,
    Marker,
    ProgressRow,
    Row,
    Summary,
    System,
    attachment_kind,
    progress_kind,
)
from clew.problems import severity_of
from clew.store.block_texts import input_text
from clew.store.fulltext import result_words, to_words
from clew.tools import decode_input, label

PARSER_VERSION: Final = 2
INLINE_CHARACTERS: Final = 2048
INLINE_RESULT_CHARACTERS: Final = 256
_LABEL_CHARACTERS: Final = 200
_UUID_LENGTH: Final = 36
_UUID_BYTES: Final = 16
_FIELDS: Final = {
    "prompt": "prompt",
    "steering": "prompt",
    "command": "prompt",
    "bash_input": "prompt",
    "memory": "prompt",
    "answer": "answer",
    "compaction_summary": "answer",
    "teammate": "answer",
    "notification": "answer",
    "command_output": "result",
    "bash_output": "result",
}
_NOT_SEARCHED: Final = ("attachment", "hook", "system", "injection")
Rows = list[tuple[Any, ...]]


class Before(msgspec.Struct, frozen=True):
    """What stands before a conversation that is only the end of a session.

    `numbers` are those of all its transcripts; `claim` is what its answers are claimed by.
    """

    messages: int = 0
    calls: int = 0
    last_epoch: int = 0
    numbers: dict[str, int] = {}
    claim: str = ""


_NOTHING: Final = Before()


class SessionRows(msgspec.Struct):
    """All rows of one session, ready to be written; `texts` go to the index, by block number."""

    session_id: str
    project: str
    session: dict[str, Any]
    tables: dict[str, Rows]
    texts: list[tuple[int, str, str]]


def to_rows(
    material: Material, conversation: Conversation, before: Before = _NOTHING
) -> SessionRows:
    """Give the rows of one session, or of its end."""
    session = conversation.session
    claim = before.claim or claim_of(material)
    order = {m.id: number for number, m in enumerate(conversation.messages, before.messages)}
    numbers = before.numbers or {t.path: number for number, t in enumerate(material.transcripts)}
    blocks, texts = _blocks(conversation, _Lines(material, numbers), before.messages)
    tables = {
        "transcript": list(_transcripts(material, before)),
        "old_title": list(_old_titles(material)),
        "entry": list(_entries(material, before)),
        "message": list(_messages(conversation, numbers, before)),
        "block": blocks,
        "tool_call": list(_tool_calls(conversation, order, before.calls)),
        "agent_run": list(_agent_runs(conversation)),
        "thread": list(_threads(conversation)),
        "turn": list(_turns(conversation)),
        "epoch": list(_epochs(conversation)),
        "model_call": list(_model_calls(conversation)),
        "file_change": list(_file_changes(conversation)),
        "edge": list(_edges(conversation)),
        "problem": list(_problems(conversation, numbers)),
    }
    return SessionRows(session.id, session.project, _session(conversation, claim), tables, texts)


def _session(conversation: Conversation, claim: str) -> dict[str, Any]:
    session, totals = conversation.session, conversation.totals
    state = conversation.cost_state
    return {
        "id": session.id,
        "own_title": session.title,
        "own_title_source": session.title_source,
        "cwd": session.cwd,
        "git_branch": session.git_branch,
        "versions": _json(session.versions),
        "models": _json(session.models),
        "started_at": session.started_at,
        "ended_at": session.ended_at,
        "duration_ms": session.duration_ms,
        "active_ms": session.active_ms,
        "first_prompt": session.first_prompt[:INLINE_CHARACTERS],
        "slug": session.slug,
        "team": session.team,
        "agent_name": session.agent_name,
        "entrypoint": session.entrypoint,
        "stated_fork": session.lineage.forked_from,
        "continued_in": session.lineage.continued_in,
        "teammate_of": session.lineage.teammate_of,
        "message_count": totals.messages,
        "prompt_count": totals.prompts,
        "answer_count": totals.answers,
        "tool_call_count": totals.tool_calls,
        "error_count": totals.errors,
        "agent_run_count": totals.agent_runs,
        "thread_count": len(conversation.threads),
        "compaction_count": len(conversation.epochs) - 1,
        "client_cost_state": None if state is None else _json(state),
        "claim": claim,
        "parser_version": PARSER_VERSION,
    }


def _numbered(material: Material, before: Before) -> Iterator[tuple[int, Transcript]]:
    for index, transcript in enumerate(material.transcripts):
        yield before.numbers.get(transcript.path, index), transcript


def _transcripts(material: Material, before: Before) -> Iterator[tuple[Any, ...]]:
    for number, transcript in _numbered(material, before):
        yield (
            number,
            transcript.path,
            str(transcript.kind),
            transcript.agent_id,
            len(transcript.entries),
            PARSER_VERSION,
        )


def _old_titles(material: Material) -> Iterator[tuple[Any, ...]]:
    number = 0
    for transcript in material.transcripts:
        for entry in transcript.entries:
            if isinstance(entry.body, Summary):
                yield (short_id(entry.body.leaf_uuid), entry.body.summary, number)
                number += 1


def _entries(material: Material, before: Before) -> Iterator[tuple[Any, ...]]:
    for number, transcript in _numbered(material, before):
        for entry in transcript.entries:
            body = entry.body
            is_row = isinstance(body, Row)
            uuid = body.uuid if isinstance(body, Row | Broken) else ""
            yield (
                number,
                entry.number,
                entry.line_offset + entry.start,
                _size(entry),
                short_id(uuid) if uuid else None,
                "broken" if isinstance(body, Broken) else body.type,
                _subtype(entry) if is_row else "",
                body.timestamp or "",
                body.version if isinstance(body, Row) else "",
            )


def _size(entry: Entry) -> int:
    """Give the length of an entry's own bytes, without a copy of them."""
    end = entry.end if entry.end >= 0 else len(entry.text) + entry.end
    return end - entry.start


def _subtype(entry: Entry) -> str:
    match entry.body:
        case System() as system:
            return system.subtype or ""
        case AttachmentRow() as row:
            return attachment_kind(row.attachment)
        case ProgressRow() as row:
            return progress_kind(row.data)
        case _:
            return ""


def _messages(
    conversation: Conversation, numbers: dict[str, int], before: Before
) -> Iterator[tuple[Any, ...]]:
    main = next((thread.id for thread in conversation.threads if thread.is_main), None)
    last_epoch = max((epoch.index for epoch in conversation.epochs), default=0)
    last_epoch = max(last_epoch, before.last_epoch)
    for number, message in enumerate(conversation.messages, before.messages):
        kinds = {block.kind for block in message.blocks}
        place = message.lines[0] if message.lines else None
        yield (
            message.id,
            number,
            message.kind,
            message.role,
            message.subtype,
            message.agent_run_id,
            message.parent_id,
            _json(message.thread_ids),
            int(main in message.thread_ids),
            message.turn,
            message.epoch,
            int(message.epoch < last_epoch),
            int(message.is_meta),
            message.model,
            message.stop_reason,
            message.error,
            message.started_at,
            message.ended_at,
            int("text" in kinds),
            int("thinking" in kinds),
            int("tool_use" in kinds),
            int("tool_result" in kinds),
            numbers.get(place.file, -1) if place else -1,
            place.line if place else 0,
            place.offset if place else 0,
            PARSER_VERSION,
        )


class _Lines:
    """Where the entries of a session's transcripts stand, and how long they are."""

    def __init__(self, material: Material, numbers: dict[str, int]) -> None:
        self.numbers = numbers
        self.sizes: dict[str, dict[int, int]] = {}
        for transcript in material.transcripts:
            # Copies in two roots go by one path.
            sizes = self.sizes.setdefault(transcript.path, {})
            sizes.update((e.line_offset + e.start, _size(e)) for e in transcript.entries)

    def of(self, message: Message, index: int) -> tuple[int, int, int]:
        """Give transcript, offset and length of the line that holds a message's block."""
        if not message.lines:
            return -1, 0, 0
        place = message.lines[message.block_lines[index] if message.block_lines else 0]
        size = self.sizes.get(place.file, {}).get(place.offset, 0)
        return self.numbers.get(place.file, -1), place.offset, size


def _blocks(
    conversation: Conversation, lines: _Lines, first: int
) -> tuple[Rows, list[tuple[int, str, str]]]:
    """Give block rows, and for each the text to index: inputs and results are the calls' own."""
    calls = {call.id: call for call in conversation.tool_calls}
    rows: Rows = []
    texts: list[tuple[int, str, str]] = []
    for number, message in enumerate(conversation.messages, first):
        for index, block in enumerate(message.blocks):
            text = block.text
            field = _field(message, block)
            if block.kind == "tool_use" and block.tool_call_id in calls:
                text = input_text(bytes(calls[block.tool_call_id].input))
                field = "input"
            elif block.kind == "tool_result" and block.tool_call_id in calls:
                call = calls[block.tool_call_id]
                field = "result"
                if call.result_message_id == message.id:
                    text = call.result_text
            rows.append(_block_row(number, index, block, field, text, lines.of(message, index)))
            if text and field:
                words = result_words(text) if field == "result" else to_words(text)
                texts.append((len(rows) - 1, field, words))
    return rows, texts


def _block_row(
    number: int,
    index: int,
    block: Block,
    field: str,
    text: str,
    place: tuple[int, int, int],
) -> tuple[Any, ...]:
    limit = INLINE_RESULT_CHARACTERS if field == "result" else INLINE_CHARACTERS
    cut = len(text) > limit
    return (
        number,
        index,
        block.kind,
        field,
        text[:limit] if cut else text,
        int(cut),
        block.size_bytes if block.size_bytes is not None else len(text),
        block.tool_call_id,
        *place,
    )


def _field(message: Message, block: Block) -> str:
    if block.kind == "thinking":
        return "thinking"
    if block.kind == "tool_result":
        return "result"
    if block.kind != "text" or message.kind in _NOT_SEARCHED:
        return ""
    return _FIELDS.get(message.kind, "answer")


def _tool_calls(
    conversation: Conversation, order: dict[str, int], first: int
) -> Iterator[tuple[Any, ...]]:
    """Give the calls as one reads them, so that those of a session's end are numbered last."""
    read = sorted(conversation.tool_calls, key=lambda call: order.get(call.message_id, -1))
    for number, call in enumerate(read, first):
        yield (
            call.id,
            number,
            call.tool,
            _label(call, conversation.session.cwd),
            order.get(call.message_id, -1),
            call.agent_run_id,
            call.status,
            int(call.is_error),
            call.started_at,
            call.ended_at,
            call.duration_ms,
            call.started_run_id,
            len(bytes(call.input)),
            len(call.result_text),
            PARSER_VERSION,
        )


def _label(call: ToolCall, cwd: str) -> str:
    arguments = decode_input(call.tool, bytes(call.input))
    return label(call.tool, arguments, cwd=cwd)[:_LABEL_CHARACTERS]


def _agent_runs(conversation: Conversation) -> Iterator[tuple[Any, ...]]:
    for run in conversation.agent_runs:
        yield (
            run.id,
            run.agent,
            run.description,
            run.kind,
            run.tool_call_id,
            run.parent_run_id,
            run.link,
            run.depth,
            run.status,
            run.prompt[:INLINE_CHARACTERS],
            _json(run.models),
            run.started_at,
            run.ended_at,
            int(run.is_hidden),
            len(run.message_ids),
            PARSER_VERSION,
        )


def _threads(conversation: Conversation) -> Iterator[tuple[Any, ...]]:
    for thread in conversation.threads:
        count = len(thread.message_ids)
        yield (
            thread.id,
            int(thread.is_main),
            thread.forked_at,
            count,
            PARSER_VERSION,
        )


def _turns(conversation: Conversation) -> Iterator[tuple[Any, ...]]:
    for turn in conversation.turns:
        yield (
            turn.index,
            turn.prompt_id,
            len(turn.message_ids),
            turn.tool_call_count,
            turn.started_at,
            turn.ended_at,
            turn.duration_ms,
            PARSER_VERSION,
        )


def _epochs(conversation: Conversation) -> Iterator[tuple[Any, ...]]:
    for epoch in conversation.epochs:
        yield (
            epoch.index,
            epoch.boundary_id,
            epoch.trigger,
            epoch.tokens_before,
            epoch.tokens_after,
            PARSER_VERSION,
        )


def _model_calls(conversation: Conversation) -> Iterator[tuple[Any, ...]]:
    for call in model_calls(conversation):
        usage = call.usage
        yield (
            call.message_id,
            call.number,
            call.kind,
            call.request_id,
            call.agent_run_id,
            call.model,
            call.at,
            usage.input_tokens,
            usage.output_tokens,
            usage.cache_read_tokens,
            usage.cache_write_5m_tokens,
            usage.cache_write_1h_tokens,
            usage.cache_write_unsplit_tokens,
            usage.web_searches,
            usage.web_fetches,
            usage.service_tier,
            usage.inference_geo,
            usage.speed,
            usage.quality,
            0,
            call_cost(call),
            PARSER_VERSION,
        )


def call_cost(call: ModelCall) -> int | None:
    """Give the cost of a model call in nano-dollars, None when its model has no price."""
    moment = parse_time(call.at)
    day = moment.date() if moment else dt.date(1970, 1, 1)
    cost = cost_of(to_tokens(call.usage), call.model, day)
    return None if cost is None else cost.nano_dollars


def to_tokens(usage: ModelUsage) -> Tokens:
    """Give what pricing needs of a usage."""
    return Tokens(
        input=usage.input_tokens,
        output=usage.output_tokens,
        cache_read=usage.cache_read_tokens,
        cache_write_5m=usage.cache_write_5m_tokens,
        cache_write_1h=usage.cache_write_1h_tokens,
        cache_write_unsplit=usage.cache_write_unsplit_tokens,
        web_searches=usage.web_searches,
        service_tier=usage.service_tier,
        inference_geo=usage.inference_geo,
        speed=usage.speed,
    )


def claim_of(material: Material) -> str:
    """Of several sessions that hold an answer, the one with the smallest claim made it."""
    entries = [
        entry
        for transcript in material.transcripts
        if transcript.kind is TranscriptKind.SESSION
        for entry in transcript.entries
    ]
    is_fork = any(isinstance(e.body, Row) and e.body.forked_from for e in entries)
    marked = (e.body.timestamp for e in entries if isinstance(e.body, Marker))
    began = min((time for time in marked if time), default="~")
    return f"|{int(is_fork)}|{began}|{material.session_id}"


def _file_changes(conversation: Conversation) -> Iterator[tuple[Any, ...]]:
    for touch in file_touches(conversation.tool_calls):
        yield (
            touch.tool_call_id,
            touch.agent_run_id,
            touch.at,
            touch.path,
            touch.action,
            touch.lines_added,
            touch.lines_removed,
            PARSER_VERSION,
        )


def _edges(conversation: Conversation) -> Iterator[tuple[Any, ...]]:
    """Links between things that are not a message and its parent."""
    for run in conversation.agent_runs:
        if run.tool_call_id:
            yield ("started_run", run.tool_call_id, run.id)
    for message in conversation.messages:
        if message.pair_id:
            yield ("pair", message.pair_id, message.id)
    for call in conversation.tool_calls:
        for follow_up in call.follow_up_ids:
            yield ("follow_up", call.id, follow_up)
        if call.notification_id:
            yield ("notification", call.id, call.notification_id)
    for copy in conversation.duplicates:
        yield ("duplicate", copy.of, copy.id)


def _problems(conversation: Conversation, numbers: dict[str, int]) -> Iterator[tuple[Any, ...]]:
    for found in conversation.problems:
        severity = str(severity_of(found.kind))
        yield (
            found.kind,
            severity,
            numbers.get(found.file, -1),
            found.line,
            found.offset,
            found.text,
        )


def short_id(uuid: str) -> bytes | str:
    """A UUID as its 16 bytes; any other id as it is."""
    try:
        packed = bytes.fromhex(uuid.replace("-", "")) if len(uuid) == _UUID_LENGTH else b""
    except ValueError:
        return uuid
    return packed if len(packed) == _UUID_BYTES else uuid


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode("utf-8", "replace")

"""Conversation → rows: pure, so that it runs in any process, and the same entries give the same.

What depends on other sessions (who owns a copied answer, old titles that stand elsewhere) is not
decided here: the rows carry what is needed to settle it in the database.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from clew.analytics import (
    FileTouch,
    Pricer,
    RequestHead,
    find_cache_breaks,
    git_reports,
    missing_transcripts,
    model_calls,
    request_heads,
    session_touches,
)
from clew.conversation import (
    Conversation,
    Material,
    Message,
    Permission,
    Reported,
    ToolCall,
    count_compactions,
    first_whole_epoch,
    usage_counts,
)
from clew.digest import describe, find_outcome, gather_facts
from clew.problems import severity_of
from clew.storable import ESCAPED_NUL, storable, storable_json, storable_value
from clew.store.block_rows import BlockRows, LineSizes, block_rows
from clew.store.clean_rows import clean_rows
from clew.store.entry_rows import Rows, claim_of, entry_rows, old_title_rows
from clew.store.inline_limits import LAPTOP_LIMITS, InlineLimits
from clew.store.outcome_rows import call_outcome
from clew.store.query_texts import Folders, entry_folders, folder_at, hook_rows, json_text
from clew.store.session_tables import PARSER_VERSION
from clew.tools import Wait, call_label, decode_input, find_waits, total_wait

_LABEL_CHARACTERS: Final = 200
_PROMPT_CHARACTERS: Final = 2_048
Waits: TypeAlias = dict[str, Wait]
_NO_BLOBS: Final[Mapping[str, str]] = {}


class MaterialRows(msgspec.Struct):
    """The rows that entries alone give, and what other rows need to know of the entries.

    `numbers` are those of the transcripts by path, `sizes` the lengths of their entries by offset,
    `folders` the working directories at some of them, `heads` what requests were made with.
    """

    tables: dict[str, Rows]
    numbers: dict[str, int]
    sizes: dict[str, dict[int, int]]
    claim: str
    folders: Folders
    heads: dict[str, RequestHead] = {}

    @property
    def entries(self) -> int:
        """How many entries there are."""
        return len(self.tables["entry"])


class SessionRows(msgspec.Struct):
    """All rows of one session, ready to be written; `texts` go to the index, by block number."""

    session_id: str
    project: str
    session: dict[str, Any]
    tables: dict[str, Rows]
    texts: list[tuple[int, str, str]]

    def release(self) -> None:
        """Free the memory once they are written, whoever still holds them.

        The texts may wait for the end of the transaction: only this reference to them goes.
        """
        self.tables.clear()
        self.texts = []


def material_rows(
    material: Material,
    limits: InlineLimits = LAPTOP_LIMITS,
    blobs: Mapping[str, str] = _NO_BLOBS,
) -> MaterialRows:
    """Return all that rows need of a session's entries: they take most of the memory.

    `blobs` are the names of the transcripts' blobs, by path.
    """
    entries = entry_rows(enumerate(material.transcripts))
    tables = {
        "transcript": list(_transcripts(material, blobs)),
        "old_title": old_title_rows(material),
        "entry": entries.rows,
        "hook_entry": hook_rows(material) if limits.for_sql else [],
    }
    numbers = {t.path: number for number, t in enumerate(material.transcripts)}
    folders = entry_folders(material) if limits.for_sql else {}
    return MaterialRows(
        tables, numbers, entries.sizes, claim_of(material), folders, request_heads(material)
    )


def to_rows(
    material: MaterialRows,
    conversation: Conversation,
    limits: InlineLimits = LAPTOP_LIMITS,
    *,
    with_blocks: bool = True,
) -> SessionRows:
    """Return the rows of one session, with texts up to some lengths."""
    session, numbers = conversation.session, material.numbers
    order = {message.id: number for number, message in enumerate(conversation.messages)}
    lines = LineSizes(numbers, material.sizes)
    waits = find_waits(conversation)
    blocks = block_rows(conversation, lines, limits) if with_blocks else BlockRows([], [])
    touches = list(session_touches(conversation))
    tables = {
        **material.tables,
        "message": list(_messages(conversation, lines)),
        "tool_call": list(_tool_calls(conversation, order, waits, material.folders, limits)),
        "agent_run": list(_agent_runs(conversation)),
        "thread": list(_threads(conversation)),
        "turn": list(_turns(conversation)),
        "epoch": list(_epochs(conversation)),
        "model_call": list(_model_calls(conversation)),
        "cache_break": list(_cache_breaks(conversation, material.heads)),
        "missing_transcript": list(_missing_transcripts(conversation)),
        "file_change": list(_file_changes(touches)),
        "git_report": list(_git_reports(conversation)),
        "edge": list(_edges(conversation)),
        "problem": list(_problems(conversation, numbers)),
    }
    clean = {name: clean_rows(rows) for name, rows in tables.items()}
    clean["block"] = blocks.rows
    row = storable_value(_session(conversation, material.claim, touches, waits))
    return SessionRows(row["id"], storable(session.project), row, clean, blocks.texts)


def _session(
    conversation: Conversation, claim: str, touches: Sequence[FileTouch], waits: Waits
) -> dict[str, Any]:
    session, totals = conversation.session, conversation.totals
    state, facts = conversation.cost_state, gather_facts(conversation, touches)
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
        **_waiting(waits),
        "first_prompt": session.first_prompt[:_PROMPT_CHARACTERS],
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
        "compaction_count": count_compactions(conversation.epochs),
        "client_cost_state": None if state is None else _json(state),
        "claim": claim,
        "parser_version": PARSER_VERSION,
        "has_transcript": int(session.has_transcript),
        "description": describe(facts),
        "outcome": str(find_outcome(facts)),
    }


def _transcripts(material: Material, blobs: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    for number, transcript in enumerate(material.transcripts):
        yield (
            number,
            transcript.path,
            str(transcript.kind),
            transcript.agent_id,
            len(transcript.entries),
            PARSER_VERSION,
            blobs.get(transcript.path, ""),
        )


def _waiting(waits: Waits) -> dict[str, Any]:
    total = total_wait(waits.values())
    quality = total.quality if total.ms else None
    return {"waiting_ms": total.ms or None, "waiting_quality": quality}


def _messages(conversation: Conversation, lines: LineSizes) -> Iterator[tuple[Any, ...]]:
    main = next((thread.id for thread in conversation.threads if thread.is_main), None)
    whole_since = first_whole_epoch(conversation.epochs)
    for number, message in enumerate(conversation.messages):
        kinds = {block.kind for block in message.blocks}
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
            int(message.epoch < whole_since),
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
            *_first_line(message, lines),
        )


def _first_line(message: Message, lines: LineSizes) -> tuple[int, ...]:
    if not message.lines:
        return -1, 0, 0, PARSER_VERSION, 0
    first = message.lines[0]
    transcript, offset, size = lines.place(first)
    return transcript, first.line, offset, PARSER_VERSION, size


def _tool_calls(
    conversation: Conversation,
    order: dict[str, int],
    waits: Waits,
    folders: Folders,
    limits: InlineLimits,
) -> Iterator[tuple[Any, ...]]:
    """Return the calls as one reads them."""
    cwd = conversation.session.cwd
    read = sorted(conversation.tool_calls, key=lambda call: order.get(call.message_id, -1))
    for number, call in enumerate(read):
        given = bytes(call.input)
        yield (
            call.id,
            number,
            call.tool,
            _label(call, cwd),
            order.get(call.message_id, -1),
            call.agent_run_id,
            call.status,
            int(call.is_error),
            call.started_at,
            call.ended_at,
            call.duration_ms,
            call.started_run_id,
            len(given),
            len(call.result_text),
            PARSER_VERSION,
            *_permission(call),
            call.denial_kind,
            json_text(given) if len(given) <= limits.input else None,
            _folder(conversation, order.get(call.message_id), folders),
            *call_outcome(call, waits.get(call.id), cwd),
        )


def _folder(conversation: Conversation, number: int | None, folders: Folders) -> str | None:
    """Return where a message was written, if that is known and not where its session began."""
    lines = conversation.messages[number].lines if folders and number is not None else ()
    found = folder_at(folders, lines[0]) if lines else None
    return None if found == conversation.session.cwd else found


def _permission(call: ToolCall) -> tuple[str | None, ...]:
    fields = msgspec.structs.astuple(call.permission or Permission())
    return tuple(field or None for field in fields)


def _label(call: ToolCall, cwd: str) -> str:
    arguments = decode_input(call.tool, bytes(call.input))
    return call_label(call.tool, arguments, cwd=cwd)[:_LABEL_CHARACTERS]


def _agent_runs(conversation: Conversation) -> Iterator[tuple[Any, ...]]:
    for run in conversation.agent_runs:
        reported = run.reported or Reported()
        took = reported.duration_ms
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
            run.prompt[:_PROMPT_CHARACTERS],
            _json(run.models),
            run.started_at,
            run.ended_at,
            int(run.is_hidden),
            len(run.message_ids),
            PARSER_VERSION,
            reported.total_tokens,
            reported.tool_uses,
            None if took is None else round(took),
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
            epoch.kept_messages,
            epoch.total_messages,
            epoch.compression_ratio,
            int(epoch.is_restored),
        )


def _model_calls(conversation: Conversation) -> Iterator[tuple[Any, ...]]:
    pricer = Pricer()
    branches = {message.id: message.git_branch for message in conversation.messages}
    for call in model_calls(conversation):
        usage = call.usage
        cost, is_partial = pricer.price(usage, call.model, call.at)
        yield (
            call.message_id,
            call.number,
            call.kind,
            call.request_id,
            call.agent_run_id,
            call.model,
            call.at,
            *usage_counts(usage),
            usage.service_tier,
            usage.inference_geo,
            usage.speed,
            usage.quality,
            0,
            cost,
            PARSER_VERSION,
            call.cache_miss.reason if call.cache_miss else None,
            call.cache_miss.missed_tokens if call.cache_miss else None,
            int(usage.is_corrupt),
            int(is_partial),
            None,
            branches.get(call.message_id),
        )


def _cache_breaks(
    conversation: Conversation, heads: Mapping[str, RequestHead]
) -> Iterator[tuple[Any, ...]]:
    for found in find_cache_breaks(conversation, heads):
        yield (
            found.message_id,
            found.agent_run_id,
            found.at,
            found.cause,
            found.source,
            found.pause_ms,
            found.tokens,
            found.input_tokens,
            found.cache_write_5m_tokens,
            found.cache_write_1h_tokens,
            PARSER_VERSION,
        )


def _missing_transcripts(conversation: Conversation) -> Iterator[tuple[Any, ...]]:
    for found in missing_transcripts(conversation):
        yield (found.agent_run_id, found.message_id, found.at, 0, PARSER_VERSION)


def _file_changes(touches: Iterable[FileTouch]) -> Iterator[tuple[Any, ...]]:
    for touch in touches:
        yield (
            touch.tool_call_id,
            touch.agent_run_id,
            touch.at,
            touch.path,
            touch.action,
            touch.lines_added,
            touch.lines_removed,
            PARSER_VERSION,
            _lines_quality(touch),
        )


def _git_reports(conversation: Conversation) -> Iterator[tuple[Any, ...]]:
    for found in git_reports(conversation):
        yield (
            found.kind,
            found.at,
            found.hash,
            found.subject,
            found.branch,
            found.url,
            found.message_id,
            found.tool_call_id,
            PARSER_VERSION,
        )


def _lines_quality(touch: FileTouch) -> str | None:
    if touch.action == "read":
        return None
    return "lower_bound" if touch.is_lower_bound else "exact"


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


def _json(value: Any) -> str:
    text = msgspec.json.encode(value).decode("utf-8", "replace")
    return storable_json(text) if ESCAPED_NUL in text else text

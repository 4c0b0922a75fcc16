"""Step 1: join fragments into messages, and classify every other entry."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from clew.clock import milliseconds
from clew.conversation.blocks import answer_blocks, block_identity, to_block, to_blocks
from clew.conversation.material import Surroundings
from clew.conversation.model import Block, CacheMiss, Duplicate, Message, Retry
from clew.conversation.model_usage import ModelUsage, make_quality
from clew.conversation.nodes import MAIN, Node
from clew.conversation.shared_answers import SharedAnswers
from clew.conversation.usage import larger_count, usage_of_fragments
from clew.entries import (
    ApiError,
    Assistant,
    AttachmentRow,
    Broken,
    Informational,
    ProgressRow,
    QueuedCommandAttachment,
    Row,
    StopHookSummary,
    System,
    Unknown,
    User,
    attachment_kind,
    attachment_text,
    classify,
    classify_text,
)

_SYNTHETIC: Final = "<synthetic>"
_AT_ONCE_MS: Final = 10
_STEERED_BY_PERSON: Final = ("prompt", "")


class Drafted(msgspec.Struct):
    """Messages in order of their first entry, the message of each node, and copies set aside."""

    messages: list[Message] = []
    of_node: dict[str, Message] = {}
    duplicates: list[Duplicate] = []


class _Answer(msgspec.Struct, gc=False):
    """The fragments of one model answer."""

    nodes: list[Node]
    retries: list[Retry]


# Keeps an answer's place until all its fragments are known.
_UNJOINED: Final = Message(id="", kind="answer", role="assistant")


def join_messages(
    nodes: Iterable[Node], names: dict[str, str], around: Surroundings, shared: SharedAnswers
) -> Drafted:
    """Make the messages of one context, without the answers of others that it repeats."""
    drafted = Drafted([], {}, [])
    answers: dict[str, _Answer] = {}
    positions: dict[str, int] = {}
    waiting: list[Node] = []
    for node in nodes:
        body = node.entry.body
        if isinstance(body, Assistant):
            name = names[node.id]
            if shared.is_copy(node, name):
                drafted.duplicates.append(_copy_of(node, name))
            elif name in answers:
                answers[name].nodes.append(node)
            else:
                positions[name] = len(drafted.messages)
                drafted.messages.append(_UNJOINED)
                answers[name] = _Answer([node], [_retry(tried) for tried in waiting])
                waiting = []
        elif isinstance(body, ApiError):
            waiting.append(node)
        elif not isinstance(body, ProgressRow):
            message = _other_message(node)
            _mark_output(message, node, drafted.messages[-1] if drafted.messages else None)
            if message.kind == "prompt" and waiting:
                drafted.messages.append(_gave_up(waiting))
                waiting = []
            drafted.messages.append(message)
    if waiting:
        drafted.messages.append(_gave_up(waiting))
    for name, answer in answers.items():
        copies = shared.copies.get(name, ())
        message = _join(name, answer, copies, name in around.inherited)
        if message.usage is not None and name in around.copies:
            message.usage = larger_count(message.usage, around.copies[name])
        drafted.messages[positions[name]] = message
    of_node = drafted.of_node
    for message in drafted.messages:
        for name in message.entry_ids:
            of_node[name] = message
        for retry in message.retries:
            of_node[retry.entry_id] = message
    return drafted


def _mark_output(message: Message, node: Node, previous: Message | None) -> None:
    """Mark command output that old clients write without a tag or flag, right after the command.

    The answer to a mistyped command is such, and in a resumed copy the body of a command.
    """
    if previous is None or message.kind != "prompt" or node.parent != previous.id:
        return
    is_at_once = message.started_at == previous.started_at
    mistyped = previous.kind == "prompt" and previous.text.startswith("/")
    announced = previous.subtype == "caveat" and not message.text.startswith("/")
    if is_at_once and (mistyped or announced):
        message.kind = "command_output"
    elif previous.kind == "command" and _follows_at_once(previous, message):
        message.kind, message.subtype = "injection", "meta"


def _follows_at_once(first: Message, second: Message) -> bool:
    """Return whether there was no time to type in between."""
    one, two = milliseconds(first.started_at), milliseconds(second.started_at)
    return one is not None and two is not None and 0 <= two - one <= _AT_ONCE_MS


def name_answers(rows: Mapping[str, Node]) -> dict[str, str]:
    """Return the id of the answer that each fragment belongs to."""
    names = {}
    for node in rows.values():
        body = node.entry.body
        if isinstance(body, Assistant):
            name = body.message.id or node.id
            other = rows.get(name)
            # A row's uuid is its own, even where an answer claims it: no two messages share an id.
            is_taken = other is not None and not isinstance(other.entry.body, Assistant)
            names[node.id] = f"{name}:answer" if is_taken else name
    return names


def _copy_of(node: Node, name: str) -> Duplicate:
    location = node.location
    return Duplicate(node.id, name, location.file, location.line, location.offset)


def _join(
    name: str,
    answer: _Answer,
    copies: Sequence[Node],
    is_inherited: bool,  # noqa: FBT001 (a fact)
) -> Message:
    """Make one message of its fragments, wherever they are; copies may have its stop reason."""
    nodes = _in_order(answer.nodes)
    bodies = _bodies(nodes)
    first, last = bodies[0], bodies[-1]
    written = [*bodies, *_bodies(copies)]
    stop = request_id = None
    is_error = is_meta = is_aborted = is_deleted = False
    for body in written:
        stop = body.message.stop_reason or stop
    for body in bodies:
        request_id = request_id or body.request_id
        is_error = is_error or bool(body.is_api_error_message)
        is_meta = is_meta or body.is_meta
        is_aborted = is_aborted or body.is_aborted or body.is_aborted_mid_stream
        is_deleted = is_deleted or body.is_deleted
    times = [node.time for node in nodes]
    model = first.message.model or None
    blocks, block_lines = _ordered_blocks(bodies)
    return Message(
        id=name,
        kind="api_error" if is_error else "answer",
        role="assistant",
        subtype="synthetic" if model == _SYNTHETIC and not is_error else first.subtype or None,
        agent_run_id=nodes[0].context or None,
        entry_ids=tuple([node.id for node in nodes]),
        lines=tuple([node.location for node in nodes]),
        request_id=request_id or None,
        model=model,
        stop_reason=stop,
        started_at=min(times),
        ended_at=max(times),
        is_meta=is_meta,
        is_sidechain=first.is_sidechain,
        error=_error_text(last, blocks) if is_error else None,
        usage=_usage(written, make_quality(is_inherited=is_inherited, is_lower_bound=not stop)),
        cache_miss=_cache_miss(written),
        blocks=blocks,
        block_lines=block_lines,
        text="\n".join(block.text for block in blocks if block.kind == "text"),
        retries=tuple(answer.retries),
        is_aborted=is_aborted,
        is_deleted=is_deleted,
        cwd=first.cwd or None,
        git_branch=first.git_branch or None,
        version=first.version or None,
    )


def _bodies(nodes: Iterable[Node]) -> list[Assistant]:
    return [node.entry.body for node in nodes if isinstance(node.entry.body, Assistant)]


def _in_order(fragments: list[Node]) -> list[Node]:
    """Order fragments after their parents, then by time: some are written too late."""
    if len(fragments) == 1:
        return fragments
    own = {node.id: node for node in fragments}
    below: dict[str, list[Node]] = {}
    queue = []
    for node in fragments:
        if node.parent in own and node.parent != node.id:
            below.setdefault(node.parent, []).append(node)
        else:
            queue.append((node.key, node.id))
    heapq.heapify(queue)
    ordered = []
    while queue:
        node = own.pop(heapq.heappop(queue)[1])
        ordered.append(node)
        for child in below.get(node.id, ()):
            heapq.heappush(queue, (child.key, child.id))
    # Those in a cycle are left.
    return [*ordered, *own.values()]


def _error_text(body: Assistant, blocks: tuple[Block, ...]) -> str:
    text = "\n".join(block.text for block in blocks if block.kind == "text")
    return body.error or text or "error"


def _usage(bodies: list[Assistant], quality: str) -> ModelUsage | None:
    """Join the snapshots that the fragments state.

    Without a word on how it ended, an answer's count may be the one of its start: a lower bound.
    """
    if bodies[0].message.model == _SYNTHETIC:
        return None
    return usage_of_fragments(bodies, quality)


def _cache_miss(bodies: list[Assistant]) -> CacheMiss | None:
    """Return what the provider said last about the cache."""
    for body in reversed(bodies):
        classified = body.message.diagnostics
        if classified is not None and classified.cache_miss_reason is not None:
            reason = classified.cache_miss_reason
            return CacheMiss(reason.type, reason.cache_missed_input_tokens)
    return None


def _ordered_blocks(bodies: list[Assistant]) -> tuple[tuple[Block, ...], tuple[int, ...]]:
    """Blocks by their index in the answer where the client says it, else as written; none twice.

    Beside them is which of several fragments contains each.
    """
    found: list[Block] = []
    positions: list[int] = []
    indexes: list[int] = []
    seen: set[tuple[object, ...]] = set()
    is_numbered = False
    for position, body in enumerate(bodies):
        index = body.api_block_index
        is_numbered = is_numbered or index is not None
        for block in answer_blocks(body):
            key = block_identity(block, body)
            if key not in seen:
                seen.add(key)
                found.append(to_block(block))
                positions.append(position)
                indexes.append(position if index is None else index)
    if is_numbered:
        order = sorted(range(len(found)), key=indexes.__getitem__)
        found, positions = [found[at] for at in order], [positions[at] for at in order]
    return tuple(found), tuple(positions) if len(bodies) > 1 else ()


def _retry(node: Node) -> Retry:
    body = node.entry.body
    if not isinstance(body, ApiError):
        return Retry(node.id)
    error = body.error
    return Retry(
        node.id,
        node.time,
        body.retry_attempt,
        body.max_retries,
        body.retry_in_ms,
        error.status if error else None,
        ((error.formatted or error.message) if error else "") or body.content or "",
    )


def _gave_up(nodes: list[Node]) -> Message:
    """Make one message of failed tries that no answer follows."""
    message = _frame(nodes[0], "api_error", "system", "api_error")
    retries = [_retry(node) for node in nodes]
    message.retries = tuple(retries[:-1])
    message.entry_ids = (nodes[-1].id,)
    message.lines = tuple(node.location for node in nodes)
    message.error = retries[-1].text or "the model call failed"
    message.level = "error"
    times = sorted(node.time for node in nodes)
    message.started_at, message.ended_at = times[0], times[-1]
    message.id = nodes[-1].id
    return message


def _frame(node: Node, kind: str, role: str, subtype: str | None = None) -> Message:
    """Make a message of one entry, with what all entries have."""
    body = node.entry.body
    row = body if isinstance(body, Row) else None
    return Message(
        id=node.id,
        kind=kind,
        role=role,
        subtype=subtype,
        agent_run_id=None if node.context == MAIN else node.context,
        entry_ids=(node.id,),
        lines=(node.location,),
        started_at=node.time,
        ended_at=node.time,
        is_sidechain=row.is_sidechain if row else False,
        is_deleted=row.is_deleted if row else False,
        is_aborted=row.is_aborted if row else False,
        cwd=(row.cwd or None) if row else None,
        git_branch=(row.git_branch or None) if row else None,
        version=(row.version or None) if row else None,
    )


def _other_message(node: Node) -> Message:
    match node.entry.body:
        case User() as user:
            return _user_message(node, user)
        case System() as system:
            return _system_message(node, system)
        case AttachmentRow() as row:
            return _attachment_message(node, row)
        case Broken() as broken:
            message = _frame(node, "unknown", "unknown", "broken")
            message.error = broken.reason
            return message
        case Unknown() as unknown:
            message = _frame(node, "unknown", "unknown", unknown.type)
            message.blocks = (
                Block("other", unknown.type, data=node.entry.raw.decode("utf-8", "replace")),
            )
            return message
        case _:
            return _frame(node, "unknown", "unknown")


def _user_message(node: Node, user: User) -> Message:
    classified = classify(user)
    message = _frame(node, classified.kind, "user", classified.subtype or None)
    message.blocks = to_blocks(user.message.content)
    message.text = classified.text
    message.content = classified.content
    message.notices = classified.notices
    message.level = user.level or None
    message.is_meta = bool(user.is_meta)
    message.is_transcript_only = user.is_visible_in_transcript_only
    message.permission_mode = user.permission_mode or None
    message.thinking_metadata = user.thinking_metadata
    message.todos = user.todos
    message.plan = user.plan_content or None
    message.source_tool_call_id = user.source_tool_use_id or None
    return message


def _system_message(node: Node, system: System) -> Message:
    kind, classified = "system", None
    if isinstance(system, StopHookSummary):
        kind = "hook"
    elif system.subtype == "local_command" and system.content:
        classified = classify_text(system.content)
        kind = classified.kind if classified.kind in ("command", "command_output") else "system"
    message = _frame(node, kind, "system", system.subtype)
    message.level = system.level or None
    message.is_meta = bool(system.is_meta)
    message.blocks = to_blocks(system.content)
    message.text = classified.text if classified else system.content or ""
    message.source_tool_call_id = system.tool_use_id or None
    if classified is not None and kind != "system":
        message.content = classified.content
    elif isinstance(system, StopHookSummary | Informational):
        message.content = system
    return message


def _attachment_message(node: Node, row: AttachmentRow) -> Message:
    attachment = row.attachment
    subtype = attachment_kind(attachment)
    if isinstance(attachment, QueuedCommandAttachment):
        return _queued_message(node, attachment)
    kind = "hook" if subtype.startswith(("hook_", "async_hook")) else "attachment"
    message = _frame(node, kind, "system", subtype)
    message.is_meta = True
    message.content = attachment
    message.text = attachment_text(attachment)
    message.blocks = to_blocks(message.text)
    return message


def _queued_message(node: Node, queued: QueuedCommandAttachment) -> Message:
    """What was typed while the model worked is steering; news of tasks come the same way."""
    blocks = to_blocks(queued.prompt)
    text = "\n".join(block.text for block in blocks if block.kind == "text")
    classified = classify_text(text, queued.origin)
    typed = classified.kind == "prompt" and queued.command_mode in _STEERED_BY_PERSON
    kind = "steering" if typed and not queued.is_meta else classified.kind
    message = _frame(node, "injection" if kind == "prompt" else kind, "user", "queued_command")
    message.blocks = blocks
    message.text = classified.text
    message.content = classified.content
    message.is_meta = bool(queued.is_meta)
    return message

"""Step 2: pair each tool use with its result, wherever and however often it comes."""

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from clew.clock import milliseconds
from clew.conversation.blocks import joined_text, to_block
from clew.conversation.call_times import note_times
from clew.conversation.model import Block, Message, Permission, ToolCall
from clew.conversation.nodes import Node, Nodes
from clew.conversation.outcome import Evidence, outcome, to_permission, unanswered
from clew.entries import (
    NULL,
    Assistant,
    BashProgress,
    McpToolUseBlock,
    Notification,
    ProgressRow,
    ResultLinks,
    ServerToolResult,
    ServerToolUseBlock,
    ToolResultBlock,
    ToolUseBlock,
    User,
    printed,
    result_blocks,
    result_links,
)
from clew.problems import Problem

_TASK_ID: Final = re.compile(r"(?:background|backgrounded by user) with ID: ([A-Za-z0-9_-]+)")
# A call about a background task names it in a short input, whatever the tool is called.
_ASKING: Final = re.compile(rb'"(?:bash_id|shell_id|task_id|agentId)"')
_LONGEST_ASK: Final = 400
_STOPPED: Final = unanswered(is_aborted=True)
_USES: Final = (ToolUseBlock, ServerToolUseBlock, McpToolUseBlock)
_INNER: Final = (ServerToolResult, ToolResultBlock)


class _Result(msgspec.Struct, frozen=True, gc=False):
    """One answer to a tool use."""

    node: Node
    block: ToolResultBlock
    result: msgspec.Raw = NULL
    denial: str = ""
    permission: Permission | None = None
    is_aborted: bool = False


Links = dict[str, ResultLinks]
"""What the results of calls link to, by the call's id."""


def pair_calls(
    nodes: Nodes, of_node: dict[str, Message], tool_results: dict[str, str]
) -> tuple[list[ToolCall], Links, list[Problem]]:
    """Make all tool calls of a session and its runs, in order of their uses."""
    results = _results(nodes.by_id.values())
    calls: dict[str, ToolCall] = {}
    for node in nodes.by_id.values():
        body = node.entry.body
        message = of_node.get(node.id)
        if isinstance(body, Assistant) and message is not None:
            for call in _uses(node, body, message):
                calls.setdefault(call.id, call)
    links, problems = _answer(calls, results, of_node, tool_results)
    _show_progress(calls, nodes.progress)
    note_times(calls, nodes)
    _join_background(calls, of_node.values())
    return list(calls.values()), links, problems


def _uses(node: Node, body: Assistant, message: Message) -> Iterable[ToolCall]:
    if isinstance(body.message.content, str):
        return
    nameless = 0
    for block in body.message.content:
        if isinstance(block, _USES):
            call_id = block.id
            if not call_id:
                call_id = nameless_call_id(node.id, nameless)
                nameless += 1
                _name_block(message, call_id)
            yield ToolCall(
                id=call_id,
                tool=block.name,
                message_id=message.id,
                agent_run_id=message.agent_run_id,
                status=unanswered(is_aborted=body.is_aborted),
                input=block.input,
                started_at=node.time,
            )


def nameless_call_id(node_id: str, position: int) -> str:
    """Return the id of a tool use that has none: its entry's, numbered from the second one on."""
    return f"{node_id}#{position}" if position else node_id


def nameless_position(call_id: str) -> int:
    """Return which of its entry's tool uses without an id a call is, from 0."""
    number = call_id.rpartition("#")[2]
    return int(number) if "#" in call_id and number.isdecimal() else 0


def _name_block(message: Message, call_id: str) -> None:
    """Give the first tool use without an id the id of its call."""
    blocks = list(message.blocks)
    for index, block in enumerate(blocks):
        if block.kind == "tool_use" and not block.tool_call_id:
            blocks[index] = msgspec.structs.replace(block, tool_call_id=call_id)
            message.blocks = tuple(blocks)
            return


def _results(nodes: Iterable[Node]) -> dict[str, list[_Result]]:
    results: dict[str, list[_Result]] = {}
    for node in nodes:
        body = node.entry.body
        if isinstance(body, User) and not isinstance(body.message.content, str):
            for block in body.message.content:
                if isinstance(block, ToolResultBlock):
                    answer = _answer_of(node, body, block)
                    results.setdefault(block.tool_use_id, []).append(answer)
        elif isinstance(body, Assistant):
            _inner_results(node, body, results)
    return results


def _answer_of(node: Node, body: User, block: ToolResultBlock) -> _Result:
    return _Result(
        node,
        block,
        body.tool_use_result,
        body.tool_denial_kind or "",
        to_permission(body.permission_decision),
        body.is_aborted,
    )


def _inner_results(node: Node, body: Assistant, results: dict[str, list[_Result]]) -> None:
    """Tools that run at the provider answer inside the model's own message."""
    if isinstance(body.message.content, str):
        return
    for block in body.message.content:
        if isinstance(block, _INNER):
            plain = ToolResultBlock(block.tool_use_id, block.content, block.is_error)
            results.setdefault(block.tool_use_id, []).append(_Result(node, plain))


def _answer(
    calls: dict[str, ToolCall],
    results: dict[str, list[_Result]],
    of_node: dict[str, Message],
    tool_results: dict[str, str],
) -> tuple[Links, list[Problem]]:
    links, problems = {}, []
    for name, answers in results.items():
        call = calls.get(name)
        if call is None:
            at = answers[0].node.location
            problems.append(Problem("orphan_result", "", at.file, at.line, at.offset))
            continue
        context = call.agent_run_id or ""
        result = next((a for a in answers if a.node.context == context), answers[0])
        links[name] = result_links(result.result)
        _fill(call, result, links[name], of_node, tool_results)
    problems.extend(
        Problem("call_without_result", call.tool[:60])
        for call in calls.values()
        if call.status == "pending"
    )
    return links, problems


def _fill(
    call: ToolCall,
    result: _Result,
    links: ResultLinks,
    of_node: dict[str, Message],
    tool_results: dict[str, str],
) -> None:
    message = of_node.get(result.node.id)
    text, call.result_blocks = _read(result.block, message)
    call.result = result.result
    call.result_message_id = message.id if message else None
    call.ended_at = result.node.time
    call.permission, call.denial_kind = result.permission, result.denial or None
    call.status = _status(call, result, links, text)
    call.duration_ms = _duration(call, links)
    call.persisted_path = links.persisted_output_path or _persisted_path(text)
    call.result_text = _long_text(call, tool_results) or text
    call.background_id = _background_id(call, links, text)
    if call.is_error and message is not None and message.level == "error":
        call.error = text


def _read(block: ToolResultBlock, message: Message | None) -> tuple[str, tuple[Block, ...]]:
    """Return a result's text and blocks; plain text was read when its message was made."""
    if message is not None and bytes(memoryview(block.content)[:1]) == b'"':
        for shown in message.blocks:
            if shown.tool_call_id == block.tool_use_id and shown.kind == "tool_result":
                if shown.text:
                    return shown.text, (Block("text", shown.text),)
                break
    blocks = result_blocks(block.content)
    return joined_text(blocks), tuple(to_block(inner) for inner in blocks)


def _status(call: ToolCall, result: _Result, links: ResultLinks, text: str) -> str:
    return outcome(
        Evidence(
            text=text,
            record=result.result,
            links=links,
            is_error=result.block.is_error,
            is_aborted=result.is_aborted or call.status == _STOPPED,
            permission=result.permission,
            denial_kind=result.denial,
        )
    )


def _duration(call: ToolCall, links: ResultLinks) -> int | None:
    """The client's own measure where it wrote one, else from call to result."""
    if links.duration_seconds is not None:
        return round(links.duration_seconds * 1000)
    own = links.total_duration_ms if links.total_duration_ms is not None else links.duration_ms
    if own is not None:
        return round(own)
    start, end = milliseconds(call.started_at), milliseconds(call.ended_at or "")
    return None if start is None or end is None else max(0, end - start)


_PERSISTED: Final = re.compile(r"Full output saved to: (\S+)")


def _persisted_path(text: str) -> str | None:
    if not text.startswith("<persisted-output>"):
        return None
    found = _PERSISTED.search(text[:2000])
    return found[1] if found else None


def _long_text(call: ToolCall, tool_results: dict[str, str]) -> str | None:
    """A long result is in a file of its own, known by the path's last part or the call's id."""
    if call.persisted_path is None:
        return tool_results.get(f"{call.id}.txt")
    name = re.split(r"[/\\]", call.persisted_path)[-1]
    return tool_results.get(name) or tool_results.get(f"{call.id}.txt")


def _background_id(call: ToolCall, links: ResultLinks, text: str) -> str | None:
    if links.background_task_id:
        return links.background_task_id
    if links.is_async or links.status == "async_launched":
        return links.agent_id or links.task_id
    found = _TASK_ID.search(text[:500]) if call.status == "done" else None
    return found[1] if found else None


def _show_progress(calls: dict[str, ToolCall], progress: Iterable[Node]) -> None:
    """A call without a result shows what it last printed."""
    for node in progress:
        body = node.entry.body
        if isinstance(body, ProgressRow) and isinstance(body.data, BashProgress):
            call = calls.get(body.parent_tool_use_id or "")
            if call is not None and call.status == "pending":
                call.progress_text = printed(body.data)


class _TaskInput(msgspec.Struct, frozen=True):
    """The ids of a background task in the input of a tool."""

    bash_id: str | None = None
    shell_id: str | None = None
    task_id: str | None = None
    agent_id: str | None = msgspec.field(default=None, name="agentId")


def _join_background(calls: dict[str, ToolCall], messages: Iterable[Message]) -> None:
    """Join background shells and agents with later looks at them and with their notification."""
    started = {call.background_id: call for call in calls.values() if call.background_id}
    for call in calls.values():
        source = started.get(_asked_for(call) or "") if started else None
        if source is not None:
            source.follow_up_ids = (*source.follow_up_ids, call.id)
    for message in messages:
        news = message.content
        if message.kind == "notification" and isinstance(news, Notification):
            source = started.get(news.task_id) or calls.get(news.tool_use_id)
            if source is not None:
                source.notification_id = message.id
                source.background_status = news.status or None


def _asked_for(call: ToolCall) -> str | None:
    raw = bytes(call.input) if len(memoryview(call.input)) < _LONGEST_ASK else b""
    if not _ASKING.search(raw):
        return None
    try:
        task = msgspec.json.decode(raw, type=_TaskInput)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return task.bash_id or task.shell_id or task.task_id or task.agent_id

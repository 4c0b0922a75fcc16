"""Facts: what can be counted, at its smallest grain. Totals are sums over facts."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.analytics.models import is_synthetic
from clew.conversation import (
    CacheMiss,
    Conversation,
    Message,
    ModelUsage,
    ToolCall,
    advisor_usages,
)
from clew.tools import (
    BashResult,
    EditInput,
    MultiEditInput,
    NotebookEditInput,
    ReadInput,
    WriteInput,
    WriteResult,
    decode_input,
    decode_result,
    find_tool,
    kept_change,
    shell_changes,
)

_FILE: Final = b'"file_path"'
_NOTEBOOK: Final = b'"notebook_path"'
_SHELL_EDITS: Final = b'"bashEditDiff"'


class ModelCall(msgspec.Struct, frozen=True):
    """One request to a model and what it used."""

    message_id: str
    number: int
    kind: str
    request_id: str | None
    agent_run_id: str | None
    model: str
    at: str
    usage: ModelUsage
    cache_miss: CacheMiss | None = None


class FileTouch(msgspec.Struct, frozen=True):
    """One tool call's reading or changing of one file."""

    tool_call_id: str
    agent_run_id: str | None
    at: str
    path: str
    action: str
    lines_added: int | None = None
    lines_removed: int | None = None


def model_calls(conversation: Conversation) -> Iterator[ModelCall]:
    """Give the model calls of a session and its runs; an advisor's passes are calls too."""
    for message in conversation.messages:
        if message.usage is None or message.model is None or is_synthetic(message.model):
            continue
        yield _call(message, 0, "main", message.model, message.usage)
        for number, (model, usage) in enumerate(advisor_usages(message.usage), start=1):
            yield _call(message, number, "advisor", model or message.model, usage)


def file_touches(calls: Iterable[ToolCall]) -> Iterator[FileTouch]:
    """Give what tool calls read and changed."""
    for call in calls:
        if call.status != "done":
            continue
        yield from _shell_touches(call)
        raw = bytes(call.input)
        if _FILE not in raw and _NOTEBOOK not in raw:
            continue
        arguments = decode_input(call.tool, raw)
        match arguments:
            case ReadInput():
                yield _touch(call, arguments.file_path, "read")
            case EditInput() | WriteInput() | MultiEditInput():
                yield _change(call, arguments.file_path, arguments)
            case NotebookEditInput():
                yield _touch(call, arguments.notebook_path, "edit")
            case _:
                continue


def _shell_touches(call: ToolCall) -> Iterator[FileTouch]:
    """Give the files that a shell command changed, where the client saw them."""
    raw = bytes(call.result) if find_tool(call.tool).result is BashResult else b""
    if _SHELL_EDITS not in raw:
        return
    result = decode_result(call.tool, raw, call.result_text, None)
    if isinstance(result, BashResult) and result.bash_edit_diff is not None:
        for file in shell_changes(result.bash_edit_diff):
            yield _touch(call, file.path, file.action, file.added, file.removed)


def _change(
    call: ToolCall, path: str, arguments: EditInput | WriteInput | MultiEditInput
) -> FileTouch:
    result = decode_result(call.tool, bytes(call.result), call.result_text, arguments)
    action = "write" if isinstance(arguments, WriteInput) else "edit"
    if isinstance(result, WriteResult) and result.type == "create":
        action = "create"
    return _touch(call, path, action, *(kept_change(result) or (None, None)))


def _touch(
    call: ToolCall, path: str, action: str, added: int | None = None, removed: int | None = None
) -> FileTouch:
    return FileTouch(call.id, call.agent_run_id, call.started_at, path, action, added, removed)


def _call(message: Message, number: int, kind: str, model: str, usage: ModelUsage) -> ModelCall:
    return ModelCall(
        message.id,
        number,
        kind,
        message.request_id,
        message.agent_run_id,
        model,
        message.started_at,
        usage,
        message.cache_miss if number == 0 else None,
    )

"""Facts: what can be counted, at its smallest grain. Totals are sums over facts."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from clew.analytics.models import is_synthetic
from clew.analytics.recounts import Recounts
from clew.conversation import (
    MISSING,
    AgentRun,
    CacheMiss,
    Conversation,
    Message,
    ModelUsage,
    ToolCall,
    advisor_usages,
    is_inherited,
)
from clew.tools import (
    BashResult,
    EditInput,
    LineCounts,
    MultiEditInput,
    NotebookEditInput,
    NotebookEditResult,
    ReadInput,
    ToolError,
    WriteInput,
    WriteResult,
    count_changes,
    decode_input,
    decode_result,
    find_tool,
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


class MissingTranscript(msgspec.Struct, frozen=True):
    """A transcript that is missing, so that what it would add at that time is not counted.

    Without a run it is the session's own. `message_id` is the answer that started the run, `agent`
    what the run's agent is called.
    """

    at: str
    agent_run_id: str | None = None
    message_id: str | None = None
    agent: str = ""


class FileTouch(msgspec.Struct, frozen=True):
    """One tool call's reading or changing of one file.

    Lines are None where nothing says how many they were. They are lower bounds where more may
    have changed.
    """

    tool_call_id: str
    agent_run_id: str | None
    at: str
    path: str
    action: str
    lines_added: int | None = None
    lines_removed: int | None = None
    is_lower_bound: bool = False


def model_calls(conversation: Conversation) -> Iterator[ModelCall]:
    """Return the model calls of a session and its runs; an advisor's passes are calls too."""
    for message in conversation.messages:
        if message.usage is None or message.model is None or is_synthetic(message.model):
            continue
        yield _call(message, 0, "main", message.model, message.usage)
        for number, (model, usage) in enumerate(advisor_usages(message.usage), start=1):
            yield _call(message, number, "advisor", model or message.model, usage)


def missing_transcripts(conversation: Conversation) -> Iterator[MissingTranscript]:
    """Return what is missing of a session; a run that another session started is missing there."""
    session, runs = conversation.session, conversation.agent_runs
    if not session.has_transcript:
        # Something of the session's own came before each of its runs.
        times = {session.started_at, *(run.started_at for run in runs)}
        yield from (MissingTranscript(at) for at in sorted(filter(None, times)) or [""])
    lost = [run for run in runs if run.status == MISSING]
    if lost:
        calls = {call.id: call.message_id for call in conversation.tool_calls}
        messages = {message.id: message for message in conversation.messages}
        for run in lost:
            caller = messages[calls[run.tool_call_id or ""]]
            if not (caller.usage and is_inherited(caller.usage.quality)):
                yield MissingTranscript(caller.started_at, run.id, caller.id, agent_name(run))


def agent_name(run: AgentRun) -> str:
    """Return the name of a run's agent: its own, else its kind in parentheses."""
    return run.agent or f"({run.kind})"


def session_touches(conversation: Conversation) -> Iterator[FileTouch]:
    """Return what the calls of a session read and changed."""
    return file_touches(conversation.tool_calls, recounts=Recounts(conversation))


def file_touches(
    calls: Iterable[ToolCall],
    counts: Mapping[str, LineCounts] | None = None,
    recounts: Recounts | None = None,
) -> Iterator[FileTouch]:
    """Return what tool calls read and changed.

    `counts` are known numbers of lines, by call; `recounts` has what the session knows of those
    that do not say them.
    """
    known = counts or {}
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
                yield from _change(call, arguments.file_path, arguments, known, recounts)
            case NotebookEditInput():
                yield from _change(call, arguments.notebook_path, arguments, known, recounts)
            case _:
                continue


def _shell_touches(call: ToolCall) -> Iterator[FileTouch]:
    """Return the files that a shell command changed, where the client saw them."""
    raw = bytes(call.result) if find_tool(call.tool).result is BashResult else b""
    if _SHELL_EDITS not in raw:
        return
    result = decode_result(call.tool, raw, call.result_text, None)
    if isinstance(result, BashResult) and result.bash_edit_diff is not None:
        for file in shell_changes(result.bash_edit_diff):
            counts = None if file.added is None else LineCounts(file.added, file.removed or 0)
            yield _counted(_touch(call, file.path, file.action), counts)


def _change(
    call: ToolCall,
    path: str,
    arguments: object,
    known: Mapping[str, LineCounts],
    recounts: Recounts | None,
) -> Iterator[FileTouch]:
    result = decode_result(call.tool, bytes(call.result), call.result_text, arguments)
    if isinstance(result, ToolError) or (isinstance(result, NotebookEditResult) and result.error):
        return
    action = "write" if isinstance(arguments, WriteInput) else "edit"
    if isinstance(result, WriteResult) and result.type == "create":
        action = "create"
    counts = known.get(call.id) or count_changes(arguments, result)
    if recounts is not None:
        counts = recounts.settle(call.id, counts)
    yield _counted(_touch(call, path, action), counts)


def _counted(touch: FileTouch, counts: LineCounts | None) -> FileTouch:
    return msgspec.structs.replace(
        touch,
        lines_added=None if counts is None else counts.added,
        lines_removed=None if counts is None else counts.removed,
        is_lower_bound=counts is None or counts.is_lower_bound,
    )


def _touch(call: ToolCall, path: str, action: str) -> FileTouch:
    return FileTouch(call.id, call.agent_run_id, call.started_at, path, action)


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

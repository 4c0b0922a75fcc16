"""What may have changed files besides the tools that say so: commands, agents, hooks, others."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import Conversation, Message, ToolCall
from clew.entries import HookProgress, StopHookSummary
from clew.replay.model import Cause
from clew.replay.shell import ANYTHING, NOTHING, Effects, find_effects
from clew.tools import TOOL_NAMES, BashInput, decode_input, is_edit, split_mcp_name

_LONGEST: Final = 300
# The client's own hooks, which have no command, change no file.
_CALLBACK: Final = "callback"
_AFTER: Final = ("PostToolUse", "PostToolUseFailure")
_TURN_ENDS: Final = ("Stop", "SubagentStop")
_REPORT: Final = re.compile(
    r"^(PostToolUse|Stop|SubagentStop)(?::\w+)? \[([^\n]{1,1000})\] (?:completed|failed)"
)
_STYLES: Final = re.compile(r"\x1b\[[\d;]{0,20}m")
_READING_AGENTS: Final = frozenset(("Explore", "Plan", "claude-code-guide", "statusline-setup"))
_READING_VERB: Final = re.compile(
    r"(?:get|list|read|search|find|query|fetch|browser|navigate|describe|resolve|view|show|lookup"
    r"|take|snapshot|screenshot|click|type|hover|wait|ask|think|sequentialthinking|check)"
    r"(?:[_-].*|[A-Z].*)?"
)
_WRITING_WORD: Final = re.compile(
    r"(?i)(?:replace|write|edit|update|delete|remove|create|insert|rename|fix|apply|save)"
)
_REMOTE: Final = re.compile(r"(?i)linear|github|gitlab|jira|slack|notion|sentry|posthog|figma")


class HookRun(msgspec.Struct, frozen=True, gc=False):
    """A hook that ran: when, on which event, its command, and its call or message."""

    at: str
    event: str
    command: str
    call_id: str = ""
    message_id: str = ""


class _HookAttachment(msgspec.Struct, frozen=True):
    """What attachments of hooks have in common."""

    hook_event: str = ""
    hook_name: str = ""
    tool_use_id: str = ""
    command: str | None = ""


def call_cause(conversation: Conversation, call: ToolCall, kind: str, text: str) -> Cause:
    """Describe a call as what may have changed files."""
    session = conversation.session.id
    at = call.ended_at or call.started_at
    return Cause(kind, text[:_LONGEST], call.id, call.message_id, session, at)


def shell_effects(call: ToolCall, cwd: str) -> tuple[str, Effects]:
    """Return the command of a call, and what it may have written."""
    arguments = decode_input(call.tool, bytes(call.input))
    if not isinstance(arguments, BashInput):
        return call.tool, ANYTHING
    if call.tool != "Bash":
        return arguments.command, ANYTHING
    return arguments.command, find_effects(arguments.command, cwd)


def tool_effects(call: ToolCall) -> Effects:
    """Return what a tool may write that is no shell and no editor of ours.

    Of the client's own tools, only those do that run something.
    """
    if call.tool in TOOL_NAMES:
        return ANYTHING if call.tool in ("Monitor", "REPL", "ExitWorktree") else NOTHING
    name = split_mcp_name(call.tool)
    if name is None:
        return ANYTHING
    server, tool = name
    is_reading = _READING_VERB.fullmatch(tool) and not _WRITING_WORD.search(tool)
    return NOTHING if _REMOTE.search(server) or is_reading else ANYTHING


def agent_effects(call: ToolCall, conversation: Conversation) -> Effects:
    """Return what an agent may write: nothing where its own calls are known, and tell it."""
    runs = [run for run in conversation.agent_runs if run.tool_call_id == call.id]
    if runs and all(run.has_transcript for run in runs):
        return NOTHING
    names = {run.agent for run in runs} or {_agent_of(call)}
    return NOTHING if names <= _READING_AGENTS else ANYTHING


def find_hooks(conversation: Conversation) -> Iterator[HookRun]:
    """List the hooks that ran a command which may write, after an edit or at the end of a turn."""
    edits = {call.id for call in conversation.tool_calls if is_edit(call.tool)}
    for hook in (*_progress_hooks(conversation), *_message_hooks(conversation)):
        is_after = hook.event in _AFTER and hook.call_id in edits
        if (is_after or hook.event in _TURN_ENDS) and _may_write(hook.command):
            yield hook


def _progress_hooks(conversation: Conversation) -> Iterator[HookRun]:
    for note in conversation.progress:
        data = note.data
        if isinstance(data, HookProgress):
            call, message = note.tool_call_id or "", note.message_id or ""
            yield HookRun(note.at, data.hook_event, data.command, call, message)


def _message_hooks(conversation: Conversation) -> Iterator[HookRun]:
    for message in conversation.messages:
        content = message.content
        if message.kind == "system":
            yield from _reported_hooks(message)
        if message.kind != "hook" or content is None:
            continue
        if isinstance(content, StopHookSummary):
            for info in content.hook_infos:
                yield HookRun(message.started_at, "Stop", info.command or "", "", message.id)
        else:
            said = msgspec.convert(content, _HookAttachment, from_attributes=True)
            command = said.command or said.hook_name
            yield HookRun(
                message.started_at, said.hook_event, command, said.tool_use_id, message.id
            )


def _reported_hooks(message: Message) -> Iterator[HookRun]:
    """Read the rows of old clients: `PostToolUse:Edit [ruff format] completed successfully`."""
    found = _REPORT.search(_STYLES.sub("", message.text[:2000]))
    if found is not None:
        call = message.source_tool_call_id or ""
        event = found[1] if call or found[1] in _TURN_ENDS else _TURN_ENDS[0]
        yield HookRun(message.started_at, event, found[2], call, message.id)


def _may_write(command: str) -> bool:
    return command != _CALLBACK and not find_effects(command, "").is_none


def _agent_of(call: ToolCall) -> str:
    try:
        return msgspec.json.decode(bytes(call.input), type=_Agent).subagent_type
    except msgspec.DecodeError:
        return ""


class _Agent(msgspec.Struct, frozen=True):
    """The part of an agent's input that names it."""

    subagent_type: str = ""

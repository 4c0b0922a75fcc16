"""Describe messages that are not answers: author, title, state and body."""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from clew.conversation import Message, Retry
from clew.entries import Command, DiagnosticsAttachment, Hook, StopHookSummary
from clew.figures import duration
from clew.parts import Code, Fields, Fold, Note, Part, Prose, Tone, Words
from clew.tools import diagnostic_parts
from clew.view.blocks import block_parts
from clew.view.command_output import describe_output
from clew.view.context import PageContext
from clew.view.description import Description, fold_long, texts_of
from clew.view.fields import struct_parts
from clew.view.hooks import stop_hook_parts
from clew.view.labels import humanize, summary_line
from clew.view.notifications import describe_notification, describe_teammate
from clew.view.progress import ProgressGroup, describe_progress
from clew.view.prompts import notice_part, prompt_details, typed_parts
from clew.view.slots import is_beside_results

_UNDELIVERED: Final = "undelivered"
_PEOPLE: Final = {
    "prompt": "You",
    "steering": "You, mid-turn",
    "memory": "You, to memory",
    "unsent": "You, not sent",
}
_LEVEL_TONES: Final[dict[str, Tone]] = {"error": "bad", "warning": "warn"}
_WRITTEN: Final = ("away_summary",)
_CLIENT: Final = "Claude Code"


def describe(message: Message, context: PageContext) -> Description:
    """Describe a message of any kind but an answer."""
    if isinstance(message.content, ProgressGroup):
        return describe_progress(message.content)
    return _KINDS.get(message.kind, _aside)(message, context)


def describe_retry(retry: Retry) -> str:
    """Describe in a line how a model call failed before it was retried."""
    status = str(retry.status or "")
    text = retry.text if retry.text.startswith(status) else f"{status} {retry.text}"
    most = f" of {retry.max_retries}" if retry.max_retries else ""
    attempt = f"attempt {retry.attempt}{most}" if retry.attempt else ""
    wait = f"waited {duration(retry.wait_ms)}" if retry.wait_ms else ""
    return ", ".join(filter(None, (text.strip() or "failed attempt", attempt, wait)))


def _typed(message: Message, context: PageContext) -> Description:
    who = _PEOPLE[message.kind]
    if message.agent_run_id is not None and message.kind == "prompt":
        who = "Prompt"
    parts = list(typed_parts(message, context))
    if context.is_whole:
        parts.extend(prompt_details(message))
    state = _state(message)
    return Description(who=who, state=state, tone="warn" if state else "", body=tuple(parts))


def _state(message: Message) -> str:
    """Describe what became of a queued prompt."""
    if message.kind == "unsent":
        return "withdrawn" if message.pair_id is None else "withdrawn, sent below"
    return "not delivered" if message.subtype == _UNDELIVERED else ""


def _command(message: Message, _context: PageContext) -> Description:
    match message.content:
        case Command() as command:
            body: list[Part] = [Words(command.args, is_typed=True)] if command.args else []
            if command.contents.strip():
                body.append(Fold("Contents", (Prose(command.contents),)))
            if command.message and command.message not in command.name:
                body.append(Note(command.message))
            return Description(who="You", title=summary_line(command.name), body=tuple(body))
        case _:
            return Description(
                who="You", title=summary_line(message.text), body=tuple(texts_of(message))
            )


def _shell(message: Message, _context: PageContext) -> Description:
    command = Code(message.text, "bash", is_command=True)
    return Description(who="You", title="shell", body=(command,))


def _interrupt(message: Message, _context: PageContext) -> Description:
    during = " during a tool call" if "tool use" in message.text else ""
    body = (Note(message.text, "warn"),) if message.text else ()
    return Description(who="You", title=f"interrupted{during}", tone="warn", body=body)


def _api_error(message: Message, _context: PageContext) -> Description:
    text = message.text or message.error or ""
    title = summary_line(message.error or "")
    title = "" if title == summary_line(text) else title
    return Description(
        who="API error", title=title, tone="bad", body=(Words(text),) if text else ()
    )


def _summary(message: Message, _context: PageContext) -> Description:
    parts = tuple(block_parts(message.blocks))
    return Description(who=_CLIENT, title="compaction summary", body=(Fold("Summary", parts),))


def _results(message: Message, context: PageContext) -> Description:
    """Describe text that came with tool results, which are shown with their calls."""
    beside = [b for b in message.blocks if is_beside_results(b, message, context.index)]
    body = tuple(map(fold_long, block_parts(beside)))
    return Description(who=_CLIENT, title="with a tool result", body=body)


def _injection(message: Message, _context: PageContext) -> Description:
    title = humanize(message.subtype or "injection")
    if isinstance(message.content, Hook) and message.content.event:
        title = f"{title}: {message.content.event}"
    # A reminder's tags are part of it, and Markdown would take them for its own.
    is_tagged = message.subtype == "reminder" and message.text.strip()
    texts = [Words(message.text)] if is_tagged else texts_of(message)
    notices = map(notice_part, message.notices)
    return Description(who=_CLIENT, title=title, body=(*map(fold_long, texts), *notices))


def _unknown(message: Message, _context: PageContext) -> Description:
    raw = (Code(block.data or block.text, "json") for block in message.blocks)
    return Description(
        who=_CLIENT, title=message.subtype or "unknown", tone="warn", body=tuple(raw)
    )


def _aside(message: Message, context: PageContext) -> Description:
    """Describe what the client added: attachments, hooks, system entries."""
    text = message.text
    parts: list[Part] = []
    if text.strip():
        parts.append(Prose(text) if message.subtype in _WRITTEN else Words(text))
    parts.extend(_content_parts(message))
    if message.subtype == "turn_duration":
        parts.extend(_duration(message, context))
    parts.extend(block_parts(block for block in message.blocks if block.kind != "text"))
    return Description(
        who=_who(message), title=_title(message), tone=_tone(message), body=tuple(parts)
    )


def _content_parts(message: Message) -> Iterator[Part]:
    """Show what was parsed of a row: as lists and tables where its shape is known."""
    match message.content:
        case StopHookSummary() as summary:
            yield from stop_hook_parts(summary)
        case DiagnosticsAttachment(files=files) as attachment:
            yield from diagnostic_parts(bytes(files)) or struct_parts(attachment, message.text)
        case msgspec.Struct() as content:
            yield from struct_parts(content, message.text)
        case _:
            return


def _title(message: Message) -> str:
    kind = humanize(message.subtype or message.kind)
    if message.kind == "system" and message.level in _LEVEL_TONES:
        # Not everyone sees colours, and not every format has them.
        kind = f"{message.level.capitalize()}: {kind}"
    if message.kind == "hook":
        kind = kind.removeprefix("hook ")
    return ": ".join(filter(None, (kind, _hook_name(message))))


def _who(message: Message) -> str:
    return {"hook": "Hook", "attachment": "Attachment"}.get(message.kind, _CLIENT)


def _tone(message: Message) -> Tone:
    if message.kind == "hook" and "error" in (message.subtype or ""):
        return "warn"
    return _LEVEL_TONES.get(message.level or "", "")


def _hook_name(message: Message) -> str:
    """Return the name that an attachment of a hook carries, whatever its kind."""
    if message.kind != "hook" or not isinstance(message.content, msgspec.Struct):
        return ""
    return str(msgspec.structs.asdict(message.content).get("hook_name") or "")


def _duration(message: Message, context: PageContext) -> Iterator[Part]:
    """Show the duration that the client measured."""
    turns = context.index.conversation.turns
    taken = turns[message.turn - 1].duration_ms if message.turn else None
    if taken is not None:
        yield Fields((("Duration", duration(taken)),))


_KINDS: Final[dict[str, Callable[[Message, PageContext], Description]]] = {
    "prompt": _typed,
    "steering": _typed,
    "memory": _typed,
    "unsent": _typed,
    "command": _command,
    "bash_input": _shell,
    "command_output": describe_output,
    "bash_output": describe_output,
    "interrupt": _interrupt,
    "notification": describe_notification,
    "teammate": describe_teammate,
    "api_error": _api_error,
    "compaction_summary": _summary,
    "tool_results": _results,
    "injection": _injection,
    "unknown": _unknown,
}

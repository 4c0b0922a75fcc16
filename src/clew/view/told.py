"""Messages that are not answers: who said them, what stands in their first line, what they say."""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from clew.conversation import Message, Retry
from clew.entries import Command, DiagnosticsAttachment, Hook, StopHookSummary
from clew.parts import Code, Fields, Fold, Note, Part, Prose, Tone, Words
from clew.tools import diagnostic_parts
from clew.view.blocks import block_parts
from clew.view.fields import struct_parts
from clew.view.hooks import stop_hook_parts
from clew.view.news import tell_news, tell_teammate
from clew.view.outputs import tell_output
from clew.view.progress import Progress, tell_progress
from clew.view.prompts import circumstances, notice_part, typed_parts
from clew.view.scope import Scope
from clew.view.slots import is_beside_results
from clew.view.telling import Told, fold_long, texts_of
from clew.view.words import first_words, spoken

_UNDELIVERED: Final = "undelivered"
_PEOPLE: Final = {
    "prompt": "You",
    "steering": "You, while it worked",
    "memory": "You, to remember",
    "unsent": "You, not sent",
}
_LEVEL_TONES: Final[dict[str, Tone]] = {"error": "bad", "warning": "warn"}
_WRITTEN: Final = ("away_summary",)
_CLIENT: Final = "Claude Code"


def tell(message: Message, scope: Scope) -> Told:
    """Say what a message of any kind but an answer says."""
    if isinstance(message.content, Progress):
        return tell_progress(message.content)
    return _KINDS.get(message.kind, _aside)(message, scope)


def tell_retry(retry: Retry) -> str:
    """Say in a line how a model call failed before it was tried again."""
    status = str(retry.status or "")
    text = retry.text if retry.text.startswith(status) else f"{status} {retry.text}"
    most = f" of {retry.max_retries}" if retry.max_retries else ""
    attempt = f"try {retry.attempt}{most}" if retry.attempt else ""
    wait = f"then {retry.wait_ms / 1000:.1f} s of waiting" if retry.wait_ms else ""
    return ", ".join(filter(None, (text.strip() or "a try that failed", attempt, wait)))


def _typed(message: Message, scope: Scope) -> Told:
    who = _PEOPLE[message.kind]
    if message.agent_run_id is not None and message.kind == "prompt":
        who = "Prompt"
    parts = list(typed_parts(message, scope))
    if scope.is_whole:
        parts.extend(circumstances(message))
    state = _state(message)
    return Told(who=who, state=state, tone="warn" if state else "", body=tuple(parts))


def _state(message: Message) -> str:
    """Say what became of words that waited in the queue."""
    if message.kind == "unsent":
        return "taken back" if message.pair_id is None else "taken back, sent below"
    return "not delivered" if message.subtype == _UNDELIVERED else ""


def _command(message: Message, _scope: Scope) -> Told:
    match message.content:
        case Command() as command:
            body: list[Part] = [Words(command.args, is_typed=True)] if command.args else []
            if command.contents.strip():
                body.append(Fold("contents", (Prose(command.contents),)))
            if command.message and command.message not in command.name:
                body.append(Note(command.message))
            return Told(who="You", title=first_words(command.name), body=tuple(body))
        case _:
            return Told(who="You", title=first_words(message.text), body=tuple(texts_of(message)))


def _shell(message: Message, _scope: Scope) -> Told:
    command = Code(message.text, "bash", is_command=True)
    return Told(who="You", title="shell", body=(command,))


def _interrupt(message: Message, _scope: Scope) -> Told:
    during = " during a tool call" if "tool use" in message.text else ""
    body = (Note(message.text, "warn"),) if message.text else ()
    return Told(who="You", title=f"interrupted{during}", tone="warn", body=body)


def _api_error(message: Message, _scope: Scope) -> Told:
    text = message.text or message.error or ""
    title = first_words(message.error or "")
    title = "" if title == first_words(text) else title
    return Told(who="API error", title=title, tone="bad", body=(Words(text),) if text else ())


def _summary(message: Message, _scope: Scope) -> Told:
    parts = tuple(block_parts(message.blocks))
    return Told(who=_CLIENT, title="compaction summary", body=(Fold("summary", parts),))


def _results(message: Message, scope: Scope) -> Told:
    """Results stand with their calls; words that came along with them do not."""
    beside = [b for b in message.blocks if is_beside_results(b, message, scope.index)]
    body = tuple(map(fold_long, block_parts(beside)))
    return Told(who=_CLIENT, title="beside a result", body=body)


def _injection(message: Message, _scope: Scope) -> Told:
    title = spoken(message.subtype or "injection")
    if isinstance(message.content, Hook) and message.content.event:
        title = f"{title}: {message.content.event}"
    # A reminder's tags are part of it, and Markdown would take them for its own.
    is_tagged = message.subtype == "reminder" and message.text.strip()
    texts = [Words(message.text)] if is_tagged else texts_of(message)
    notices = map(notice_part, message.notices)
    return Told(who=_CLIENT, title=title, body=(*map(fold_long, texts), *notices))


def _unknown(message: Message, _scope: Scope) -> Told:
    kept = (Code(block.data or block.text, "json") for block in message.blocks)
    return Told(who=_CLIENT, title=message.subtype or "unknown", tone="warn", body=tuple(kept))


def _aside(message: Message, scope: Scope) -> Told:
    """Show what the client put in: attachments, hooks, system rows."""
    text = message.text
    parts: list[Part] = []
    if text.strip():
        parts.append(Prose(text) if message.subtype in _WRITTEN else Words(text))
    parts.extend(_content_parts(message))
    if message.subtype == "turn_duration":
        parts.extend(_duration(message, scope))
    parts.extend(block_parts(block for block in message.blocks if block.kind != "text"))
    return Told(who=_who(message), title=_title(message), tone=_tone(message), body=tuple(parts))


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
    kind = spoken(message.subtype or message.kind)
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
    """Give the name that an attachment of a hook carries, whatever its kind."""
    if message.kind != "hook" or not isinstance(message.content, msgspec.Struct):
        return ""
    return str(msgspec.structs.asdict(message.content).get("hook_name") or "")


def _duration(message: Message, scope: Scope) -> Iterator[Part]:
    """Tell what the client measured, which the turn keeps."""
    turns = scope.index.conversation.turns
    taken = turns[message.turn - 1].duration_ms if message.turn else None
    if taken is not None:
        yield Fields((("seconds", f"{taken / 1000:.1f}"),))


_KINDS: Final[dict[str, Callable[[Message, Scope], Told]]] = {
    "prompt": _typed,
    "steering": _typed,
    "memory": _typed,
    "unsent": _typed,
    "command": _command,
    "bash_input": _shell,
    "command_output": tell_output,
    "bash_output": tell_output,
    "interrupt": _interrupt,
    "notification": tell_news,
    "teammate": tell_teammate,
    "api_error": _api_error,
    "compaction_summary": _summary,
    "tool_results": _results,
    "injection": _injection,
    "unknown": _unknown,
}

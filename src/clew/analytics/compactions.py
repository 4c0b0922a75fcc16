"""Compactions: what was in the context before one, and is not in the summary that replaced it."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final

import msgspec

from clew.analytics.facts import FileTouch, file_touches
from clew.conversation import Conversation, Epoch, Message, ToolCall

_PROMPTS: Final = ("prompt", "steering")
_WORD: Final = re.compile(r"[^\W_]{4,}")
_BEGINNING: Final = 60
# A first line of fewer characters may stand anywhere.
_LONG_LINE: Final = 12
_PASTED: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
# A summary has a prompt in other words: with most of the long ones, it is there.
_SHARE: Final = 0.6


class LostPrompt(msgspec.Struct, frozen=True):
    """A prompt before a compaction that is not in its summary."""

    message_id: str
    turn: int | None
    text: str


class CompactionLoss(msgspec.Struct, frozen=True, kw_only=True):
    """A compaction, what its summary lacks, and which files were read again afterwards.

    `files` and `prompts` count what was in the context before. Of the lost files, some were
    changed by the session.
    """

    epoch: int
    message_id: str
    turn: int | None = None
    at: str = ""
    trigger: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    files: int = 0
    prompts: int = 0
    lost_files: tuple[str, ...] = ()
    lost_changed_files: tuple[str, ...] = ()
    lost_prompts: tuple[LostPrompt, ...] = ()
    read_again: tuple[str, ...] = ()


class _Stretch(msgspec.Struct):
    """What happened in an epoch, agent runs left out."""

    messages: list[Message]
    calls: list[ToolCall]


def find_compaction_losses(conversation: Conversation) -> list[CompactionLoss]:
    """Return the compactions of a session, with what got lost in each."""
    epochs = [e for e in conversation.epochs if e.boundary_id and not e.is_restored]
    if not epochs:
        return []
    stretches = _stretches(conversation)
    messages = {message.id: message for message in conversation.messages}
    found = []
    for epoch in epochs:
        before = _epoch_before(epoch, messages, conversation)
        empty = _Stretch([], [])
        past = stretches.get(before, empty) if before is not None else empty
        found.append(_loss(epoch, past, stretches.get(epoch.index, empty), messages))
    return found


def _stretches(conversation: Conversation) -> dict[int, _Stretch]:
    found: dict[int, _Stretch] = {}
    of_message: dict[str, int] = {}
    for message in conversation.messages:
        if message.agent_run_id is None:
            of_message[message.id] = message.epoch
            found.setdefault(message.epoch, _Stretch([], [])).messages.append(message)
    for call in conversation.tool_calls:
        if call.message_id in of_message:
            found[of_message[call.message_id]].calls.append(call)
    return found


def _epoch_before(
    epoch: Epoch, messages: dict[str, Message], conversation: Conversation
) -> int | None:
    """Return the epoch that a compaction ended: that of the message before it."""
    boundary = messages.get(epoch.boundary_id or "")
    parent = messages.get(boundary.parent_id or "") if boundary is not None else None
    if parent is not None and parent.epoch != epoch.index:
        return parent.epoch
    earlier = [other.index for other in conversation.epochs if other.index < epoch.index]
    return max(earlier, default=None)


def _loss(
    epoch: Epoch, past: _Stretch, after: _Stretch, messages: dict[str, Message]
) -> CompactionLoss:
    boundary = messages.get(epoch.boundary_id or "")
    text = _what_is_left(epoch, after, messages)
    touched = _touched(past.calls)
    prompts = [m for m in past.messages if m.kind in _PROMPTS and m.text.strip() and not m.is_meta]
    lost = [path for path in touched if not _names_file(text, path)]
    read = [touch.path for touch in file_touches(after.calls) if touch.action == "read"]
    return CompactionLoss(
        epoch=epoch.index,
        message_id=epoch.boundary_id or "",
        turn=None if boundary is None else boundary.turn,
        at="" if boundary is None else boundary.started_at,
        trigger=epoch.trigger,
        tokens_before=epoch.tokens_before,
        tokens_after=epoch.tokens_after,
        files=len(touched),
        prompts=len(prompts),
        lost_files=tuple(lost),
        lost_changed_files=tuple(path for path in lost if touched[path]),
        lost_prompts=tuple(
            LostPrompt(prompt.id, prompt.turn, prompt.text) for prompt in _without(prompts, text)
        ),
        read_again=tuple(path for path in dict.fromkeys(read) if path in touched),
    )


def _what_is_left(epoch: Epoch, after: _Stretch, messages: dict[str, Message]) -> str:
    """Return what the model saw of the past: the summary, and what came with it."""
    summary = messages.get(epoch.summary_id or "")
    texts = [] if summary is None else [summary.text]
    for message in after.messages:
        if message.kind == "answer":
            break
        if message is not summary and message.kind not in _PROMPTS:
            texts.append(message.text)
    return "\n".join(texts).casefold()


def _touched(calls: Iterable[ToolCall]) -> dict[str, bool]:
    """Return the files that calls read or changed, and whether they changed them."""
    found: dict[str, bool] = {}
    touches: Iterable[FileTouch] = file_touches(calls)
    for touch in touches:
        found[touch.path] = found.get(touch.path, False) or touch.action != "read"
    return found


def _names_file(text: str, path: str) -> bool:
    """Return whether a text names a file, by its path or by its name alone."""
    pure = PureWindowsPath(path) if "\\" in path else PurePosixPath(path)
    name = pure.name.casefold() or path.casefold()
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) is not None


def _without(prompts: Sequence[Message], text: str) -> list[Message]:
    """Return the prompts that a text has neither word for word nor in other words."""
    if not prompts:
        return []
    plain = _plain(text)
    words = set(_WORD.findall(plain))
    return [prompt for prompt in prompts if not _repeats(prompt.text, plain, words)]


def _repeats(prompt: str, plain: str, words: set[str]) -> bool:
    """Return whether a text has the prompt, its first line, or its words but what was pasted."""
    first = _plain(prompt.strip().partition("\n")[0])
    beginnings = [_plain(prompt), first if len(first) >= _LONG_LINE else ""]
    if any(said and said[:_BEGINNING] in plain for said in beginnings):
        return True
    return any(
        bool(own) and len(own & words) >= _SHARE * len(own)
        for own in (set(_WORD.findall(_plain(text))) for text in (prompt, _PASTED.sub(" ", prompt)))
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())

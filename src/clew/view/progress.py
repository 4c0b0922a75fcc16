"""Hooks that ran and waits for background tasks: with their calls, or between messages."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

import msgspec

from clew.conversation import Message, ProgressNote
from clew.entries import HookProgress, WaitingForTask
from clew.figures import plural
from clew.parts import Fields, Fold, Listing, Note, Part
from clew.view.description import Description

_HOOK: Final = "hook_progress"
_WAITING: Final = "waiting_for_task"


class ProgressGroup(msgspec.Struct, frozen=True):
    """The content of a message made from progress entries of one kind."""

    hooks: tuple[HookProgress, ...] = ()
    waits: tuple[WaitingForTask, ...] = ()


def group_by_call(notes: Iterable[ProgressNote]) -> dict[str, list[ProgressNote]]:
    """Group the progress of calls."""
    grouped: dict[str, list[ProgressNote]] = {}
    for note in notes:
        if note.tool_call_id is not None:
            grouped.setdefault(note.tool_call_id, []).append(note)
    return grouped


def with_progress(messages: Sequence[Message], notes: Iterable[ProgressNote]) -> Sequence[Message]:
    """Insert a message wherever hooks ran or something was waited for between two messages."""
    loose = [note for note in notes if note.tool_call_id is None]
    if not loose:
        return messages
    by_message: dict[str, list[ProgressNote]] = {}
    firsts: dict[str | None, list[ProgressNote]] = {}
    known = {message.id for message in messages}
    for note in loose:
        if note.message_id in known:
            by_message.setdefault(note.message_id or "", []).append(note)
        else:
            firsts.setdefault(note.agent_run_id, []).append(note)
    return list(_interleaved(messages, by_message, firsts))


def progress_parts(notes: Iterable[ProgressNote]) -> Iterator[Part]:
    """Show the progress of a call: one line for its hooks, one for each task it waited for."""
    known = list(notes)
    hooks = [note.data for note in known if isinstance(note.data, HookProgress)]
    waits = [note.data for note in known if isinstance(note.data, WaitingForTask)]
    if hooks:
        title = f"{plural(len(hooks), 'hook')} ran: {_names(hooks)}"
        yield Fold(title, (_commands(hooks),), is_meta=True)
    for words in _wait_words(waits):
        yield Note(words, is_meta=True)


def describe_progress(progress: ProgressGroup) -> Description:
    """Describe which hooks ran between two messages, or what was waited for."""
    if progress.hooks:
        return Description(
            who="Hook", title=_names(progress.hooks), body=(_commands(progress.hooks),)
        )
    return Description(who="Claude Code", title="; ".join(_wait_words(progress.waits)))


def _interleaved(
    messages: Iterable[Message],
    by_message: dict[str, list[ProgressNote]],
    firsts: dict[str | None, list[ProgressNote]],
) -> Iterator[Message]:
    for message in messages:
        if message.agent_run_id in firsts:
            yield from _messages(firsts.pop(message.agent_run_id), message)
        yield message
        if message.id in by_message:
            yield from _messages(by_message[message.id], message)


def _messages(notes: Iterable[ProgressNote], beside: Message) -> Iterator[Message]:
    """Make a message of each row of hooks or waits, on the threads of the one beside it."""
    for kind, group in groupby(notes, key=lambda note: type(note.data)):
        own = list(group)
        is_hook = kind is HookProgress
        yield Message(
            id=own[0].id,
            kind="hook" if is_hook else "system",
            role="system",
            subtype=_HOOK if is_hook else _WAITING,
            agent_run_id=beside.agent_run_id,
            parent_id=beside.id,
            thread_ids=beside.thread_ids,
            turn=beside.turn,
            epoch=beside.epoch,
            entry_ids=tuple(note.id for note in own),
            started_at=own[0].at,
            ended_at=own[-1].at,
            lines=tuple(note.place for note in own),
            content=_content(own),
        )


def _content(notes: Iterable[ProgressNote]) -> ProgressGroup:
    found = [note.data for note in notes]
    return ProgressGroup(
        tuple(data for data in found if isinstance(data, HookProgress)),
        tuple(data for data in found if isinstance(data, WaitingForTask)),
    )


def _names(hooks: Iterable[HookProgress]) -> str:
    counts = Counter(map(_name, hooks))
    return ", ".join(name if n == 1 else f"{name} ({n})" for name, n in counts.items())


def _commands(hooks: Iterable[HookProgress]) -> Part:
    """Show what ran, below the names of hooks: by name, where there is more than one."""
    counts = Counter((_name(hook), _ran(hook)) for hook in hooks)
    ran = tuple((name, _times(words, count)) for (name, words), count in counts.items())
    is_one = len({name for name, _ in ran}) == 1
    return Listing(tuple(words for _, words in ran)) if is_one else Fields(ran)


def _name(hook: HookProgress) -> str:
    return hook.hook_name or hook.hook_event or "hook"


def _ran(hook: HookProgress) -> str:
    known = (hook.command, hook.prompt_text or "", hook.status_message or "")
    return " · ".join(dict.fromkeys(filter(None, known)))


def _wait_words(waits: Iterable[WaitingForTask]) -> Iterator[str]:
    counts = Counter(waits)
    for wait, count in counts.items():
        kind = f" ({wait.task_type})" if wait.task_type else ""
        yield _times(f"waiting for {wait.task_description or 'a task'}{kind}", count)


def _times(words: str, count: int) -> str:
    return words if count == 1 else f"{words} ({count} times)"

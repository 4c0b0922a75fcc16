"""What a session was doing at its last line, as far as its rows say."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from clew.conversation import AgentRun, Conversation, Message, ToolCall
from clew.digest import strip_lead, strip_markdown
from clew.entries import Command
from clew.insight.live.calls import OpenCalls, action_of_call
from clew.insight.live.context_fill import read_context_fill
from clew.insight.live.model import LONGEST_ACTION, Activity, Doing

_INTERACTIVE: Final = ("cli", None, "")
_EXITS: Final = frozenset(("/exit", "/quit", "exit", "quit"))
_TURN_ENDS: Final = frozenset(("turn_duration", "stop_hook_summary"))
# What follows these is up to the model.
_ASKS_MODEL: Final = frozenset(("prompt", "steering", "notification", "teammate", "command"))
_OVER: Final[dict[str, str]] = {
    "interrupt": "interrupted, waiting for the next prompt",
    "api_error": "the model could not be reached",
    "command_output": "waiting for the next prompt",
    "bash_output": "waiting for the next prompt",
}
_NEXT_PROMPT: Final = "waiting for the next prompt"
_ANSWERING: Final = "the model is answering"
_OVER_OR_NEARLY: Final = frozenset(("turn_over", "may_be_over"))
_AT_WORK: Final = frozenset(("answering", "calling", "may_ask", "asking"))


def read_activity(conversation: Conversation) -> Activity:
    """Return what a session was doing: on its main thread, or in agent runs that have not ended.

    What asks a person comes first, then what works. A session that ended its turn still works
    while agent runs go on in the background.
    """
    reader = _ActivityReader(conversation)
    own = reader.read(reader.main())
    runs = [reader.read(reader.messages(run.message_ids), run) for run in reader.open_runs()]
    found = _choose(own, [run for run in runs if run.doing in _AT_WORK])
    at = max((own.at, conversation.session.ended_at, *(run.at for run in runs)))
    if found.doing == "turn_over" and conversation.session.entrypoint not in _INTERACTIVE:
        found = msgspec.structs.replace(found, doing="left", reason="the run has ended")
    return msgspec.structs.replace(found, at=at, context=read_context_fill(conversation))


def _choose(own: Activity, runs: Sequence[Activity]) -> Activity:
    """Return the activity that says most about a session."""
    for wanted in ("asking", "may_ask"):
        for each in (own, *runs):
            if each.doing == wanted:
                return each
    if own.doing == "left" or not runs:
        return own
    return max(runs, key=lambda run: run.at)


class _ActivityReader:
    """Reads the last messages of the main thread and of agent runs."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._by_id = {message.id: message for message in conversation.messages}
        self._calls = OpenCalls(conversation)

    def main(self) -> list[Message]:
        """Return the messages of the main thread."""
        found = (thread for thread in self._conversation.threads if thread.is_main)
        main = next(found, None)
        return [] if main is None else self.messages(main.message_ids)

    def messages(self, ids: Iterable[str]) -> list[Message]:
        """Return messages by their ids."""
        return [self._by_id[name] for name in ids if name in self._by_id]

    def open_runs(self) -> Iterator[AgentRun]:
        """Return the agent runs that have not ended."""
        for run in self._conversation.agent_runs:
            if not run.is_hidden and run.has_transcript and self._calls.is_open(run):
                yield run

    def read(self, messages: Sequence[Message], run: AgentRun | None = None) -> Activity:
        """Return what went on at the end of some messages."""
        last = next((message for message in reversed(messages) if message.ended_at), None)
        found = self._read(messages)
        label = "" if run is None else run.description or run.agent
        return msgspec.structs.replace(
            found,
            at="" if last is None else last.ended_at,
            action=f"{label}: {found.action}" if label and found.action else found.action,
        )

    def _read(self, messages: Sequence[Message]) -> Activity:
        is_ended = False
        for place, message in _from_end(messages):
            match message.kind:
                case "answer":
                    return self._answer(message, is_ended=is_ended)
                case "tool_results":
                    return self._results(messages[:place])
                case "system":
                    is_ended = is_ended or message.subtype in _TURN_ENDS
                case "compaction_summary":
                    return self._compacted(message, is_ended=is_ended)
                case "bash_input":
                    return _at(message, "calling", "a command of yours runs")
                case kind if kind in _OVER:
                    return _at(message, _left_or_over(messages[: place + 1]), _OVER[kind])
                case kind if kind in _ASKS_MODEL:
                    return _at(message, "turn_over" if is_ended else "answering", _NEXT_PROMPT)
                case _:
                    continue
        return Activity(doing="turn_over", reason=_NEXT_PROMPT)

    def _answer(self, answer: Message, *, is_ended: bool) -> Activity:
        if pending := self._calls.pending(answer):
            return self._calls.activity(answer, pending)
        doing: Doing = "turn_over"
        if not is_ended and answer.stop_reason is None:
            is_text = bool(answer.blocks) and answer.blocks[-1].kind == "text"
            doing = "may_be_over" if is_text else "answering"
        elif not is_ended and answer.stop_reason in ("tool_use", "pause_turn"):
            doing = "answering"
        calls = self._calls.of(answer)
        if calls and not answer.text.strip():
            return _at_call(answer, calls[-1], doing)
        return _at(answer, doing, _NEXT_PROMPT)

    def _results(self, before: Sequence[Message]) -> Activity:
        """Return what goes on after a result: other calls of the same answer, or the model."""
        answer = next((each for each in reversed(before) if each.kind == "answer"), None)
        calls = [] if answer is None else self._calls.of(answer)
        if answer is None or not calls:
            return Activity(doing="answering", reason=_ANSWERING)
        if pending := self._calls.pending(answer):
            return self._calls.activity(answer, pending)
        return _at_call(answer, calls[-1], "answering")

    def _compacted(self, message: Message, *, is_ended: bool) -> Activity:
        epochs = (epoch for epoch in self._conversation.epochs if epoch.index == message.epoch)
        epoch = next(epochs, None)
        is_manual = epoch is not None and epoch.trigger == "manual"
        doing: Doing = "turn_over" if is_manual or is_ended else "answering"
        return Activity(doing=doing, reason=_NEXT_PROMPT, action="Compacted", message_id=message.id)


def _from_end(messages: Sequence[Message]) -> Iterator[tuple[int, Message]]:
    for place in range(len(messages) - 1, -1, -1):
        yield place, messages[place]


def _left_or_over(messages: Sequence[Message]) -> Doing:
    """Return whether the last command left the client."""
    command = next((each for each in reversed(messages) if each.kind == "command"), None)
    if messages[-1].kind != "command_output" or command is None:
        return "turn_over"
    content = command.content
    is_exit = isinstance(content, Command) and content.name.strip() in _EXITS
    return "left" if is_exit else "turn_over"


def _at(message: Message, doing: Doing, reason: str) -> Activity:
    is_over = message.kind == "answer" and doing in _OVER_OR_NEARLY
    line = _closing_words(message.text) if is_over else _opening_words(message.text)
    return Activity(doing=doing, reason=reason, action=line, message_id=message.id)


def _opening_words(text: str) -> str:
    return " ".join(text[: 4 * LONGEST_ACTION].split())[:LONGEST_ACTION]


def _closing_words(text: str) -> str:
    """Return the end of an answer, where its question is: the last paragraph, as plain text."""
    last = text.strip().rpartition("\n\n")[2]
    line = " ".join(strip_markdown(strip_lead(line)) for line in last.splitlines()).strip()
    if len(line) <= LONGEST_ACTION:
        return line
    return f"… {line[-LONGEST_ACTION:].partition(' ')[2]}"


def _at_call(answer: Message, call: ToolCall, doing: Doing) -> Activity:
    return Activity(
        doing=doing,
        reason=_NEXT_PROMPT if doing == "turn_over" else _ANSWERING,
        action=action_of_call(call, answer.cwd or ""),
        message_id=answer.id,
        call_id=call.id,
    )

"""A text → one of no content that the parser takes for the same kind of text.

It says how long the text was. Equal texts of a session have equal fillers, by which the parser
knows a prompt that it has seen before; that equality is all that is left of the words.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.entries import (
    Command,
    CommandOutput,
    Hook,
    IdeNotice,
    Notification,
    Teammate,
    UserText,
    classify_text,
)
from clew.push.names import KeyedNames
from clew.push.vocabulary import WORDS, command_word, word

_WARMUP: Final = "Warmup"
_SKILL: Final = "Base directory for this skill:"
_CONTINUED: Final = "This session is being continued from a previous conversation"
_STOPPED: Final = "Operation stopped by hook:"
_INTERRUPTS: Final = ("[Request interrupted by user for tool use]", "[Request interrupted by user]")
_NOTICE_TAGS: Final = {
    "opened_file": "ide_opened_file",
    "selection": "ide_selection",
    "diagnostics": "ide_diagnostics",
}
_WRAPPED: Final = {
    ("bash_input", ""): "bash-input",
    ("memory", ""): "user-memory-input",
    ("injection", "caveat"): "local-command-caveat",
    ("injection", "reminder"): "system-reminder",
}
_OUTPUTS: Final = {"command_output": "local-command", "bash_output": "bash"}
_SOURCES: Final = {"task": "task-id", "bash": "shell-id", "agent": "agent-id"}
_EVENT: Final = re.compile(r"[A-Z][A-Za-z]{2,40}")
_TAG_DIGITS: Final = 12


class Fillers:
    """Makes the fillers of one session."""

    def __init__(self, names: KeyedNames, session_id: str) -> None:
        self._names = names
        self._session_id = session_id

    def fill(self, text: str) -> str:
        """Return a filler of the same length's number: empty for what is empty."""
        if not text.strip():
            return " " if text else ""
        if text.strip() == _WARMUP:
            return _WARMUP
        slash = "/" if text.startswith("/") else ""
        tag = self._names.digest(text.strip(), f"text\0{self._session_id}")[:_TAG_DIGITS]
        return f"{slash}({len(text)} characters, {tag})"

    def fill_message(self, text: str) -> str:
        """Return a filler that is classified as the text is."""
        read = classify_text(text)
        notices = "".join(map(self._notice, read.notices))
        return notices + self._classified(read, text)

    def _classified(self, read: UserText, text: str) -> str:
        if read.kind == "interrupt":
            return next((name for name in _INTERRUPTS if read.text == name), _INTERRUPTS[-1])
        if read.content is not None:
            is_json = text.lstrip().startswith("{")
            return self._launch(read) if is_json else "\n".join(self._content(read, text))
        if tag := _WRAPPED.get((read.kind, read.subtype)):
            return f"<{tag}>{self.fill(read.text)}</{tag}>"
        if read.subtype == "image_note":
            return f"[Image: source: {self.fill(text)}]"
        if read.kind == "compaction_summary":
            return f"{_CONTINUED} {self.fill(text)}"
        lead = f"{_SKILL} " if text.startswith(_SKILL) else ""
        return lead + self.fill(read.text)

    def _content(self, read: UserText, text: str) -> Iterator[str]:
        match read.content:
            case Command() as command:
                yield f"<command-name>{command_word(command.name)}</command-name>"
                if command.args:
                    yield f"<command-args>{self.fill(command.args)}</command-args>"
            case CommandOutput() as output:
                tag = _OUTPUTS[read.kind]
                yield f"<{tag}-stdout>{self.fill(output.stdout)}</{tag}-stdout>"
                if output.stderr:
                    yield f"<{tag}-stderr>{self.fill(output.stderr)}</{tag}-stderr>"
            case Notification() as news:
                yield self._notification(news)
            case Hook() as hook:
                yield self._hook(hook)
            case tuple() as messages:
                yield from (self._teammate(message, text) for message in messages)
            case None:
                return

    def _notification(self, news: Notification) -> str:
        source = news.source if news.source in _SOURCES else "task"
        fields = {
            _SOURCES[source]: self._names.hash_id(news.task_id),
            "tool-use-id": self._names.hash_id(news.tool_use_id),
            "status": word(news.status),
            "summary": self.fill(news.summary),
            "total_tokens": news.total_tokens,
            "tool_uses": news.tool_uses,
            "duration_ms": news.duration_ms,
        }
        filled = {tag: text for tag, text in fields.items() if text not in ("", None)}
        inner = "".join(f"<{tag}>{text}</{tag}>" for tag, text in filled.items())
        return f"<{source}-notification>{inner}</{source}-notification>"

    def _launch(self, read: UserText) -> str:
        """Some clients write news of a task as JSON."""
        news = read.content if isinstance(read.content, Notification) else Notification()
        fields = {
            "task_id": self._names.hash_id(news.task_id),
            "task_type": "other",
            "tool_use_id": self._names.hash_id(news.tool_use_id),
            "description": self.fill(news.summary),
            "status": word(news.status),
        }
        return msgspec.json.encode(fields).decode()

    def _hook(self, hook: Hook) -> str:
        if hook.event in WORDS and _EVENT.fullmatch(hook.event):
            return f"{hook.event} hook feedback: {self.fill(hook.text)}"
        return f"{_STOPPED} {self.fill(hook.text)}"

    def _teammate(self, message: Teammate, whole: str) -> str:
        """The same words may come in several wrappings, each of which is another message."""
        fields = f'teammate_id="{self._names.hash_id(message.teammate_id)}"'
        fields += f' summary="{self.fill(whole)}"'
        return f"<teammate-message {fields}>\n{self.fill(message.text)}\n</teammate-message>"

    def _notice(self, notice: IdeNotice) -> str:
        tag = _NOTICE_TAGS[notice.kind]
        return f"<{tag}>{self.fill(notice.text)}</{tag}>"

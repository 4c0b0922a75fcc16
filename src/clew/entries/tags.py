"""The tags that the client itself puts around user text, and what is in them.

Only a text that consists of a client's tags is read as one: talk that merely quotes a tag, or
begins with somebody's XML, stays talk.
"""

import re
from collections.abc import Callable
from typing import Final

import msgspec


class Command(msgspec.Struct, frozen=True, gc=False):
    """A slash command as it was given."""

    name: str = ""
    args: str = ""
    message: str = ""
    contents: str = ""


class CommandOutput(msgspec.Struct, frozen=True, gc=False):
    """What a command printed."""

    stdout: str = ""
    stderr: str = ""


class Notification(msgspec.Struct, frozen=True, gc=False):
    """News of a background task, shell or agent."""

    source: str = ""
    task_id: str = ""
    tool_use_id: str = ""
    output_file: str = ""
    status: str = ""
    summary: str = ""
    result: str = ""
    total_tokens: int | None = None
    tool_uses: int | None = None
    duration_ms: int | None = None


class Teammate(msgspec.Struct, frozen=True, gc=False):
    """A message of another agent or session."""

    teammate_id: str = ""
    color: str = ""
    summary: str = ""
    text: str = ""


class IdeNotice(msgspec.Struct, frozen=True, gc=False):
    """What the editor said: a file that was opened, lines that were selected, diagnostics."""

    kind: str
    path: str = ""
    first_line: int | None = None
    last_line: int | None = None
    text: str = ""
    diagnostics: msgspec.Raw = msgspec.Raw(b"null")


class Hook(msgspec.Struct, frozen=True, gc=False):
    """What a hook put into the talk."""

    event: str = ""
    text: str = ""


Content = Command | CommandOutput | Notification | Hook | tuple[Teammate, ...]


class _JsonNews(msgspec.Struct, frozen=True, gc=False):
    """News of a task as JSON."""

    task_id: str
    task_type: str
    tool_use_id: str = ""
    description: str = ""
    status: str = ""


class Tagged(msgspec.Struct, frozen=True, gc=False):
    """What a text of tags means."""

    kind: str
    text: str = ""
    subtype: str = ""
    content: Content | None = None


_EDITOR_HOOK: Final = "post-tool-use-hook"
PEER_LEAD: Final = "Another Claude session sent a message:"
_SPACE: Final = re.compile(r"\s*")
_FIRST_TAG: Final = re.compile(r"<([a-z][a-z_-]*)[ >]")
_COMMAND_PART: Final = re.compile(
    r"\s*<(command-name|command-message|command-args|command-contents|skill-format)>(.*?)</\1>",
    re.DOTALL,
)
_TEAMMATE: Final = re.compile(r"<(teammate-message|agent-message)((?:\s+[a-z_]+=\"[^\"]*\")*)\s*>")
_ATTRIBUTE: Final = re.compile(r'([a-z_]+)="([^"]*)"')
_HOOK: Final = re.compile(r"<([a-z-]+-hook)>(.*)</\1>\s*", re.DOTALL)
_IDE: Final = re.compile(
    r"\s*<(ide_opened_file|ide_selection|ide_diagnostics|post-tool-use-hook)>(.*?)</\1>\s*",
    re.DOTALL,
)
_SELECTED: Final = re.compile(r"the lines? (\d{1,9}) to (\d{1,9}) from ([^\n]+)\n?(.*)", re.DOTALL)
_ASIDE: Final = "This may or may not be related to the current task."


def parse_tagged(text: str) -> Tagged | None:
    """Read a text that is made of the client's tags; None when it is something else."""
    if text.startswith(PEER_LEAD):
        return _teammate(text)
    found = _FIRST_TAG.match(text)
    if found is None:
        return None
    parser = _PARSERS.get(found[1])
    if parser is not None:
        return parser(text)
    return _hook(text) if found[1].endswith("-hook") else None


def parse_json_notification(text: str) -> Tagged | None:
    """Read news of a task that some clients queue as JSON instead of tags."""
    try:
        news = msgspec.json.decode(text, type=_JsonNews)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    notification = Notification(
        "task", news.task_id, news.tool_use_id, status=news.status, summary=news.description
    )
    return Tagged("notification", news.description, content=notification)


def split_ide_notices(text: str) -> tuple[list[IdeNotice], str]:
    """Split the editor's notices off the front of a text."""
    notices = []
    position = 0
    while found := _IDE.match(text, position):
        if found[1] == _EDITOR_HOOK and not _holds_diagnostics(found[2]):
            break
        notices.append(_ide_notice(found[1], found[2]))
        position = found.end()
    return notices, text[position:]


def _command(text: str) -> Tagged | None:
    parts: dict[str, str] = {}
    position = 0
    while found := _COMMAND_PART.match(text, position):
        parts[found[1]] = found[2]
        position = found.end()
    if text[position:].strip() or not (parts.keys() & {"command-name", "command-message"}):
        return None
    name = parts.get("command-name", parts.get("command-message", "")).strip()
    command = Command(
        name,
        parts.get("command-args", "").strip(),
        parts.get("command-message", "").strip(),
        parts.get("command-contents", ""),
    )
    return Tagged("command", f"{name} {command.args}".strip(), content=command)


def _command_output(text: str) -> Tagged | None:
    output = _output(text, "local-command-stdout", "local-command-stderr")
    return None if output is None else Tagged("command_output", _both(output), content=output)


def _bash_output(text: str) -> Tagged | None:
    output = _output(text, "bash-stdout", "bash-stderr")
    return None if output is None else Tagged("bash_output", _both(output), content=output)


def _output(text: str, stdout_tag: str, stderr_tag: str) -> CommandOutput | None:
    """Both streams may contain any text, tags too, so each runs to its last closing tag."""
    rest = text.rstrip()
    stderr = ""
    if rest.endswith(f"</{stderr_tag}>"):
        head, opened, inner = rest.rpartition(f"<{stderr_tag}>")
        if opened:
            rest, stderr = head.rstrip(), inner.removesuffix(f"</{stderr_tag}>")
    opening, closing = f"<{stdout_tag}>", f"</{stdout_tag}>"
    if rest and not (rest.startswith(opening) and rest.endswith(closing)):
        return None
    return CommandOutput(rest.removeprefix(opening).removesuffix(closing), stderr)


def _both(output: CommandOutput) -> str:
    return "\n".join(stream for stream in (output.stdout, output.stderr) if stream)


def _bash_input(text: str) -> Tagged | None:
    command = _whole(text, "bash-input")
    return None if command is None else Tagged("bash_input", command)


def _memory(text: str) -> Tagged | None:
    memory = _whole(text, "user-memory-input")
    return None if memory is None else Tagged("memory", memory)


def _caveat(text: str) -> Tagged | None:
    caveat = _whole(text, "local-command-caveat")
    return None if caveat is None else Tagged("injection", caveat, "caveat")


def _reminder(text: str) -> Tagged | None:
    """A text of several reminders is one too, when nothing else is between them."""
    opening, closing = "<system-reminder>", "</system-reminder>"
    position = 0
    while text.startswith(opening, position):
        end = text.find(closing, position)
        if end < 0:
            return None
        rest = _SPACE.match(text, end + len(closing))
        position = end if rest is None else rest.end()
    return Tagged("injection", text, "reminder") if position == len(text) else None


def _hook(text: str) -> Tagged | None:
    found = _HOOK.fullmatch(text)
    if found is None or (found[1] == _EDITOR_HOOK and _holds_diagnostics(found[2])):
        return None
    hook = Hook(found[1].removesuffix("-hook"), found[2])
    return Tagged("injection", hook.text, "hook_feedback", hook)


def _notification(text: str) -> Tagged | None:
    source = text[1:].partition(">")[0]
    if f"</{source}>" not in text:
        return None
    task_id = _inner(text, "task-id") or _inner(text, "shell-id") or _inner(text, "agent-id")
    notification = Notification(
        source.removesuffix("-notification"),
        task_id,
        _inner(text, "tool-use-id"),
        _inner(text, "output-file"),
        _inner(text, "status"),
        _inner(text, "summary"),
        _inner(text, "result"),
        _number(text, "total_tokens", "subagent_tokens"),
        _number(text, "tool_uses"),
        _number(text, "duration_ms"),
    )
    return Tagged("notification", notification.summary or text, content=notification)


def _teammate(text: str) -> Tagged | None:
    messages = []
    position = 0
    while found := _TEAMMATE.search(text, position):
        closing = f"</{found[1]}>"
        end = text.find(closing, found.end())
        if end < 0:
            break
        messages.append(_teammate_message(found[2], text[found.end() : end]))
        position = end + len(closing)
    if not messages:
        return None
    spoken = "\n".join(message.text for message in messages)
    return Tagged("teammate", spoken, content=tuple(messages))


def _teammate_message(attributes: str, text: str) -> Teammate:
    named = dict(_ATTRIBUTE.findall(attributes))
    return Teammate(
        named.get("teammate_id") or named.get("from", ""),
        named.get("color", ""),
        named.get("summary", ""),
        text.strip("\n"),
    )


def _ide_notice(tag: str, text: str) -> IdeNotice:
    if tag == "ide_opened_file":
        path, told, _ = text.partition("the file ")[2].partition(" in the IDE")
        return IdeNotice("opened_file", path if told else "", text=text)
    if tag == "ide_selection":
        return _selection(text)
    raw = _inner(text, "ide_diagnostics") or text
    return IdeNotice("diagnostics", text=raw.strip(), diagnostics=_json(raw))


def _selection(text: str) -> IdeNotice:
    found = _SELECTED.search(text)
    if found is None:
        return IdeNotice("selection", text=text)
    # The path runs to a colon, but it may contain a colon: after a drive's letter, for one.
    path, told, inline = found[3].removesuffix(":").partition(": ")
    chosen = f"{inline}\n{found[4]}" if told else found[4]
    chosen = chosen.rstrip().removesuffix(_ASIDE).strip("\n")
    return IdeNotice("selection", path, int(found[1]), int(found[2]), chosen)


def _holds_diagnostics(text: str) -> bool:
    """Return whether a hook's words are the editor's."""
    return text.lstrip().startswith("<ide_diagnostics>")


def _json(text: str) -> msgspec.Raw:
    """Keep diagnostics as JSON when they are JSON."""
    encoded = text.strip().encode("utf-8", "replace")
    try:
        msgspec.json.decode(encoded)
    except (msgspec.DecodeError, RecursionError):
        return msgspec.Raw(b"null")
    return msgspec.Raw(encoded)


def _whole(text: str, tag: str) -> str | None:
    """Return what one tag contains when it is all there is; closed by the last closing tag."""
    rest = text.rstrip()
    if rest.startswith(f"<{tag}>") and rest.endswith(f"</{tag}>"):
        return rest[len(tag) + 2 : -len(tag) - 3]
    return None


def _inner(text: str, tag: str) -> str:
    """Return what is in the first such tag, up to its last closing one."""
    _, opened, rest = text.partition(f"<{tag}>")
    inner, closed, _ = rest.rpartition(f"</{tag}>")
    return inner if opened and closed else ""


def _number(text: str, *tags: str) -> int | None:
    for tag in tags:
        inner = _inner(text, tag).strip()
        if inner.isascii() and inner.isdigit() and len(inner) < 19:  # noqa: PLR2004 (64 bits)
            return int(inner)
    return None


_PARSERS: Final[dict[str, Callable[[str], Tagged | None]]] = {
    "agent-message": _teammate,
    "agent-notification": _notification,
    "bash-input": _bash_input,
    "bash-notification": _notification,
    "bash-stderr": _bash_output,
    "bash-stdout": _bash_output,
    "command-args": _command,
    "command-contents": _command,
    "command-message": _command,
    "command-name": _command,
    "local-command-caveat": _caveat,
    "local-command-stderr": _command_output,
    "local-command-stdout": _command_output,
    "system-reminder": _reminder,
    "task-notification": _notification,
    "teammate-message": _teammate,
    "user-memory-input": _memory,
}

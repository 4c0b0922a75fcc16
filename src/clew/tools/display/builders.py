"""Builders of the parts that many tools show: input fields, text, output, notes, checklists."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

import msgspec

from clew.conversation import ToolCall
from clew.parts import (
    Code,
    Fields,
    Fold,
    Note,
    Output,
    Part,
    Prose,
    State,
    Words,
)
from clew.tools.result_text import find_persisted
from clew.tools.tool import CallState

Value: TypeAlias = str | float | bool | None
_SHORT: Final = 200
_SMALL: Final = 80
_MARKDOWN: Final = re.compile(r"^(?:#{1,6} \S|```|~~~)|\*\*\S", re.MULTILINE)
_BAD_ENDS: Final = ("failed", "killed", "error")
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_STATES: Final[dict[str, State]] = {
    "in_progress": "doing",
    "completed": "done",
    "deleted": "dropped",
    "cancelled": "dropped",
}
_CHANGES: Final = {"in_progress": "started", "completed": "done", "pending": "reopened"}


def input_fields(call: ToolCall, *shown_elsewhere: str) -> Iterator[Part]:
    """Show all of a call's input, except the keys that other parts show."""
    try:
        values = _members.decode(call.input)
    except (ValueError, RecursionError):
        yield from _whole(bytes(call.input))
        return
    shown = [
        (key, _value(bytes(value))) for key, value in values.items() if key not in shown_elsewhere
    ]
    pairs = tuple([(key, value) for key, value in shown if isinstance(value, str)])
    if pairs:
        yield Fields(pairs)
    for key, value in shown:
        if not isinstance(value, str):
            yield Fold(key, (value,), is_open=True)


def fields(*pairs: tuple[str, Value]) -> Iterator[Part]:
    """Show names with values, without those that are empty."""
    known = tuple((name, _format(value)) for name, value in pairs if value not in (None, "", False))
    if known:
        yield Fields(known)


def prose(text: str | None) -> Iterator[Part]:
    """Show Markdown, if there is any."""
    if text and not text.isspace():
        yield Prose(text)


def words(text: str) -> Iterator[Part]:
    """Show plain words, if there are any."""
    if text and not text.isspace():
        yield Words(text)


def output(text: str, name: str = "", *, is_error: bool = False) -> Iterator[Part]:
    """Show what was printed, if anything was."""
    if text and not text.isspace():
        yield Output(text, name, is_error)


def note(text: str, *, when: object = True, bad: bool = False) -> Iterator[Part]:
    """Show a one-line note, under a condition."""
    if text and when:
        yield Note(text, "bad" if bad else "quiet")


def fold(title: str, parts: Iterable[Part]) -> Iterator[Part]:
    """Put parts below a title, if there are any."""
    inner = tuple(parts)
    if inner:
        yield Fold(title, inner)


def formatted_text(text: str) -> Iterator[Part]:
    """Show text as what it looks like: JSON, Markdown or plain words."""
    if not text or text.isspace():
        return
    pretty = _pretty(text.encode()) if _looks_like_json(text) else None
    if pretty is not None:
        yield Code(pretty, "json")
    elif _MARKDOWN.search(text, 0, 20_000):
        yield Prose(text)
    else:
        yield Words(text)


def json_code(raw: bytes) -> Code:
    """Show JSON indented; bytes that are not JSON are shown unchanged."""
    return Code(_pretty(raw) or raw.decode("utf-8", "backslashreplace"), "json")


def json_value(value: object) -> Iterator[Part]:
    """Show a decoded JSON value, unless it is None."""
    if value is None:
        return
    try:
        yield json_code(msgspec.json.encode(value))
    except (ValueError, TypeError, RecursionError):
        yield Words(repr(value))


def exit_note(exit_code: int | None) -> Iterator[Part]:
    """Show the exit code of a command that has ended."""
    if exit_code is not None:
        yield Note(f"Exit code {exit_code}", "bad" if exit_code else "quiet")


def failed_state(failed: object) -> CallState:
    """Report a failure that is no error, if there was one."""
    return ("failed", "bad") if failed else ("", "")


def exit_state(status: str, exit_code: int | None) -> CallState:
    """Describe the status of a background task in a word or two."""
    if exit_code:
        return f"exit {exit_code}", "bad"
    if status in _BAD_ENDS:
        return status, "bad"
    return ("", "") if status == "completed" else (status, "")


def model_text(call: ToolCall) -> str:
    """Return the text that the model saw: of a long output that was saved, only a preview."""
    texts = [block.text for block in call.result_blocks if block.kind == "text"]
    return "\n".join(texts) or call.result_text


def full_output(call: ToolCall) -> str:
    """Return the full output that the client saved to a file, if that file was found."""
    text = model_text(call)
    if call.persisted_path is None and find_persisted(text) is None:
        return ""
    return "" if call.result_text in (text, "") else call.result_text


def _whole(raw: bytes) -> Iterator[Part]:
    """Show an input that is not a JSON object."""
    try:
        value = msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        yield from words(raw.decode("utf-8", "backslashreplace"))
        return
    if isinstance(value, str):
        yield from formatted_text(value)
    elif value is not None:
        yield json_code(raw)


def _value(raw: bytes) -> str | Part:
    """Return a short value as a string, any other as a part."""
    if raw[:1] == b'"':
        text = _string(raw)
        if len(text) <= _SHORT and "\n" not in text:
            return text
        return next(formatted_text(text), Words(text))
    text = raw.decode("utf-8", "backslashreplace")
    return json_code(raw) if len(text) > _SMALL or "\n" in text else text


def _string(raw: bytes) -> str:
    try:
        return msgspec.json.decode(raw, type=str)
    except ValueError:
        return raw.decode("utf-8", "backslashreplace")


def _looks_like_json(text: str) -> bool:
    bare = text.strip()
    return bare[:1] + bare[-1:] in ("{}", "[]")


def _pretty(raw: bytes) -> str | None:
    try:
        return msgspec.json.format(raw, indent=2).decode("utf-8", "backslashreplace")
    except (ValueError, RecursionError):
        return None


def _format(value: Value) -> str:
    if isinstance(value, bool):
        return "yes"
    if isinstance(value, str):
        return value
    return f"{value or 0:,.1f}".removesuffix(".0")


def check_state(status: str) -> State:
    """Convert a client's status of a to-do or task; an unknown one counts as open."""
    return _STATES.get(status, "open")


def describe_change(old: str | None, new: str) -> str:
    """Describe a change of status in a word; the status None means a new item."""
    if old is None:
        return "new"
    return "" if old == new else _CHANGES.get(new, new)

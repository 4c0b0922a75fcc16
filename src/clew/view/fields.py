"""What was parsed of a row → parts that show its fields plainly, and all of them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from clew.entries import OtherAttachment, System
from clew.parts import (
    CheckItem,
    Checklist,
    Code,
    Fields,
    Fold,
    Image,
    Listing,
    Output,
    Part,
    State,
    Words,
)
from clew.view.labels import field_label

_SHORT: Final = 160
_STREAMS: Final = ("stdout", "stderr")
_UNREADABLE: Final = (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError)
_STATES: Final[dict[str, State]] = {
    "pending": "open",
    "in_progress": "doing",
    "completed": "done",
    "deleted": "dropped",
}


def struct_parts(parsed: msgspec.Struct, shown: str = "") -> tuple[Part, ...]:
    """Show the fields of a struct that say anything.

    Args:
        parsed: What was parsed.
        shown: Text of it that is on the page already.
    """
    if isinstance(parsed, OtherAttachment):
        value = _decoded(bytes(parsed.value))
        return tuple(value_parts("", value)) if value is not None else ()
    try:
        fields = msgspec.json.decode(msgspec.json.encode(parsed))
    except _UNREADABLE:
        return (Words(repr(parsed)),)
    known = System.__struct_encode_fields__ if isinstance(parsed, System) else ("type",)
    return dict_parts(fields, shown, known) if isinstance(fields, dict) else ()


def dict_parts(
    fields: Mapping[str, Any], shown: str = "", without: Collection[str] = ()
) -> tuple[Part, ...]:
    """Show members of an object: short ones side by side, each of the others on its own."""
    pairs: list[tuple[str, str]] = []
    parts: list[Part] = []
    for name, value in fields.items():
        if name in without or _is_shown(value, shown):
            continue
        short = _short(value)
        if short is not None:
            pairs.append((field_label(name), short))
        else:
            parts.extend(value_parts(name, value))
    return (*([Fields(tuple(pairs))] if pairs else []), *parts)


def value_parts(name: str, value: object) -> Iterator[Part]:
    """Show a value that is too long for one line."""
    title = field_label(name) or "Value"
    match value:
        case str() if name in _STREAMS:
            yield Output(value, name, is_error=name == "stderr")
        case str():
            yield Fold(title, (Words(value),))
        case {"file": dict() as file} if "content" in file or "base64" in file:
            yield from _file(file)
        case dict() if all(_short(inner) is not None for inner in value.values()):
            yield Fold(title, dict_parts(value))
        case list() if value and all(map(_is_to_do, value)):
            yield Fold(title, (Checklist(tuple(map(_to_do, value))),))
        case list() if all(isinstance(item, str) for item in value):
            is_list = not any("\n" in item for item in value)
            part = Listing(tuple(value)) if is_list else Words("\n".join(value))
            yield Fold(title, (part,))
        case _:
            yield Fold(title, (Code(as_json(value), "json"),))


def checklist(items: Iterable[msgspec.Struct]) -> Checklist:
    """Show things to do, whatever list they come from."""
    parsed = (msgspec.to_builtins(item) for item in items)
    return Checklist(tuple(_to_do(item) for item in parsed if _is_to_do(item)))


def as_json(value: object) -> str:
    """Write a value as JSON, one member a line."""
    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except _UNREADABLE:
        return str(value)


def _decoded(raw: bytes) -> Any:
    try:
        return msgspec.json.decode(raw)
    except _UNREADABLE:
        return raw.decode("utf-8", "replace")


def _is_shown(value: object, shown: str) -> bool:
    """Return whether a value is empty or on the page already."""
    if value is None or value is False or value in ("", [], {}):
        return True
    if not shown:
        return False
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value) == shown
    return isinstance(value, str) and value.strip() == shown.strip()


def _short(value: object) -> str | None:
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return str(value)
        case str() if len(value) <= _SHORT and "\n" not in value:
            return value
        case _:
            return None


def _file(file: Mapping[str, Any]) -> Iterator[Part]:
    """Show a file that came along whole."""
    path = str(file.get("filePath") or "")
    if "base64" in file:
        yield Image(str(file.get("type") or ""), str(file["base64"]), text=path)
    else:
        first = file.get("startLine")
        first = first if isinstance(first, int) else None
        yield Code(str(file["content"]), path=path, first_line=first)
    yield from dict_parts(file, without=("base64", "content", "filePath"))


def _is_to_do(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    return "status" in value and ("content" in value or "subject" in value)


def _to_do(item: Mapping[str, Any]) -> CheckItem:
    status = str(item["status"])
    text = str(item.get("subject") or item.get("content") or "")
    detail = str(item.get("description") or "") if "subject" in item else ""
    note = detail if status in _STATES else f"{status} {detail}".strip()
    return CheckItem(text, _STATES.get(status, "open"), note)

"""Changes to a JSON text that leave everything else in it as it is: spaces, order, numbers.

A change is a list of edits at places of the text. An edit can be undone exactly as long as nobody
else has changed the text.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_INDENT: Final = re.compile(r"\{\r?\n([ \t]+)\"")
_DEFAULT_INDENT: Final = "  "


class JsonChild(msgspec.Struct, frozen=True):
    """A member of an object (with its key) or an item of an array: where its text is."""

    start: int
    value: int
    end: int
    key: str = ""


class TextEdit(msgspec.Struct, frozen=True):
    """Text that replaces the text from `start` on which is `old`."""

    start: int
    old: str
    new: str


def children(text: str, start: int) -> list[JsonChild]:
    """Return the children of the object or array that starts there; the text is valid JSON."""
    is_object = text[start] == "{"
    found: list[JsonChild] = []
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        first, key = at, ""
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        found.append(JsonChild(first, at, end, key))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def member(text: str, start: int, key: str) -> JsonChild | None:
    """Return the member of an object that counts: the last of its name."""
    return next((child for child in reversed(children(text, start)) if child.key == key), None)


def root(text: str) -> int:
    """Return where the value of a text starts."""
    return _skip(text, len(text) - len(text.removeprefix("\ufeff")))


def append(
    text: str, start: int, depth: int, values: Mapping[str, Any] | Sequence[Any]
) -> TextEdit:
    """Append members to an object or items to an array, indented like the rest of the text.

    Args:
        text: The text to change.
        start: Where the object or array starts.
        depth: How deep its children are indented.
        values: The new children.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = indentation(text)
    step = " " if unit is None else newline + unit * depth
    pieces = [piece.replace("\n", step) for piece in _encode(values, unit)]
    if found := children(text, start):
        return TextEdit(found[-1].end, "", "".join(f",{step}{piece}" for piece in pieces))
    inside = text[start + 1 : _skip(text, start + 1)]
    new = f",{step}".join(pieces)
    if unit is not None:
        new = f"{step}{new}{newline}{unit * (depth - 1)}"
    return TextEdit(start + 1, inside, new)


def remove(text: str, start: int, doomed: Iterable[JsonChild]) -> list[TextEdit]:
    """Remove children of an object or array, with their commas."""
    all_children = children(text, start)
    gone = {child.start for child in doomed}
    if all(child.start in gone for child in all_children):
        end = _skip(text, all_children[-1].end)
        return [TextEdit(start + 1, text[start + 1 : end], "")]
    spans = []
    has_survivor = False
    for number, child in enumerate(all_children):
        if child.start not in gone:
            has_survivor = True
        elif has_survivor:
            spans.append((all_children[number - 1].end, child.end))
        else:
            spans.append((child.start, all_children[number + 1].start))
    return [TextEdit(first, text[first:end], "") for first, end in spans]


def apply(text: str, edits: Iterable[TextEdit]) -> str:
    """Return a text with edits, which do not overlap."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.new + text[edit.start + len(edit.old) :]
    return text


def invert(edits: Iterable[TextEdit]) -> list[TextEdit]:
    """Return the edits that undo others."""
    shift = 0
    undone = []
    for edit in sorted(edits, key=lambda edit: edit.start):
        undone.append(TextEdit(edit.start + shift, edit.new, edit.old))
        shift += len(edit.new) - len(edit.old)
    return undone


def indentation(text: str) -> str | None:
    """Return how a text indents its members, or None if all of it is on one line."""
    if found := _INDENT.search(text):
        return found[1]
    return None if children(text, root(text)) and "\n" not in text.strip() else _DEFAULT_INDENT


def _encode(values: Mapping[str, Any] | Sequence[Any], indent: str | None) -> list[str]:
    if isinstance(values, Mapping):
        pairs = ((json.dumps(key), value) for key, value in values.items())
        return [f"{key}: {json.dumps(value, indent=indent)}" for key, value in pairs]
    return [json.dumps(value, indent=indent) for value in values]


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at

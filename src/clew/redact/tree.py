"""A tree of structs, tuples, lists, dicts and strings → the same tree without secrets."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from types import UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from clew.redact.redactor import Redactor, find_secrets
from clew.redact.report import Finding

# Fields that hold pictures as base64: long, and no text.
LEAVE: Final = frozenset({"data"})

_NUMBERS: Final = frozenset({int, float, bool, type(None)})
_UNIONS: Final = frozenset({Union, UnionType})

T = TypeVar("T")


class _Frame:
    """A branch of the tree on its way to be rebuilt: its children, and those already done."""

    def __init__(self, node: Any, children: list[Any]) -> None:
        self.node = node
        self.children = children
        self.done: list[Any] = []


def redact_tree(value: T, redactor: Redactor, leave: frozenset[str] = LEAVE) -> T:
    """Rebuild what holds secrets, and keep the rest as the very same objects.

    All strings are looked at before the first is changed, so that a password found in one place
    is masked in those before it too. Keys of dicts are strings like others; what is left alone
    are fields and keys named in `leave`, and fields whose type has no room for text.
    """
    spans = {text: redactor.find(text) for text in dict.fromkeys(strings_of(value, leave))}
    rebuilt: T = _rebuild(value, leave, lambda text: redactor.mask(text, spans.get(text, [])))
    return rebuilt


def find_tree_secrets(
    value: Any, limit: int | None = None, leave: frozenset[str] = LEAVE
) -> list[Finding]:
    """Find the distinct secrets of a tree without changing it, to warn of them."""
    return find_secrets("\n".join(strings_of(value, leave)), limit)


def strings_of(value: Any, leave: frozenset[str] = LEAVE) -> Iterator[str]:
    """Give every string that `redact_tree` looks at, in order."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if type(node) is str:
            yield node
        else:
            waiting.extend(reversed(_children(node, leave)))


def _rebuild(value: Any, leave: frozenset[str], change: Callable[[str], str]) -> Any:
    """Walk by a stack of our own: a hostile tree is deeper than Python's."""
    root = _Frame(None, [value])
    frames = [root]
    while True:
        frame = frames[-1]
        if len(frame.done) < len(frame.children):
            child = frame.children[len(frame.done)]
            if type(child) is str:
                frame.done.append(change(child))
            else:
                frames.append(_Frame(child, _children(child, leave)))
        elif frame is root:
            return frame.done[0]
        else:
            frames.pop()
            frames[-1].done.append(_joined(frame, leave))


def _children(node: Any, leave: frozenset[str]) -> list[Any]:
    match node:
        case msgspec.Struct():
            return [getattr(node, name) for name in _fields(type(node), leave)]
        case dict():
            kept = [key for key in node if key in leave]
            pairs = [(key, item) for key, item in node.items() if key not in kept]
            return [part for pair in pairs for part in pair]
        case tuple() | list() | set() | frozenset():
            return list(node)
        case _:
            return []


def _joined(frame: _Frame, leave: frozenset[str]) -> Any:
    """Give the branch again: the old one if no child has changed."""
    node, done = frame.node, frame.done
    if all(new is old for new, old in zip(done, frame.children, strict=True)):
        return node
    match node:
        case msgspec.Struct():
            names = _fields(type(node), leave)
            return msgspec.structs.replace(node, **dict(zip(names, done, strict=True)))
        case dict():
            return _joined_dict(node, done, leave)
        case tuple() if type(node) is not tuple:
            return type(node)(*done)
        case _:
            return type(node)(done)


def _joined_dict(node: dict[Any, Any], done: list[Any], leave: frozenset[str]) -> dict[Any, Any]:
    pairs = iter(done)
    joined: dict[Any, Any] = {}
    for key, item in node.items():
        new, part = (key, item) if key in leave else (next(pairs), next(pairs))
        # Two paths may become one: no entry is lost for it.
        joined[f"{new} ({len(joined)})" if new in joined else new] = part
    return joined


@lru_cache(maxsize=1024)
def _fields(kind: type[msgspec.Struct], leave: frozenset[str]) -> tuple[str, ...]:
    """Give the fields of a struct that may hold text of a transcript."""
    fields = msgspec.structs.fields(kind)
    return tuple(f.name for f in fields if f.name not in leave and not _is_textless(f.type))


def _is_textless(kind: Any) -> bool:
    """Tell whether a type has no room for text: numbers, flags and choices of literals."""
    if get_origin(kind) is Literal or kind in _NUMBERS:
        return True
    return get_origin(kind) in _UNIONS and all(map(_is_textless, get_args(kind)))

"""A tree of structs, tuples, lists, dicts and strings → the same tree without secrets."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter, is_
from types import UnionType
from typing import Any, Final, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

import msgspec

from clew.redact.redactor import Redactor, find_secrets_of
from clew.redact.report import Finding

# Fields that may hold pictures as base64: long, and no text.
LEAVE: Final = frozenset({"data"})
_PICTURE: Final = re.compile(r"(?!LS0tLS1)[A-Za-z0-9+/]{200}[A-Za-z0-9+/\s]*+={0,2}\s*+")

_NUMBERS: Final = frozenset({int, float, bool, type(None)})
_UNIONS: Final = frozenset({Union, UnionType})

_STRINGS: Final = {str}
_KEY_SIGNS: Final = ("PRIVATE KEY", "Private-Lines: ")

_Reader: TypeAlias = Callable[[Any], Sequence[Any]]
T = TypeVar("T")


class _Branch:
    """A branch of the tree on its way to be rebuilt: its children, and those already done."""

    __slots__ = ("children", "done", "left", "node")

    def __init__(self, node: Any, children: Sequence[Any]) -> None:
        self.node = node
        self.children = children
        self.left = iter(children)
        self.done: list[Any] = []


def redact_tree(value: T, redactor: Redactor, leave: frozenset[str] = LEAVE) -> T:
    """Rebuild what holds secrets, and keep the rest as the very same objects.

    All strings are looked at before the first is changed, so that a password found in one place
    is masked in those before it too. Keys of dicts are strings like others; what is left alone
    are pictures in fields and keys named in `leave`, and fields whose type has no room for text.
    """
    rebuilt: T = _rebuild(value, leave, redactor.prepare(strings_of(value, leave)))
    return rebuilt


def find_tree_secrets(
    value: Any, limit: int | None = None, leave: frozenset[str] = LEAVE
) -> list[Finding]:
    """Find the distinct secrets of a tree without changing it, to warn of them.

    Strings side by side in a tuple or a list, such as the lines of a diff, are read as one text.
    """
    texts: list[str] = []
    _walk(value, leave, texts.append, lambda lines: texts.append("\n".join(lines)))
    return find_secrets_of(texts, limit)


def strings_of(value: Any, leave: frozenset[str] = LEAVE) -> list[str]:
    """Give every string that `redact_tree` looks at, in order."""
    strings: list[str] = []

    def take_many(lines: Sequence[str]) -> None:
        strings.extend(["\n".join(lines)] if _hold_key(lines) else lines)

    _walk(value, leave, strings.append, take_many)
    return strings


def _hold_key(lines: Sequence[str]) -> bool:
    """Tell whether lines are to be read as one text: a private key is none line by line."""
    return any(sign in line for line in lines for sign in _KEY_SIGNS)


def _walk(
    value: Any,
    leave: frozenset[str],
    take: Callable[[str], None],
    take_many: Callable[[Sequence[str]], None],
) -> None:
    """Go through a tree by a stack of our own: a hostile one is deeper than Python's."""
    readers: dict[type, _Reader] = {}
    waiting = [value]
    while waiting:
        node = waiting.pop()
        kind: type = type(node)
        if kind is str:
            take(node)
        elif kind is tuple or kind is list:
            if _are_lines(node):
                take_many(node)
            else:
                waiting += node[::-1]
        else:
            read = readers.get(kind) or readers.setdefault(kind, _reader(kind, leave))
            waiting += read(node)[::-1]


def _are_lines(node: Sequence[Any]) -> bool:
    return bool(node) and type(node[0]) is str and {*map(type, node)} == _STRINGS


def _change_lines(lines: Sequence[str], change: Callable[[str], str]) -> Sequence[str]:
    """Change lines as one text; a mark that stands for several of them is one line."""
    text = "\n".join(lines)
    changed = change(text)
    return lines if changed == text else changed.split("\n")


def _rebuild(value: Any, leave: frozenset[str], change: Callable[[str], str]) -> Any:
    """Walk as `_walk` does, and put together again what has changed."""
    root = _Branch(None, (value,))
    branches = [root]
    while True:
        branch = branches[-1]
        add = branch.done.append
        for node in branch.left:
            kind: type = type(node)
            if kind is str:
                add(change(node))
            elif (kind is tuple or kind is list) and _are_lines(node) and _hold_key(node):
                lines = _change_lines(node, change)
                add(node if lines is node else kind(lines))
            elif children := _reader(kind, leave)(node):
                branches.append(_Branch(node, children))
                break
            else:
                add(node)
        else:
            if branch is root:
                return root.done[0]
            branches.pop()
            branches[-1].done.append(_joined(branch, leave))


@lru_cache(maxsize=1024)
def _reader(kind: type, leave: frozenset[str]) -> _Reader:
    """Give what takes the children out of a node of this type."""
    if issubclass(kind, msgspec.Struct):
        names = _fields(kind)
        if not leave.isdisjoint(names):
            return lambda node: [getattr(node, name) for name in _looked_at(node, leave)]
        if len(names) > 1:
            return attrgetter(*names)
        return lambda node: [getattr(node, name) for name in names]
    if issubclass(kind, dict):
        return lambda node: [
            part
            for key, item in node.items()
            if not _is_left(key, item, leave)
            for part in (key, item)
        ]
    if issubclass(kind, tuple | list | set | frozenset):
        return tuple
    return _nothing


def _nothing(_node: object) -> tuple[()]:
    return ()


def _joined(branch: _Branch, leave: frozenset[str]) -> Any:
    """Give the branch again: the old one if no child has changed."""
    node, done = branch.node, branch.done
    if all(map(is_, done, branch.children)):
        return node
    match node:
        case msgspec.Struct():
            names = _looked_at(node, leave)
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
        new, part = (key, item) if _is_left(key, item, leave) else (next(pairs), next(pairs))
        # Two paths may become one: no entry is lost for it.
        joined[f"{new} ({len(joined)})" if new in joined else new] = part
    return joined


def _looked_at(node: msgspec.Struct, leave: frozenset[str]) -> list[str]:
    """Give the fields of a struct to look at, which pictures are not."""
    names = _fields(type(node))
    return [name for name in names if not _is_left(name, getattr(node, name), leave)]


def _is_left(name: Any, item: Any, leave: frozenset[str]) -> bool:
    """Tell whether a field is left alone; what is no picture may be anything, whatever its name."""
    return name in leave and type(item) is str and _PICTURE.fullmatch(item) is not None


@lru_cache(maxsize=1024)
def _fields(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Give the fields of a struct that may hold text of a transcript."""
    fields = msgspec.structs.fields(kind)
    return tuple(f.name for f in fields if not _is_textless(f.type))


def _is_textless(kind: Any) -> bool:
    """Tell whether a type has no room for text: numbers, flags and choices of literals."""
    if get_origin(kind) is Literal or kind in _NUMBERS:
        return True
    return get_origin(kind) in _UNIONS and all(map(_is_textless, get_args(kind)))

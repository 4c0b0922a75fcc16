"""A tree of structs, tuples, lists, dicts and strings → the same tree without secrets."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter, is_
from types import UnionType
from typing import Any, Final, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

import msgspec

from clew.redact.likely_secrets import find_likely_secrets
from clew.redact.redactor import Redactor, find_secrets_of
from clew.redact.report import SecretFinding
from clew.redact.split_keys import find_split_keys

# Fields that may contain pictures as base64: long, and no text.
LEAVE: Final = frozenset({"data"})
_PICTURE: Final = re.compile(r"(?!LS0tLS1)[A-Za-z0-9+/]{200}[A-Za-z0-9+/\s]*+={0,2}\s*+")

_NUMBERS: Final = frozenset({int, float, bool, type(None)})
_UNIONS: Final = frozenset({Union, UnionType})

_STRINGS: Final = {str}
# Put before the pieces of a private key, it makes one text of them that detectors know.
_KEY_HEAD: Final = "-----BEGIN PRIVATE KEY-----"

_Reader: TypeAlias = Callable[[Any], Sequence[Any]]
T = TypeVar("T")


class _Subtree:
    """A branch of the tree on its way to be rebuilt: its children, and those already done."""

    __slots__ = ("children", "done", "left", "node")

    def __init__(self, node: Any, children: Sequence[Any]) -> None:
        self.node = node
        self.children = children
        self.left = iter(children)
        self.done: list[Any] = []


class _Changes(msgspec.Struct, frozen=True):
    """What becomes of a text, and of one with a name: None if that reveals nothing."""

    text: Callable[[str], str]
    named: Callable[[str, str], str | None]


def redact_tree(value: T, redactor: Redactor, leave: frozenset[str] = LEAVE) -> T:
    """Rebuild what contains secrets, and keep the rest as the very same objects.

    All strings are looked at before the first is changed, so that a password found in one place
    is masked in those before it too. Keys of dicts are strings like others, and may reveal that
    their value is a secret. What is left alone are pictures in fields and keys named in `leave`,
    and fields whose type has no room for text.
    """
    mask = prepare_tree(value, redactor, leave)
    rebuilt: T = _rebuild(value, leave, _Changes(mask, redactor.redact_named))
    return rebuilt


def prepare_tree(
    value: Any, redactor: Redactor, leave: frozenset[str] = LEAVE
) -> Callable[[str], str]:
    """Read all strings of a tree, and return the function that masks them.

    A value that only its name reveals as a secret is masked by `redact_tree` where it is, and by
    this function if it is one that other places could contain.
    """
    named: list[tuple[str, str]] = []
    strings = strings_of(value, leave, named)
    for name, text in named:
        redactor.find_named(name, text)
    for pieces in find_split_keys(strings):
        redactor.learn_key(pieces)
    return redactor.prepare(strings)


def find_tree_secrets(
    value: Any, limit: int | None = None, leave: frozenset[str] = LEAVE
) -> list[SecretFinding]:
    """Find the distinct likely secrets of a tree without changing it, to warn of them.

    These are the ones that can be told at a glance: `redact_tree` masks others too. A private key
    whose lines are strings of their own is one secret.
    """
    strings = strings_of(value, leave)
    strings += ["\n".join((_KEY_HEAD, *pieces)) for pieces in find_split_keys(strings)]
    return find_secrets_of(strings, limit, find_likely_secrets)


def strings_of(
    value: Any, leave: frozenset[str] = LEAVE, named: list[tuple[str, str]] | None = None
) -> list[str]:
    """Return every string that `redact_tree` looks at, in order.

    `named` is filled with the names and texts of dicts.
    The stack is our own: a hostile tree is deeper than Python's.
    """
    readers: dict[type, _Reader] = {}
    strings: list[str] = []
    waiting = [value]
    while waiting:
        node = waiting.pop()
        kind: type = type(node)
        if kind is str:
            strings.append(node)
        elif kind is tuple or kind is list:
            if _are_strings(node):
                strings += node
            else:
                waiting += node[::-1]
        else:
            read = readers.get(kind) or readers.setdefault(kind, _reader(kind, leave))
            waiting += read(node)[::-1]
            if named is not None and kind is dict:
                named += [pair for pair in node.items() if _are_strings(pair)]
    return strings


def _are_strings(node: Sequence[Any]) -> bool:
    return bool(node) and type(node[0]) is str and {*map(type, node)} == _STRINGS


def _rebuild(value: Any, leave: frozenset[str], changes: _Changes) -> Any:
    """Walk as `strings_of` does, and put together again what has changed."""
    change = changes.text
    root = _Subtree(None, (value,))
    branches = [root]
    while True:
        branch = branches[-1]
        add = branch.done.append
        for node in branch.left:
            kind: type = type(node)
            if kind is str:
                add(change(node))
            elif children := _reader(kind, leave)(node):
                branches.append(_Subtree(node, children))
                break
            else:
                add(node)
        else:
            if branch is root:
                return root.done[0]
            branches.pop()
            if type(branch.node) is dict:
                _change_named(branch, changes.named)
            branches[-1].done.append(_joined(branch, leave))


def _change_named(branch: _Subtree, change: Callable[[str, str], str | None]) -> None:
    """Change what the names of a dict reveal; its children are names and values in turn."""
    children = branch.children
    for at in range(0, len(children), 2):
        if _are_strings(children[at : at + 2]):
            changed = change(children[at], children[at + 1])
            branch.done[at + 1] = branch.done[at + 1] if changed is None else changed


@lru_cache(maxsize=1024)
def _reader(kind: type, leave: frozenset[str]) -> _Reader:
    """Return what takes the children out of a node of this type."""
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


def _joined(branch: _Subtree, leave: frozenset[str]) -> Any:
    """Return the branch again: the old one if no child has changed."""
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
    """Return the fields of a struct to look at, which pictures are not."""
    names = _fields(type(node))
    return [name for name in names if not _is_left(name, getattr(node, name), leave)]


def _is_left(name: Any, item: Any, leave: frozenset[str]) -> bool:
    """Return whether a field is skipped because it is a picture, whatever its name."""
    return name in leave and type(item) is str and _PICTURE.fullmatch(item) is not None


@lru_cache(maxsize=1024)
def _fields(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the fields of a struct that may contain text of a transcript."""
    fields = msgspec.structs.fields(kind)
    return tuple(f.name for f in fields if not _is_textless(f.type))


def _is_textless(kind: Any) -> bool:
    """Return whether a type has no room for text: numbers, flags and choices of literals."""
    if get_origin(kind) is Literal or kind in _NUMBERS:
        return True
    return get_origin(kind) in _UNIONS and all(map(_is_textless, get_args(kind)))

"""Taking out of a record the one value that its struct cannot read."""

import re
from typing import Any, Final

from clew.problems import Problem

_PATH: Final = re.compile(r" - at `(\$[^`]*)`$")
_STEP: Final = re.compile(r"\.([^.\[\]`]+)|\[(\d+)\]|\[(\.\.\.)\]")

# Objects with a `type` of their own: an unknown one stays whole, as "other".
_TAGGED: Final = (
    ("attachment", "prompt"),
    ("attachment",),
    ("content",),
    ("data",),
    ("message", "content"),
)
_LISTS: Final = ("content", "prompt")


def drop_misfit(record: dict[str, Any], error: str) -> tuple[dict[str, Any], Problem] | None:
    """Return the record without the value that does not fit, and the problem; None at a loss."""
    found = _PATH.search(error)
    path = _steps(found[1]) if found else []
    # The decoder does not say which key of a free object is meant: the whole object goes.
    path = path[: path.index("...")] if "..." in path else path
    if not path or path == ["type"]:
        return None
    reason = error.partition(" - at ")[0]
    tagged = _tagged_prefix(path)
    if tagged:
        return _keep_as_other(record, tagged, path, reason)
    dropped = _without(record, path)
    return None if dropped is None else (dropped, _misfit(path, reason))


def _steps(path: str) -> list[str | int]:
    return [name or (int(index) if index else "...") for name, index, _ in _STEP.findall(path[1:])]


def _tagged_prefix(path: list[str | int]) -> list[str | int]:
    """Return the path of the tagged object that the misfit is, or whose type it is."""
    for prefix in _TAGGED:
        if tuple(path[: len(prefix)]) != prefix:
            continue
        length = len(prefix) + (1 if prefix[-1] in _LISTS else 0)
        rest = path[length:]
        if len(path) >= length and (not rest or rest == ["type"]):
            return path[:length]
    return []


def _keep_as_other(
    record: dict[str, Any], where: list[str | int], path: list[str | int], reason: str
) -> tuple[dict[str, Any], Problem]:
    value = _at(record, where)
    kind = _kind_of(value)
    if kind and reason.startswith("Invalid value"):
        problem = Problem("unknown_type", f"{_dotted(where)} of type {kind[:60]!r}")
    else:
        problem = _misfit(path, reason)
    if not isinstance(where[-1], int):
        return _with(record, where, _other(value)), problem
    # What does not fit once in a list does not fit anywhere in it.
    alike = [
        _block(item) if type(item) is type(value) and _kind_of(item) == kind else item
        for item in _at(record, where[:-1])
    ]
    return _with(record, where[:-1], alike), problem


def _kind_of(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else ""


def _block(value: Any) -> dict[str, Any]:
    """A bare string among blocks is text."""
    return {"type": "text", "text": value} if isinstance(value, str) else _other(value)


def _other(value: Any) -> dict[str, Any]:
    return {"type": "other", "kind": _kind_of(value), "value": value}


def _misfit(path: list[str | int], reason: str) -> Problem:
    return Problem("wrong_shape", f"{_dotted(path)}: {reason}")


def _dotted(path: list[str | int]) -> str:
    return ".".join("[]" if isinstance(step, int) else step[:60] for step in path)


def _at(value: Any, path: list[str | int]) -> Any:
    for step in path:
        value = value[step]
    return value


def _with(value: Any, path: list[str | int], new: Any) -> Any:
    """Copy `value` along `path`, with `new` at its end."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    copy = list(value) if isinstance(value, list) else dict(value)
    copy[step] = _with(value[step], rest, new)  # type: ignore[index]  # steps fit
    return copy


def _without(record: dict[str, Any], path: list[str | int]) -> dict[str, Any] | None:
    """Copy the record without the last named field on the path; list items go with their list."""
    while path and not isinstance(path[-1], str):
        path = path[:-1]
    if not path:
        return None
    holder = _at(record, path[:-1])
    if not isinstance(holder, dict) or path[-1] not in holder:
        return None
    kept = {key: value for key, value in holder.items() if key != path[-1]}
    return _with(record, path[:-1], kept)  # type: ignore[no-any-return]  # a record stays a dict

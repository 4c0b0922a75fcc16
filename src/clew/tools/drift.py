"""Drift: fields in the data that no struct names."""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, Literal

import msgspec
from msgspec import inspect

from clew.tools.fallback import UntypedInput, UntypedResult
from clew.tools.registry import find_tool
from clew.tools.tool import Tool

_ARRAYS: Final = (inspect.ListType, inspect.VarTupleType)


def unnamed_fields(name: str, raw: bytes, which: Literal["input", "result"]) -> list[str]:
    """List the keys of an input or result that its struct does not name, as dotted paths.

    An array is `[]` in a path. Free JSON, plain tools and what is not JSON have no such keys.
    """
    tool = find_tool(name)
    try:
        value = msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        return []
    model = _model(tool, value, which)
    return [] if model is None else sorted(set(_walk(value, model, "")))


def _model(tool: Tool, value: Any, which: Literal["input", "result"]) -> inspect.Type | None:
    free = tool.input is UntypedInput or tool.whole_input
    if which == "input":
        return None if free else _describe(tool.input)
    if tool.result is UntypedResult:
        return None
    struct = _describe(tool.result)
    return _fields(struct).get(tool.array_result) if isinstance(value, list) else struct


@cache
def _describe(struct: type[msgspec.Struct]) -> inspect.Type:
    return inspect.type_info(struct)


def _walk(value: Any, model: inspect.Type, path: str) -> Iterator[str]:
    for kind in model.types if isinstance(model, inspect.UnionType) else (model,):
        if isinstance(value, dict) and isinstance(kind, inspect.StructType):
            yield from _walk_struct(value, kind, path)
        elif isinstance(value, dict) and isinstance(kind, inspect.DictType):
            for item in value.values():
                yield from _walk(item, kind.value_type, f"{path}.*")
        elif isinstance(value, list) and isinstance(kind, _ARRAYS):
            for item in value:
                yield from _walk(item, kind.item_type, f"{path}[]")


def _walk_struct(value: dict[str, Any], struct: inspect.StructType, path: str) -> Iterator[str]:
    fields = _fields(struct)
    for key, item in value.items():
        where = f"{path}.{key}" if path else key
        if key in fields:
            yield from _walk(item, fields[key], where)
        else:
            yield where


def _fields(struct: inspect.Type) -> dict[str, inspect.Type]:
    fields = struct.fields if isinstance(struct, inspect.StructType) else ()
    return {field.encode_name: field.type for field in fields}

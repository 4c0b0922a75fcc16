"""Drift: types and fields in the data that no struct names."""

from collections.abc import Iterator
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec

from clew.entries.flat import is_flat, unflatten
from clew.entries.model import Entry
from clew.entries.salvage import Damage, load, trim
from clew.entries.tables import is_named, struct_for


class Plan(msgspec.Struct, frozen=True):
    """What a struct names: its keys, each with the plan of what may be below.

    Below free keys, as of a dict, all values have the one plan `each`.
    """

    keys: dict[str, Any]
    tag_field: str = ""
    variants: dict[str, Any] = {}
    each: Any = None


def unnamed(entry: Entry) -> list[str]:
    """List the types and fields of an entry that no struct names, as dotted paths."""
    try:
        start, end = trim(entry.raw)
        record = load(entry.raw[start:end]).value
    except Damage:
        return []
    if not isinstance(record, dict):
        return []
    if is_flat(record):
        record = unflatten(record)
    kind, subtype = record.get("type"), record.get("subtype")
    kind = kind if isinstance(kind, str) else ""
    subtype = subtype if isinstance(subtype, str) and kind == "system" else ""
    name = f"{kind}/{subtype}" if subtype else kind
    if not is_named(kind, subtype):
        return [name]
    return sorted(set(_walk(record, plan_of(struct_for(kind, subtype)), name)))


@cache
def plan_of(annotation: Any) -> Plan | None:
    """Return the plan of a type; None where any JSON is allowed."""
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        config = annotation.__struct_config__
        fields = {f.encode_name: plan_of(f.type) for f in msgspec.structs.fields(annotation)}
        return Plan(fields, config.tag_field or "")
    members = get_args(annotation)
    if get_origin(annotation) is dict:
        return Plan({}, each=plan_of(members[1])) if plan_of(members[1]) else None
    if get_origin(annotation) in (list, tuple):
        return next((plan for member in members if (plan := plan_of(member))), None)
    if get_origin(annotation) in (UnionType, Union):
        return _union_plan([plan for member in members if (plan := plan_of(member))], members)
    return None


def _union_plan(plans: list[Plan], members: tuple[Any, ...]) -> Plan | None:
    """A tagged union picks by tag; any other has at most one struct in it."""
    variants = {
        str(member.__struct_config__.tag): plan_of(member)
        for member in members
        if isinstance(member, type)
        and issubclass(member, msgspec.Struct)
        and member.__struct_config__.tag is not None
    }
    if variants:
        return Plan({}, plans[0].tag_field, variants)
    return plans[0] if plans else None


def _walk(value: Any, plan: Plan | None, path: str) -> Iterator[str]:
    if plan is None:
        return
    if isinstance(value, dict):
        yield from _walk_object(value, plan, path)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield from _walk_object(item, plan, f"{path}[]")


def _walk_object(value: dict[str, Any], plan: Plan, path: str) -> Iterator[str]:
    if plan.variants:
        tag = value.get(plan.tag_field)
        tag = tag if isinstance(tag, str) else ""
        path = f"{path}/{tag}"
        if tag not in plan.variants:
            yield path
            return
        plan = plan.variants[tag]
    for key, inner in value.items():
        if plan.each is not None:
            yield from _walk(inner, plan.each, f"{path}.*")
        elif key in plan.keys:
            yield from _walk(inner, plan.keys[key], f"{path}.{key}")
        elif key != plan.tag_field:
            yield f"{path}.{key}"

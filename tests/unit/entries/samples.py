"""A value for every type that a field of a record may have."""

from typing import Annotated, Any, get_args, get_origin

import msgspec

from clew.entries import ContentBlock

_PLAIN = {str: "x", int: 1, float: 1.5, bool: True, msgspec.Raw: {"any": ["thing"]}}


def sample_record(struct: type[msgspec.Struct], names: list[str]) -> dict[str, Any]:
    """Give values that fit for these fields; "x" for a field that the struct does not name."""
    types = {f.encode_name: f.type for f in msgspec.structs.fields(struct)}
    return {name: sample_of(types[name]) if name in types else "x" for name in names}


def sample_of(annotation: Any) -> Any:
    """Give a value of a type, as JSON has it; structs with all their fields."""
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    origin, members = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return sample_of(members[0])
    if origin in (list, tuple):
        return [sample_of(members[0])]
    if origin is dict:
        return {"key": sample_of(members[1])}
    if members:
        return sample_of(members[0])
    return _sample_struct(annotation)


def _sample_struct(struct: type[msgspec.Struct]) -> dict[str, Any]:
    names = [f.encode_name for f in msgspec.structs.fields(struct)]
    tag = struct.__struct_config__.tag
    own = {struct.__struct_config__.tag_field or "": tag} if tag else {}
    return {**own, **sample_record(struct, names)}


def sample_block(struct: type[ContentBlock]) -> dict[str, Any]:
    """Give a block with all its fields."""
    return _sample_struct(struct)

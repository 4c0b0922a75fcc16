"""Structs of texts and numbers → TOML that people can read and edit."""

import json
from collections.abc import Mapping


def toml_lines(values: Mapping[str, str | int | bool | None]) -> str:
    """Return one line for each value that is set."""
    return "".join(
        f"{key} = {_literal(value)}\n" for key, value in values.items() if value not in (None, "")
    )


def toml_text(text: str) -> str:
    """Return a text in quotes, as a value or a key."""
    # What JSON escapes, TOML escapes in the same way, but it also escapes DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _literal(value: str | int | bool | None) -> str:  # noqa: FBT001 (any value that is set)
    if isinstance(value, bool):
        return "true" if value else "false"
    return toml_text(value) if isinstance(value, str) else str(value)

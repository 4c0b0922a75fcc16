"""A line that records a hook → the part of it that tells of the hook."""

from typing import Any

import msgspec


class _HookPart(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A run of a hook, as progress and attachments have it."""

    hook_event: Any = None
    hook_name: Any = None
    command: Any = None
    exit_code: Any = None
    duration_ms: Any = None
    tool_use_id: Any = msgspec.field(default=None, name="toolUseID")


class _HookLine(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A line with one run, or the list of those at the end of a turn."""

    tool_use_id: Any = msgspec.field(default=None, name="toolUseID")
    data: _HookPart | None = None
    attachment: _HookPart | None = None
    hook_infos: list[_HookPart] | None = None


def shorten_hook_line(raw: bytes) -> bytes | None:
    """Return what a line tells of hooks, as JSON under the same keys; None if it tells nothing."""
    try:
        return msgspec.json.encode(msgspec.json.decode(raw, type=_HookLine))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None

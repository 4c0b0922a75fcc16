"""Bodies of tool calls: what was asked, and what came of it."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.conversation import Block, ToolCall
from clew.render.figures import scaled
from clew.render.safe import safe
from clew.render.terminal.lines import Line, chop
from clew.render.terminal.prose import folded, prose
from clew.tools import (
    AgentInput,
    BashInput,
    EditInput,
    EditResult,
    ExitPlanModeInput,
    Hunk,
    MultiEditResult,
    ReadInput,
    WriteInput,
    WriteResult,
)

MOST_LINES: Final = 60
_FEW_LINES: Final = 20
_PICTURES: Final = ("image", "document")


def draw_body(call: ToolCall, arguments: object, result: object, width: int) -> Iterator[Line]:
    """Draw a call opened: its diff, or its input and its output."""
    match result:
        case EditResult() | MultiEditResult() | WriteResult() if result.structured_patch:
            yield from _fold(list(_diff(result.structured_patch, width)))
        case WriteResult():
            yield from folded(result.content, width, MOST_LINES, "good")
        case _:
            yield from _draw_input(call, arguments, width)
            output = call.result_text or call.progress_text
            yield from folded(output, width, MOST_LINES, "bad" if call.is_error else "quiet")
    yield from draw_pictures(call.result_blocks)


def draw_pictures(blocks: Iterable[Block]) -> Iterator[Line]:
    """Name the pictures and documents among blocks, which a terminal does not show."""
    for block in blocks:
        if block.kind in _PICTURES:
            kind = safe((block.media_type or "").rpartition("/")[2][:20])
            size = scaled(block.size_bytes, "B") if block.size_bytes else ""
            words = " ".join(word for word in (block.kind, kind, size) if word)
            yield [(f"[{words}]", "quiet")]


def _draw_input(call: ToolCall, arguments: object, width: int) -> Iterator[Line]:
    match arguments:
        case BashInput():
            yield from folded(f"$ {arguments.command}", width, _FEW_LINES, "code")
        case ExitPlanModeInput():
            yield from prose(arguments.plan, width)
        case EditInput():
            yield from folded(arguments.old_string, width, _FEW_LINES, "bad")
            yield from folded(arguments.new_string, width, _FEW_LINES, "good")
        case ReadInput() | WriteInput() | AgentInput():
            return
        case _:
            yield from folded(_pretty(bytes(call.input)), width, _FEW_LINES, "code")


def _pretty(raw: bytes) -> str:
    """Give JSON as a person reads it: small on one line, else one member a line."""
    text = raw.decode("utf-8", "replace")
    if len(text) <= MOST_LINES or text in ("null", "{}"):
        return "" if text in ("null", "{}") else text
    try:
        return msgspec.json.format(raw, indent=2).decode("utf-8", "replace")
    except (ValueError, RecursionError):
        return text


def _diff(hunks: Iterable[Hunk], width: int) -> Iterator[Line]:
    """Draw hunks with the line numbers of the file as it was and as it is."""
    for hunk in hunks:
        old, new = hunk.old_start, hunk.new_start
        for line in hunk.lines:
            mark = line[:1]
            number = old if mark == "-" else new
            old, new = old + (mark in "- "), new + (mark in "+ ")
            style = {"+": "good", "-": "bad"}.get(mark, "quiet")
            text = f"{number:>5} {safe(line).rstrip()}"
            yield from ([(piece, style)] for piece in chop(text, width))


def _fold(lines: list[Line]) -> list[Line]:
    if len(lines) <= MOST_LINES:
        return lines
    last = MOST_LINES // 3
    first = MOST_LINES - last
    count: Line = [(f"… {len(lines) - MOST_LINES:,} lines …", "quiet")]
    return [*lines[:first], count, *lines[len(lines) - last :]]

"""Blocks → rows: the beginning of each text, where all of it stands, its words for the index."""

from typing import Any, Final

import msgspec

from clew.conversation import Block, Conversation, Location, Message, ToolCall
from clew.storable import storable
from clew.store.block_texts import input_text
from clew.store.entry_rows import Rows
from clew.store.fulltext import result_words, to_words
from clew.store.inline_limits import InlineLimits

_FIELDS: Final = {
    "prompt": "prompt",
    "steering": "prompt",
    "command": "prompt",
    "bash_input": "prompt",
    "memory": "prompt",
    "unsent": "prompt",
    "answer": "answer",
    "compaction_summary": "answer",
    "teammate": "answer",
    "notification": "answer",
    "command_output": "result",
    "bash_output": "result",
    "injection": "injection",
    "attachment": "injection",
    "hook": "injection",
    "system": "injection",
}
# Long and seldom read again: rows have only the beginning.
_SHORT_FIELDS: Final = ("result", "injection")


class LineSizes(msgspec.Struct, frozen=True):
    """The numbers of a session's transcripts, and how long their entries are, by offset."""

    numbers: dict[str, int]
    sizes: dict[str, dict[int, int]]

    def place(self, line: Location) -> tuple[int, int, int]:
        """Return transcript, offset and length of the entry at a line."""
        sizes = self.sizes.get(line.file)
        size = 0 if sizes is None else sizes.get(line.offset, 0)
        return self.numbers.get(line.file, -1), line.offset, size


class BlockRows(msgspec.Struct):
    """The rows of blocks; `texts` are what the index gets of them: a row's number, field, words."""

    rows: Rows
    texts: list[tuple[int, str, str]]


def block_rows(conversation: Conversation, lines: LineSizes, limits: InlineLimits) -> BlockRows:
    """Return the rows of all blocks, and the text to index of each: calls have their own."""
    calls = {call.id: call for call in conversation.tool_calls}
    found = BlockRows([], [])
    for number, message in enumerate(conversation.messages):
        for index, block in enumerate(message.blocks):
            field, found_text = _text(message, block, calls)
            text = storable(found_text)
            if text and field:
                words = result_words(text) if field == "result" else to_words(text)
                found.texts.append((len(found.rows), field, words))
            place = _place(lines, message, index)
            limit = limits.result if field in _SHORT_FIELDS else limits.text
            found.rows.append((number, index, *_row(block, field, text, limit), *place))
    return found


def _text(message: Message, block: Block, calls: dict[str, ToolCall]) -> tuple[str, str]:
    """Return the field in which a block is searched, none where it is not, and its text."""
    kind = block.kind
    if kind == "text":
        return _FIELDS.get(message.kind, "answer"), block.text
    if kind == "thinking":
        return "thinking", block.text
    call = calls.get(block.tool_call_id) if block.tool_call_id is not None else None
    if kind == "tool_use" and call is not None:
        return "input", input_text(bytes(call.input))
    if kind == "tool_result":
        if call is not None and call.result_message_id == message.id:
            return "result", call.result_text
        return "result", block.text
    return "", block.text


def _place(lines: LineSizes, message: Message, index: int) -> tuple[int, int, int]:
    if not message.lines:
        return -1, 0, 0
    return lines.place(message.lines[message.block_lines[index] if message.block_lines else 0])


def _row(block: Block, field: str, text: str, limit: int) -> tuple[Any, ...]:
    is_cut = len(text) > limit
    call_id = block.tool_call_id
    return (
        block.kind,
        field,
        text[:limit] if is_cut else text,
        int(is_cut),
        len(text) if block.size_bytes is None else block.size_bytes,
        None if call_id is None else storable(call_id),
    )

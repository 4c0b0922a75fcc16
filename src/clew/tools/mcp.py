"""MCP tools, as one family: `mcp__<server>__<tool>`, with inputs of any shape."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Part
from clew.tools.block_parts import result_parts
from clew.tools.blocks import ResultBlock, text_block
from clew.tools.diagnostics import diagnostic_parts
from clew.tools.paths import short_path
from clew.tools.persisted import PersistedOutput, find_persisted
from clew.tools.pieces import encoded, fold, options, text_of_any_kind, whole_text
from clew.tools.plain import main_argument
from clew.tools.tool import Standing, Tool

_DIAGNOSTICS: Final = "mcp__ide__getDiagnostics"
_PREFIX: Final = "mcp__"


class McpInput(msgspec.Struct, frozen=True):
    """The arguments; their keys are the server's."""

    arguments: Any


class McpResult(msgspec.Struct, frozen=True, rename="camel"):
    """The blocks that the server gave, or where the client put what was too long."""

    content: tuple[ResultBlock, ...]
    structured_content: Any = None
    is_error: bool = False
    persisted: PersistedOutput | None = None


def split_mcp_name(name: str) -> tuple[str, str] | None:
    """Give server and tool of an MCP tool's name, or None for any other name."""
    if not name.startswith(_PREFIX):
        return None
    server, _, tool = name.removeprefix(_PREFIX).partition("__")
    return (server, tool) if server and tool else None


def read_text(_arguments: object, text: str) -> McpResult:
    """Take the text as one block."""
    persisted = find_persisted(text)
    if persisted is not None:
        return McpResult((text_block(persisted.preview),), persisted=persisted)
    return McpResult((text_block(text),))


def label(mcp: McpInput, cwd: str) -> str:
    """Give the argument that tells most."""
    return short_path(main_argument(mcp.arguments), cwd)


def parts(_mcp: object, result: McpResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the arguments, and the blocks that the server gave."""
    yield from options(call)
    if result is None:
        return
    whole = whole_text(call)
    if call.tool == _DIAGNOSTICS:
        shown = diagnostic_parts(whole or "".join(block.text for block in result.content))
        if shown:
            yield from shown
            return
    yield from text_of_any_kind(whole) if whole else result_parts(result.content)
    yield from fold("structured content", encoded(result.structured_content))


def _state(result: McpResult) -> Standing:
    return ("failed", "bad") if result.is_error else ("", "")


MCP: Final = Tool(
    names=(),
    input=McpInput,
    result=McpResult,
    label=label,
    parts=parts,
    state=_state,
    read_text=read_text,
    whole_input="arguments",
    array_result="content",
)

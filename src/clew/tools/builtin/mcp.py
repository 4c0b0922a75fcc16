"""MCP tools as one family, `mcp__<server>__<tool>`, and the resources of MCP servers."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Document, Link, Links, Note, Part
from clew.tools.display import (
    ResultBlock,
    diagnostic_parts,
    failed_state,
    fields,
    fold,
    formatted_text,
    full_output,
    input_fields,
    json_value,
    note,
    result_parts,
    short_path,
    text_block,
)
from clew.tools.fallback import main_argument
from clew.tools.result_text import PersistedOutput, find_persisted
from clew.tools.tool import Tool

_DIAGNOSTICS: Final = "mcp__ide__getDiagnostics"
_PREFIX: Final = "mcp__"


class McpInput(msgspec.Struct, frozen=True):
    """The arguments; their keys are the server's."""

    arguments: Any


class McpResult(msgspec.Struct, frozen=True, rename="camel"):
    """The blocks of the server's result, or the file with a result that was too long."""

    content: tuple[ResultBlock, ...]
    structured_content: Any = None
    is_error: bool = False
    persisted: PersistedOutput | None = None


def split_mcp_name(name: str) -> tuple[str, str] | None:
    """Split an MCP tool's name into server and tool; None for any other name."""
    if not name.startswith(_PREFIX):
        return None
    server, _, tool = name.removeprefix(_PREFIX).partition("__")
    return (server, tool) if server and tool else None


def _read_text(_arguments: object, text: str) -> McpResult:
    """Take the text as one block."""
    persisted = find_persisted(text)
    if persisted is not None:
        return McpResult((text_block(persisted.preview),), persisted=persisted)
    return McpResult((text_block(text),))


def _label(mcp: McpInput, cwd: str) -> str:
    """Return the main argument."""
    return short_path(main_argument(mcp.arguments), cwd)


def _parts(_mcp: object, result: McpResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the arguments, and the blocks of the result."""
    yield from input_fields(call)
    if result is None:
        return
    whole = full_output(call)
    if call.tool == _DIAGNOSTICS:
        shown = diagnostic_parts(whole or "".join(block.text for block in result.content))
        if shown:
            yield from shown
            return
    yield from formatted_text(whole) if whole else result_parts(result.content)
    yield from fold("Structured content", json_value(result.structured_content))


MCP: Final = Tool(
    names=(),
    input=McpInput,
    result=McpResult,
    label=_label,
    parts=_parts,
    state=lambda result: failed_state(result.is_error),
    read_text=_read_text,
    whole_input="arguments",
    array_result="content",
)


class ListMcpResourcesInput(msgspec.Struct, frozen=True):
    """Which server, or all."""

    server: str = ""


class McpResource(msgspec.Struct, frozen=True, rename="camel"):
    """One resource of a server."""

    uri: str
    name: str = ""
    title: str = ""
    mime_type: str = ""
    description: str = ""
    server: str = ""


class ListMcpResourcesResult(msgspec.Struct, frozen=True):
    """The resources there are."""

    resources: tuple[McpResource, ...]


class ReadMcpResourceInput(msgspec.Struct, frozen=True):
    """Which resource of which server."""

    server: str
    uri: str


class McpResourceContent(msgspec.Struct, frozen=True, rename="camel"):
    """The content of a resource: text, or data that was saved to a file."""

    uri: str = ""
    mime_type: str = ""
    text: str = ""
    blob: str = ""
    blob_saved_to: str = ""


class ReadMcpResourceResult(msgspec.Struct, frozen=True):
    """What was read."""

    contents: tuple[McpResourceContent, ...]
    error: str = ""


def _list_parts(
    _arguments: object, result: ListMcpResourcesResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from input_fields(call)
    if result is None:
        return
    links = tuple(_link(resource) for resource in result.resources)
    yield Links(links) if links else Note("No resources")


def _link(resource: McpResource) -> Link:
    notes = (resource.description, resource.mime_type, resource.server)
    name = resource.title or resource.name
    return Link(resource.uri, name, " · ".join(filter(None, notes)))


def _read_parts(
    _arguments: object, result: ReadMcpResourceResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from input_fields(call)
    for content in () if result is None else result.contents:
        yield from fields(
            ("URI", content.uri),
            ("Type", content.mime_type),
            ("Saved to", content.blob_saved_to),
        )
        yield from formatted_text(content.text)
        if content.blob:
            yield Document(content.mime_type, content.uri, content.blob)
    if result is not None:
        yield from note(result.error, bad=True)


LIST_MCP_RESOURCES: Final = Tool(
    names=("ListMcpResourcesTool",),
    input=ListMcpResourcesInput,
    result=ListMcpResourcesResult,
    label=lambda arguments, _: arguments.server,
    parts=_list_parts,
    array_result="resources",
    json_text=True,
)


READ_MCP_RESOURCE: Final = Tool(
    names=("ReadMcpResourceTool",),
    input=ReadMcpResourceInput,
    result=ReadMcpResourceResult,
    label=lambda arguments, _: f"{arguments.server} · {arguments.uri}",
    parts=_read_parts,
    state=lambda result: failed_state(result.error),
    json_text=True,
)

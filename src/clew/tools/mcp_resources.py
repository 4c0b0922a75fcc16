"""ListMcpResourcesTool and ReadMcpResourceTool: what MCP servers have to read."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Document, Link, Links, Note, Part
from clew.tools.pieces import facts, note, options, text_of_any_kind
from clew.tools.tool import Standing, Tool


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
    """What a resource holds: text, or data that was saved to a file."""

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
    _asked: object, result: ListMcpResourcesResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from options(call)
    if result is None:
        return
    links = tuple(_link(resource) for resource in result.resources)
    yield Links(links) if links else Note("no resources")


def _link(resource: McpResource) -> Link:
    told = (resource.description, resource.mime_type, resource.server)
    name = resource.title or resource.name
    return Link(resource.uri, name, " · ".join(filter(None, told)))


def _read_parts(
    _asked: object, result: ReadMcpResourceResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from options(call)
    for content in () if result is None else result.contents:
        yield from facts(
            ("address", content.uri),
            ("type", content.mime_type),
            ("kept in", content.blob_saved_to),
        )
        yield from text_of_any_kind(content.text)
        if content.blob:
            yield Document(content.mime_type, content.uri, content.blob)
    if result is not None:
        yield from note(result.error, bad=True)


def _read_state(result: ReadMcpResourceResult) -> Standing:
    return ("failed", "bad") if result.error else ("", "")


LIST_MCP_RESOURCES: Final = Tool(
    names=("ListMcpResourcesTool",),
    input=ListMcpResourcesInput,
    result=ListMcpResourcesResult,
    label=lambda asked, _: asked.server,
    parts=_list_parts,
    array_result="resources",
    json_text=True,
)
READ_MCP_RESOURCE: Final = Tool(
    names=("ReadMcpResourceTool",),
    input=ReadMcpResourceInput,
    result=ReadMcpResourceResult,
    label=lambda asked, _: f"{asked.server} · {asked.uri}",
    parts=_read_parts,
    state=_read_state,
    json_text=True,
)

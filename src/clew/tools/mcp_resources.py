"""ListMcpResourcesTool and ReadMcpResourceTool: what MCP servers have to read."""

from typing import Final

import msgspec

from clew.tools.tool import Tool


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


LIST_MCP_RESOURCES: Final = Tool(
    names=("ListMcpResourcesTool",),
    input=ListMcpResourcesInput,
    result=ListMcpResourcesResult,
    array_result="resources",
    json_text=True,
)
READ_MCP_RESOURCE: Final = Tool(
    names=("ReadMcpResourceTool",),
    input=ReadMcpResourceInput,
    result=ReadMcpResourceResult,
    json_text=True,
)

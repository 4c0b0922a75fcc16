"""The pieces of a message: text, thinking, tool use, tool result, image, document."""

import msgspec

from clew.entries.row import NULL


class Source(msgspec.Struct, frozen=True, gc=False):
    """Where an image's or document's bytes are; `data` is base64 or text."""

    type: str = ""
    media_type: str = ""
    data: str = ""
    url: str = ""
    file_id: str = ""


class Caller(msgspec.Struct, frozen=True, gc=False):
    """Who called a tool: the model itself, or code it ran."""

    type: str = ""
    tool_id: str = ""


class ContentBlock(msgspec.Struct, frozen=True, gc=False, tag_field="type"):
    """Base of all blocks; `cache_control` marks where a prompt cache ends."""


class TextBlock(ContentBlock, frozen=True, tag="text"):
    """Plain text, Markdown when a model wrote it."""

    text: str = ""
    citations: msgspec.Raw = NULL
    cache_control: msgspec.Raw = NULL
    input: msgspec.Raw = NULL


class ThinkingBlock(ContentBlock, frozen=True, tag="thinking"):
    """A model's thinking; empty text with a signature when the client keeps no text."""

    thinking: str = ""
    signature: str | None = ""
    input: msgspec.Raw = NULL


class RedactedThinkingBlock(ContentBlock, frozen=True, tag="redacted_thinking"):
    """Thinking that only the provider can read."""

    data: str = ""


class ToolUseBlock(ContentBlock, frozen=True, tag="tool_use"):
    """A tool call of a model; the arguments stay raw."""

    id: str = ""
    name: str = ""
    input: msgspec.Raw = NULL
    caller: Caller | None = None
    cache_control: msgspec.Raw = NULL


class ToolResultBlock(ContentBlock, frozen=True, tag="tool_result"):
    """What a tool answered: `content` is text or blocks, read with `result_blocks`."""

    tool_use_id: str = ""
    content: msgspec.Raw = NULL
    is_error: bool | None = None
    cache_control: msgspec.Raw = NULL


class ImageBlock(ContentBlock, frozen=True, tag="image"):
    """A picture."""

    source: Source | None = None
    cache_control: msgspec.Raw = NULL


class DocumentBlock(ContentBlock, frozen=True, tag="document"):
    """A document, mostly a PDF."""

    source: Source | None = None
    title: str | None = None
    context: str | None = None
    citations: msgspec.Raw = NULL
    cache_control: msgspec.Raw = NULL


class ToolReferenceBlock(ContentBlock, frozen=True, tag="tool_reference"):
    """The name of a tool that a search for tools found."""

    tool_name: str = ""


class ServerToolUseBlock(ContentBlock, frozen=True, tag="server_tool_use"):
    """A call of a tool that runs at the provider."""

    id: str = ""
    name: str = ""
    input: msgspec.Raw = NULL


class McpToolUseBlock(ContentBlock, frozen=True, tag="mcp_tool_use"):
    """A call of an MCP tool that the provider makes itself."""

    id: str = ""
    name: str = ""
    server_name: str = ""
    input: msgspec.Raw = NULL


class ServerToolResult(ContentBlock, frozen=True):
    """Base of the results of tools that ran at the provider."""

    tool_use_id: str = ""
    content: msgspec.Raw = NULL
    is_error: bool | None = None
    caller: Caller | None = None


class WebSearchResultBlock(ServerToolResult, frozen=True, tag="web_search_tool_result"):
    """Pages that a search at the provider found."""


class WebFetchResultBlock(ServerToolResult, frozen=True, tag="web_fetch_tool_result"):
    """A page that the provider fetched."""


class CodeExecutionResultBlock(ServerToolResult, frozen=True, tag="code_execution_tool_result"):
    """What code run at the provider printed."""


class BashExecutionResultBlock(
    ServerToolResult, frozen=True, tag="bash_code_execution_tool_result"
):
    """What a command run at the provider printed."""


class EditorResultBlock(
    ServerToolResult, frozen=True, tag="text_editor_code_execution_tool_result"
):
    """What an edit at the provider gave."""


class ToolSearchResultBlock(ServerToolResult, frozen=True, tag="tool_search_tool_result"):
    """Tools that a search at the provider found."""


class AdvisorResultBlock(ServerToolResult, frozen=True, tag="advisor_tool_result"):
    """What an advising model said."""


class McpToolResultBlock(ServerToolResult, frozen=True, tag="mcp_tool_result"):
    """What an MCP tool called by the provider gave."""


class FallbackBlock(ContentBlock, frozen=True, tag="fallback"):
    """A note that another model took over."""

    model: str = ""
    reason: str = ""


class OtherBlock(ContentBlock, frozen=True, tag="other"):
    """A block of an unknown kind: the kind and its JSON, unchanged."""

    kind: str = ""
    value: msgspec.Raw = NULL


AnyBlock = (
    TextBlock
    | ThinkingBlock
    | RedactedThinkingBlock
    | ToolUseBlock
    | ToolResultBlock
    | ImageBlock
    | DocumentBlock
    | ToolReferenceBlock
    | ServerToolUseBlock
    | McpToolUseBlock
    | WebSearchResultBlock
    | WebFetchResultBlock
    | CodeExecutionResultBlock
    | BashExecutionResultBlock
    | EditorResultBlock
    | ToolSearchResultBlock
    | AdvisorResultBlock
    | McpToolResultBlock
    | FallbackBlock
    | OtherBlock
)

"""ToolSearch: load tools that the model knows by name only."""

from typing import Final

import msgspec

from clew.tools.tool import Number, Tool


class ToolSearchInput(msgspec.Struct, frozen=True):
    """Which tools."""

    query: str
    max_results: Number | None = None


class ToolReference(msgspec.Struct, frozen=True):
    """A block that stands for a loaded tool."""

    tool_name: str
    type: str = "tool_reference"


class ToolSearchResult(msgspec.Struct, frozen=True):
    """The tools found: by name, or by reference where only the result's blocks tell of them."""

    matches: tuple[ToolReference | str, ...]
    query: str = ""
    total_deferred_tools: Number | None = None
    pending_mcp_servers: tuple[str, ...] = ()

    @property
    def tool_names(self) -> tuple[str, ...]:
        """Give the names alone."""
        return tuple(match if isinstance(match, str) else match.tool_name for match in self.matches)


TOOL_SEARCH: Final = Tool(
    names=("ToolSearch",), input=ToolSearchInput, result=ToolSearchResult, array_result="matches"
)

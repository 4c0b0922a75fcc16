"""ToolSearch: load tools that the model knows by name only."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Listing, Note, Part
from clew.tools.pieces import facts, options
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


def parts(_search: object, result: ToolSearchResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the tools that were found."""
    yield from options(call)
    if result is None:
        return
    yield (
        Listing(result.tool_names, len(result.matches)) if result.matches else Note("no tool found")
    )
    yield from facts(
        ("tools to load", result.total_deferred_tools),
        ("servers still starting", ", ".join(result.pending_mcp_servers)),
    )


TOOL_SEARCH: Final = Tool(
    names=("ToolSearch",),
    input=ToolSearchInput,
    result=ToolSearchResult,
    label=lambda search, _: search.query,
    parts=parts,
    array_result="matches",
)

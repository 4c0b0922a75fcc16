"""Find a tool by the name that a call gives it."""

from typing import Final

from clew.tools.builtin import MCP, TOOLS, split_mcp_name
from clew.tools.fallback import FALLBACK
from clew.tools.plugins import find_plugin
from clew.tools.tool import Tool

_by_name: Final = {name: tool for tool in TOOLS for name in tool.names}

TOOL_NAMES: Final = frozenset(_by_name)
"""The names of all tools that come with Claude Code."""
ASKING_TOOLS: Final = tuple(name for tool in TOOLS if tool.asks_person for name in tool.names)
"""Those that do nothing but wait for a person's answer."""


def find_tool(name: str) -> Tool:
    """Find the tool of this name: built-in, from a plug-in, the MCP family, or the fallback."""
    tool = _by_name.get(name) or find_plugin(name)
    if tool is not None:
        return tool
    return FALLBACK if split_mcp_name(name) is None else MCP

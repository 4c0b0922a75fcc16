"""One-line labels: what a tool call acts on.

Each tool's own module knows how its input is told. A path below the working directory is told
from there.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from clew.tools.builtin import AskUserQuestionResult, split_mcp_name
from clew.tools.fallback import UntypedInput, untyped_label
from clew.tools.file_changes import change
from clew.tools.registry import find_tool
from clew.tools.tool import Tool
from clew.tools.tool_errors import ToolError

_LONGEST: Final = 300
_MCP: Final = "MCP"


def verb(tool: str) -> str:
    """Give the short name of a tool: that of an MCP tool stands in its label."""
    return tool if split_mcp_name(tool) is None else _MCP


def label(tool: str, arguments: object, result: object = None, cwd: str = "") -> str:
    """Tell in one line what a call acts on; empty where there is nothing to tell.

    Args:
        tool: The tool's name.
        arguments: What `decode_input` gave.
        result: What `decode_result` gave, for calls whose result belongs in the line.
        cwd: The working directory, from which paths are told.
    """
    known = find_tool(tool)
    told = _told(known, arguments, cwd)
    names = split_mcp_name(tool)
    if names is not None:
        return _line((*names, told), " · ")
    return _line((_named_by(known, result, told), _change(arguments, result)), " ")


def reply(result: object) -> str:
    """Give what a person said in answer to a call: why it was denied, or what was chosen."""
    match result:
        case ToolError():
            return result.feedback.strip()
        case AskUserQuestionResult():
            return (_answers(result.answers) or result.response).strip()
        case _:
            return ""


def _answers(answers: Mapping[str, str]) -> str:
    """Tell what was answered; which question it was, only where there were several."""
    if len(answers) == 1:
        return next(iter(answers.values()))
    return "\n".join(f"{asked} → {answer}" for asked, answer in answers.items())


def _told(tool: Tool, arguments: object, cwd: str) -> str:
    if isinstance(arguments, UntypedInput):
        return untyped_label(arguments, cwd)
    if tool.label is None or not isinstance(arguments, tool.input):
        return ""
    return tool.label(arguments, cwd)


def _named_by(tool: Tool, result: object, told: str) -> str:
    """Add the name that a call got when it ran to what its input told."""
    if tool.label_result is None or not isinstance(result, tool.result):
        return told
    return tool.label_result(result, told)


def _change(arguments: object, result: object) -> str:
    counts = change(arguments, result)
    if counts is None:
        return ""
    least = "≥ " if counts.is_lower_bound else ""
    return f"{least}+{counts.added} -{counts.removed}"


def _line(pieces: Iterable[str], between: str) -> str:
    """Join what there is on one line, cut where it is longer than anyone reads."""
    said = [" ".join(piece[:4000].split()) for piece in pieces if piece]
    line = between.join([words for words in said if words])
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"

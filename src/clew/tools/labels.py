"""One-line labels of tool calls, with paths relative to the working directory."""

from collections.abc import Iterable, Mapping
from typing import Final

from clew.tools.builtin import AskUserQuestionResult, split_mcp_name
from clew.tools.fallback import UntypedInput, untyped_label
from clew.tools.file_changes import count_changes
from clew.tools.registry import find_tool
from clew.tools.tool import Tool
from clew.tools.tool_errors import ToolError

_LONGEST: Final = 300
_MCP: Final = "MCP"


def tool_title(tool: str) -> str:
    """Return the name to show; an MCP tool's own name is in its label."""
    return tool if split_mcp_name(tool) is None else _MCP


def call_label(tool: str, arguments: object, result: object = None, cwd: str = "") -> str:
    """Describe a call in one line; empty where its input has nothing to show.

    Args:
        tool: The tool's name.
        arguments: Its input, from `decode_input`.
        result: Its result, from `decode_result`, where the label shall include it.
        cwd: The working directory.
    """
    known = find_tool(tool)
    own = _input_label(known, arguments, cwd)
    names = split_mcp_name(tool)
    if names is not None:
        return _one_line((*names, own), " · ")
    return _one_line((_result_label(known, result, own), _line_counts(arguments, result)), " ")


def user_reply(result: object) -> str:
    """Return the user's answer to a call: why it was denied, or the chosen options."""
    match result:
        case ToolError():
            return result.feedback.strip()
        case AskUserQuestionResult():
            return (_answers(result.answers) or result.response).strip()
        case _:
            return ""


def _answers(answers: Mapping[str, str]) -> str:
    """Join the answers; the questions are included only if there are several."""
    if len(answers) == 1:
        return next(iter(answers.values()))
    return "\n".join(f"{question} → {answer}" for question, answer in answers.items())


def _input_label(tool: Tool, arguments: object, cwd: str) -> str:
    if isinstance(arguments, UntypedInput):
        return untyped_label(arguments, cwd)
    if tool.label is None or not isinstance(arguments, tool.input):
        return ""
    return tool.label(arguments, cwd)


def _result_label(tool: Tool, result: object, own: str) -> str:
    """Let the result improve the label, where the tool does so."""
    if tool.label_result is None or not isinstance(result, tool.result):
        return own
    return tool.label_result(result, own)


def _line_counts(arguments: object, result: object) -> str:
    counts = count_changes(arguments, result)
    if counts is None:
        return ""
    least = "≥ " if counts.is_lower_bound else ""
    return f"{least}+{counts.added} -{counts.removed}"


def _one_line(texts: Iterable[str], between: str) -> str:
    """Join texts on one line of limited length."""
    flat = [" ".join(text[:4000].split()) for text in texts if text]
    line = between.join([text for text in flat if text])
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"

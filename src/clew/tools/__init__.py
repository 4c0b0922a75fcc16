"""tool uses → what they mean.

`builtin` has the tools of Claude Code: for each, the struct of its input, the struct of its
result, a label and the parts that show it. `decode_input` and `decode_result` take the raw JSON
of a call and never raise: input and results that fit no struct stay untyped.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.tools.builtin import (
        BashInput,
        BashResult,
        EditInput,
        MultiEditInput,
        NotebookEditInput,
        NotebookEditResult,
        ReadInput,
        TaskCreateResult,
        TaskListResult,
        TaskUpdateInput,
        TodoWriteInput,
        WriteInput,
        WriteResult,
        shell_changes,
        split_mcp_name,
    )
    from clew.tools.call_parts import call_parts, call_state, decode_call
    from clew.tools.decode import decode_input, decode_result
    from clew.tools.diffs import LineCounts
    from clew.tools.display import diagnostic_parts, resolve_path, short_path
    from clew.tools.drift import unnamed_fields
    from clew.tools.file_changes import count_changes, file_diff, is_edit, may_edit
    from clew.tools.labels import call_label, tool_title, user_reply
    from clew.tools.plugins import load_plugins
    from clew.tools.registry import TOOL_NAMES, find_tool
    from clew.tools.tool import Tool
    from clew.tools.tool_errors import ToolError

__all__ = [
    "TOOL_NAMES",
    "BashInput",
    "BashResult",
    "EditInput",
    "LineCounts",
    "MultiEditInput",
    "NotebookEditInput",
    "NotebookEditResult",
    "ReadInput",
    "TaskCreateResult",
    "TaskListResult",
    "TaskUpdateInput",
    "TodoWriteInput",
    "Tool",
    "ToolError",
    "WriteInput",
    "WriteResult",
    "call_label",
    "call_parts",
    "call_state",
    "count_changes",
    "decode_call",
    "decode_input",
    "decode_result",
    "diagnostic_parts",
    "file_diff",
    "find_tool",
    "is_edit",
    "load_plugins",
    "may_edit",
    "resolve_path",
    "shell_changes",
    "short_path",
    "split_mcp_name",
    "tool_title",
    "unnamed_fields",
    "user_reply",
]

import_lazily(__name__)

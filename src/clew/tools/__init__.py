"""tool uses → what they mean.

`builtin` has the tools of Claude Code: for each, the struct of its input, the struct of its
result, a label and the parts that show it. `decode_input` and `decode_result` take the raw JSON
of a call and never raise: input and results that fit no struct stay untyped.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.tools.builtin import (
        AskUserQuestionResult,
        BashInput,
        BashResult,
        EditInput,
        EditResult,
        ExitPlanModeInput,
        MultiEditInput,
        MultiEditResult,
        NotebookEditInput,
        NotebookEditResult,
        ReadInput,
        ReadResult,
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
    from clew.tools.decisions import read_decision
    from clew.tools.decode import decode_input, decode_result
    from clew.tools.diffs import (
        Hunk,
        LineCounts,
        changed_blocks,
        diff_of_files,
        diff_of_hunks,
        find_spans,
        replace_spans,
    )
    from clew.tools.display import diagnostic_parts, language_of, resolve_path, short_path
    from clew.tools.drift import unnamed_fields
    from clew.tools.file_changes import count_changes, file_diff, is_edit, may_edit
    from clew.tools.labels import call_label, tool_title, user_reply
    from clew.tools.permission_rules import call_subject, permission_rules
    from clew.tools.plugins import load_plugins
    from clew.tools.registry import ASKING_TOOLS, TOOL_NAMES, find_tool
    from clew.tools.test_results import find_tests, has_failed_tests
    from clew.tools.tool import Tool
    from clew.tools.tool_errors import ToolError
    from clew.tools.waiting import UNASKED_MODES, Wait, find_waits, total_wait

__all__ = [
    "ASKING_TOOLS",
    "TOOL_NAMES",
    "UNASKED_MODES",
    "AskUserQuestionResult",
    "BashInput",
    "BashResult",
    "EditInput",
    "EditResult",
    "ExitPlanModeInput",
    "Hunk",
    "LineCounts",
    "MultiEditInput",
    "MultiEditResult",
    "NotebookEditInput",
    "NotebookEditResult",
    "ReadInput",
    "ReadResult",
    "TaskCreateResult",
    "TaskListResult",
    "TaskUpdateInput",
    "TodoWriteInput",
    "Tool",
    "ToolError",
    "Wait",
    "WriteInput",
    "WriteResult",
    "call_label",
    "call_parts",
    "call_state",
    "call_subject",
    "changed_blocks",
    "count_changes",
    "decode_call",
    "decode_input",
    "decode_result",
    "diagnostic_parts",
    "diff_of_files",
    "diff_of_hunks",
    "file_diff",
    "find_spans",
    "find_tests",
    "find_tool",
    "find_waits",
    "has_failed_tests",
    "is_edit",
    "language_of",
    "load_plugins",
    "may_edit",
    "permission_rules",
    "read_decision",
    "replace_spans",
    "resolve_path",
    "shell_changes",
    "short_path",
    "split_mcp_name",
    "tool_title",
    "total_wait",
    "unnamed_fields",
    "user_reply",
]

import_lazily(__name__)

"""The tools of Claude Code, one module for each family, and the table that lists them."""

from typing import Final

from clew.tools.builtin.agent import AGENT
from clew.tools.builtin.background import BASH_OUTPUT, KILL_SHELL, TASK_OUTPUT, TASK_STOP
from clew.tools.builtin.edits import (
    EDIT,
    MULTI_EDIT,
    WRITE,
    EditInput,
    EditResult,
    MultiEditInput,
    MultiEditResult,
    WriteInput,
    WriteResult,
    edit_diff,
    multi_edit_diff,
    proposed_edit,
    proposed_edits,
    write_diff,
)
from clew.tools.builtin.file_search import GLOB, GREP, LS, LSP
from clew.tools.builtin.mcp import LIST_MCP_RESOURCES, MCP, READ_MCP_RESOURCE, split_mcp_name
from clew.tools.builtin.notebook import (
    NOTEBOOK_EDIT,
    NOTEBOOK_READ,
    NotebookEditInput,
    NotebookEditResult,
    notebook_diff,
)
from clew.tools.builtin.plan_mode import ENTER_PLAN_MODE, EXIT_PLAN_MODE, ExitPlanModeInput
from clew.tools.builtin.questions import ASK_USER_QUESTION, AskUserQuestionResult
from clew.tools.builtin.read import READ, ReadInput, ReadResult
from clew.tools.builtin.reports import REPORT_FINDINGS, STRUCTURED_OUTPUT
from clew.tools.builtin.schedule import (
    CRON_CREATE,
    CRON_DELETE,
    CRON_LIST,
    MONITOR,
    SCHEDULE_WAKEUP,
)
from clew.tools.builtin.shell import BASH, POWERSHELL, BashInput, BashResult, shell_changes
from clew.tools.builtin.skills import SKILL, SLASH_COMMAND, TOOL_SEARCH, SkillInput
from clew.tools.builtin.tasks import (
    TASK_CREATE,
    TASK_GET,
    TASK_LIST,
    TASK_UPDATE,
    TaskCreateResult,
    TaskListResult,
    TaskUpdateInput,
)
from clew.tools.builtin.teams import LIST_AGENTS, SEND_MESSAGE, TEAM_CREATE, TEAM_DELETE
from clew.tools.builtin.todos import TODO_READ, TODO_WRITE, TodoWriteInput
from clew.tools.builtin.web import WEB_FETCH, WEB_SEARCH, WebFetchInput
from clew.tools.builtin.workflow import BATCH, WORKFLOW
from clew.tools.builtin.worktree import ENTER_WORKTREE, EXIT_WORKTREE
from clew.tools.tool import Tool

__all__ = [
    "MCP",
    "TOOLS",
    "AskUserQuestionResult",
    "BashInput",
    "BashResult",
    "EditInput",
    "EditResult",
    "ExitPlanModeInput",
    "MultiEditInput",
    "MultiEditResult",
    "NotebookEditInput",
    "NotebookEditResult",
    "ReadInput",
    "ReadResult",
    "SkillInput",
    "TaskCreateResult",
    "TaskListResult",
    "TaskUpdateInput",
    "TodoWriteInput",
    "WebFetchInput",
    "WriteInput",
    "WriteResult",
    "edit_diff",
    "multi_edit_diff",
    "notebook_diff",
    "proposed_edit",
    "proposed_edits",
    "shell_changes",
    "split_mcp_name",
    "write_diff",
]

TOOLS: Final[tuple[Tool, ...]] = (
    READ,
    WRITE,
    EDIT,
    MULTI_EDIT,
    NOTEBOOK_EDIT,
    NOTEBOOK_READ,
    BASH,
    POWERSHELL,
    BASH_OUTPUT,
    KILL_SHELL,
    GLOB,
    GREP,
    LS,
    LSP,
    AGENT,
    TASK_OUTPUT,
    TASK_STOP,
    TODO_WRITE,
    TODO_READ,
    TASK_CREATE,
    TASK_UPDATE,
    TASK_LIST,
    TASK_GET,
    ASK_USER_QUESTION,
    ENTER_PLAN_MODE,
    EXIT_PLAN_MODE,
    WEB_FETCH,
    WEB_SEARCH,
    SKILL,
    SLASH_COMMAND,
    TOOL_SEARCH,
    SEND_MESSAGE,
    TEAM_CREATE,
    TEAM_DELETE,
    LIST_AGENTS,
    CRON_CREATE,
    CRON_LIST,
    CRON_DELETE,
    SCHEDULE_WAKEUP,
    MONITOR,
    ENTER_WORKTREE,
    EXIT_WORKTREE,
    WORKFLOW,
    STRUCTURED_OUTPUT,
    REPORT_FINDINGS,
    LIST_MCP_RESOURCES,
    READ_MCP_RESOURCE,
    BATCH,
)

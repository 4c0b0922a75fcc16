"""tool uses → what they mean.

Each tool has one module with the struct of its input, the struct of its result and, where a
result may be text alone, the function that reads it. `decode_input` and `decode_result` take
the raw JSON of a call and never raise: what has no type, or not its tool's, is kept plain.
"""

from clew.tools.agent import (
    AgentInput,
    AgentResult,
    AgentUsage,
    CacheCreation,
    OutputDetails,
    ServerToolUse,
    ToolStats,
)
from clew.tools.ask_user_question import (
    Annotation,
    AskUserQuestionInput,
    AskUserQuestionResult,
    Option,
    Question,
)
from clew.tools.bash import (
    BashInput,
    BashResult,
    GitBranch,
    GitCommit,
    GitOperation,
    GitPush,
    PullRequest,
)
from clew.tools.bash_edits import BashEditDiff, EditedFile, ShellChange, shell_changes
from clew.tools.bash_output import BashOutputInput, BashOutputResult
from clew.tools.batch import BatchInput, BatchResult, BatchToolResult, Invocation
from clew.tools.blocks import ImageSource, ResultBlock
from clew.tools.calls import decode_call, parts, state
from clew.tools.cells import NotebookCell
from clew.tools.changes import change, change_diff, is_edit, may_edit
from clew.tools.cron import (
    CronCreateInput,
    CronCreateResult,
    CronDeleteInput,
    CronDeleteResult,
    CronJob,
    CronListInput,
    CronListResult,
)
from clew.tools.decode import decode_input, decode_result
from clew.tools.diagnostics import diagnostic_parts
from clew.tools.drift import unnamed_fields
from clew.tools.edit import EditInput, EditResult
from clew.tools.glob import GlobInput, GlobResult
from clew.tools.grep import GrepInput, GrepResult
from clew.tools.kill_shell import KillShellInput, KillShellResult
from clew.tools.labels import label, reply, verb
from clew.tools.line_counts import LineCounts
from clew.tools.list_agents import ListAgentsInput
from clew.tools.ls import LsInput, LsResult
from clew.tools.lsp import LspInput, LspResult
from clew.tools.mcp import MCP, McpInput, McpResult, split_mcp_name
from clew.tools.mcp_resources import (
    ListMcpResourcesInput,
    ListMcpResourcesResult,
    McpResource,
    McpResourceContent,
    ReadMcpResourceInput,
    ReadMcpResourceResult,
)
from clew.tools.monitor import MonitorInput, MonitorResult, WebSocket
from clew.tools.multi_edit import EditStep, MultiEditInput, MultiEditResult
from clew.tools.notebook import (
    NotebookEditInput,
    NotebookEditResult,
    NotebookReadInput,
    NotebookReadResult,
)
from clew.tools.numbered import NumberedText
from clew.tools.patch import GitDiff, Hunk
from clew.tools.paths import language_of, resolve_path, short_path
from clew.tools.persisted import PersistedOutput, find_persisted
from clew.tools.plain import PLAIN, PlainInput, PlainResult
from clew.tools.plan_mode import (
    AllowedPrompt,
    EnterPlanModeInput,
    EnterPlanModeResult,
    ExitPlanModeInput,
    ExitPlanModeResult,
)
from clew.tools.read import ImageSize, ReadFile, ReadInput, ReadResult
from clew.tools.report_findings import Finding, ReportFindingsInput, ReportFindingsResult
from clew.tools.schedule_wakeup import ScheduleWakeupInput, ScheduleWakeupResult
from clew.tools.send_message import Routing, SendMessageInput, SendMessageResult, TeamMessage
from clew.tools.skill import SkillInput, SkillResult
from clew.tools.slash_command import SlashCommandInput
from clew.tools.structured_output import StructuredOutputInput, StructuredOutputResult
from clew.tools.table import TOOLS, find_tool
from clew.tools.task_output import BackgroundTask, TaskOutputInput, TaskOutputResult
from clew.tools.task_stop import TaskStopInput, TaskStopResult
from clew.tools.tasks import (
    StatusChange,
    TaskCreateInput,
    TaskCreateResult,
    TaskGetInput,
    TaskGetResult,
    TaskItem,
    TaskListInput,
    TaskListResult,
    TaskUpdateInput,
    TaskUpdateResult,
)
from clew.tools.team import TeamCreateInput, TeamCreateResult, TeamDeleteInput, TeamDeleteResult
from clew.tools.todos import Todo, TodoReadInput, TodoReadResult, TodoWriteInput, TodoWriteResult
from clew.tools.tool import Tool
from clew.tools.tool_error import ToolError
from clew.tools.tool_search import ToolReference, ToolSearchInput, ToolSearchResult
from clew.tools.web_fetch import WebFetchInput, WebFetchResult
from clew.tools.web_search import WebLink, WebSearchHits, WebSearchInput, WebSearchResult
from clew.tools.workflow import WorkflowInput, WorkflowResult
from clew.tools.worktree import (
    EnterWorktreeInput,
    EnterWorktreeResult,
    ExitWorktreeInput,
    ExitWorktreeResult,
)
from clew.tools.write import WriteInput, WriteResult

__all__ = [
    "MCP",
    "PLAIN",
    "TOOLS",
    "AgentInput",
    "AgentResult",
    "AgentUsage",
    "AllowedPrompt",
    "Annotation",
    "AskUserQuestionInput",
    "AskUserQuestionResult",
    "BackgroundTask",
    "BashEditDiff",
    "BashInput",
    "BashOutputInput",
    "BashOutputResult",
    "BashResult",
    "BatchInput",
    "BatchResult",
    "BatchToolResult",
    "CacheCreation",
    "CronCreateInput",
    "CronCreateResult",
    "CronDeleteInput",
    "CronDeleteResult",
    "CronJob",
    "CronListInput",
    "CronListResult",
    "EditInput",
    "EditResult",
    "EditStep",
    "EditedFile",
    "EnterPlanModeInput",
    "EnterPlanModeResult",
    "EnterWorktreeInput",
    "EnterWorktreeResult",
    "ExitPlanModeInput",
    "ExitPlanModeResult",
    "ExitWorktreeInput",
    "ExitWorktreeResult",
    "Finding",
    "GitBranch",
    "GitCommit",
    "GitDiff",
    "GitOperation",
    "GitPush",
    "GlobInput",
    "GlobResult",
    "GrepInput",
    "GrepResult",
    "Hunk",
    "ImageSize",
    "ImageSource",
    "Invocation",
    "KillShellInput",
    "KillShellResult",
    "LineCounts",
    "ListAgentsInput",
    "ListMcpResourcesInput",
    "ListMcpResourcesResult",
    "LsInput",
    "LsResult",
    "LspInput",
    "LspResult",
    "McpInput",
    "McpResource",
    "McpResourceContent",
    "McpResult",
    "MonitorInput",
    "MonitorResult",
    "MultiEditInput",
    "MultiEditResult",
    "NotebookCell",
    "NotebookEditInput",
    "NotebookEditResult",
    "NotebookReadInput",
    "NotebookReadResult",
    "NumberedText",
    "Option",
    "OutputDetails",
    "PersistedOutput",
    "PlainInput",
    "PlainResult",
    "PullRequest",
    "Question",
    "ReadFile",
    "ReadInput",
    "ReadMcpResourceInput",
    "ReadMcpResourceResult",
    "ReadResult",
    "ReportFindingsInput",
    "ReportFindingsResult",
    "ResultBlock",
    "Routing",
    "ScheduleWakeupInput",
    "ScheduleWakeupResult",
    "SendMessageInput",
    "SendMessageResult",
    "ServerToolUse",
    "ShellChange",
    "SkillInput",
    "SkillResult",
    "SlashCommandInput",
    "StatusChange",
    "StructuredOutputInput",
    "StructuredOutputResult",
    "TaskCreateInput",
    "TaskCreateResult",
    "TaskGetInput",
    "TaskGetResult",
    "TaskItem",
    "TaskListInput",
    "TaskListResult",
    "TaskOutputInput",
    "TaskOutputResult",
    "TaskStopInput",
    "TaskStopResult",
    "TaskUpdateInput",
    "TaskUpdateResult",
    "TeamCreateInput",
    "TeamCreateResult",
    "TeamDeleteInput",
    "TeamDeleteResult",
    "TeamMessage",
    "Todo",
    "TodoReadInput",
    "TodoReadResult",
    "TodoWriteInput",
    "TodoWriteResult",
    "Tool",
    "ToolError",
    "ToolReference",
    "ToolSearchInput",
    "ToolSearchResult",
    "ToolStats",
    "WebFetchInput",
    "WebFetchResult",
    "WebLink",
    "WebSearchHits",
    "WebSearchInput",
    "WebSearchResult",
    "WebSocket",
    "WorkflowInput",
    "WorkflowResult",
    "WriteInput",
    "WriteResult",
    "change",
    "change_diff",
    "decode_call",
    "decode_input",
    "decode_result",
    "diagnostic_parts",
    "find_persisted",
    "find_tool",
    "is_edit",
    "label",
    "language_of",
    "may_edit",
    "parts",
    "reply",
    "resolve_path",
    "shell_changes",
    "short_path",
    "split_mcp_name",
    "state",
    "unnamed_fields",
    "verb",
]

"""The table of tools, and the way to find one by name."""

from typing import Final

from clew.tools.agent import AGENT
from clew.tools.ask_user_question import ASK_USER_QUESTION
from clew.tools.bash import BASH
from clew.tools.bash_output import BASH_OUTPUT
from clew.tools.batch import BATCH
from clew.tools.cron import CRON_CREATE, CRON_DELETE, CRON_LIST
from clew.tools.edit import EDIT
from clew.tools.glob import GLOB
from clew.tools.grep import GREP
from clew.tools.kill_shell import KILL_SHELL
from clew.tools.list_agents import LIST_AGENTS
from clew.tools.ls import LS
from clew.tools.lsp import LSP
from clew.tools.mcp import MCP, split_mcp_name
from clew.tools.mcp_resources import LIST_MCP_RESOURCES, READ_MCP_RESOURCE
from clew.tools.monitor import MONITOR
from clew.tools.multi_edit import MULTI_EDIT
from clew.tools.notebook import NOTEBOOK_EDIT, NOTEBOOK_READ
from clew.tools.plain import PLAIN
from clew.tools.plan_mode import ENTER_PLAN_MODE, EXIT_PLAN_MODE
from clew.tools.powershell import POWERSHELL
from clew.tools.read import READ
from clew.tools.report_findings import REPORT_FINDINGS
from clew.tools.schedule_wakeup import SCHEDULE_WAKEUP
from clew.tools.send_message import SEND_MESSAGE
from clew.tools.skill import SKILL
from clew.tools.slash_command import SLASH_COMMAND
from clew.tools.structured_output import STRUCTURED_OUTPUT
from clew.tools.task_output import TASK_OUTPUT
from clew.tools.task_stop import TASK_STOP
from clew.tools.tasks import TASK_CREATE, TASK_GET, TASK_LIST, TASK_UPDATE
from clew.tools.team import TEAM_CREATE, TEAM_DELETE
from clew.tools.todos import TODO_READ, TODO_WRITE
from clew.tools.tool import Tool
from clew.tools.tool_search import TOOL_SEARCH
from clew.tools.web_fetch import WEB_FETCH
from clew.tools.web_search import WEB_SEARCH
from clew.tools.workflow import WORKFLOW
from clew.tools.worktree import ENTER_WORKTREE, EXIT_WORKTREE
from clew.tools.write import WRITE

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
_by_name: Final = {name: tool for tool in TOOLS for name in tool.names}


def find_tool(name: str) -> Tool:
    """Give the tool of this name: a known one, the family of MCP tools, or the fallback."""
    tool = _by_name.get(name)
    if tool is not None:
        return tool
    return PLAIN if split_mcp_name(name) is None else MCP

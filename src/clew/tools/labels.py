"""One-line labels: what a tool call acts on.

Each function below knows one tool's input. A path below the working directory is told from there.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from clew.tools.agent import AgentInput
from clew.tools.ask_user_question import AskUserQuestionInput, AskUserQuestionResult
from clew.tools.bash import BashInput
from clew.tools.bash_output import BashOutputInput
from clew.tools.batch import BatchInput
from clew.tools.cron import CronCreateInput, CronDeleteInput
from clew.tools.edit import EditInput, EditResult
from clew.tools.glob import GlobInput
from clew.tools.grep import GrepInput
from clew.tools.kill_shell import KillShellInput
from clew.tools.list_agents import ListAgentsInput
from clew.tools.ls import LsInput
from clew.tools.lsp import LspInput
from clew.tools.mcp import McpInput, split_mcp_name
from clew.tools.mcp_resources import ListMcpResourcesInput, ReadMcpResourceInput
from clew.tools.monitor import MonitorInput
from clew.tools.multi_edit import MultiEditInput, MultiEditResult
from clew.tools.notebook import NotebookEditInput, NotebookReadInput
from clew.tools.plain import PlainInput
from clew.tools.plan_mode import ExitPlanModeInput
from clew.tools.read import ReadInput
from clew.tools.report_findings import ReportFindingsInput
from clew.tools.schedule_wakeup import ScheduleWakeupInput
from clew.tools.send_message import SendMessageInput
from clew.tools.skill import SkillInput
from clew.tools.slash_command import SlashCommandInput
from clew.tools.task_output import TaskOutputInput
from clew.tools.task_stop import TaskStopInput
from clew.tools.tasks import TaskCreateInput, TaskGetInput, TaskUpdateInput
from clew.tools.team import TeamCreateInput, TeamDeleteInput
from clew.tools.todos import TodoWriteInput
from clew.tools.tool_error import ToolError
from clew.tools.tool_search import ToolSearchInput
from clew.tools.web_fetch import WebFetchInput
from clew.tools.web_search import WebSearchInput
from clew.tools.workflow import WorkflowInput, WorkflowResult
from clew.tools.worktree import EnterWorktreeInput, ExitWorktreeInput
from clew.tools.write import WriteInput, WriteResult

_LONGEST: Final = 300
_SHORT_ARGUMENT: Final = 200
_MCP: Final = "MCP"
_SLASHES: Final = "/\\"
_NEWLINE: Final = "\n"
# Of an MCP tool's arguments, the one that most likely says what the call is about.
_TELLING: Final = (
    "query",
    "url",
    "path",
    "file_path",
    "command",
    "title",
    "name",
    "element",
    "text",
    "id",
)


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
    names = split_mcp_name(tool)
    if names is not None:
        return _line((*names, _main_argument(arguments)), " · ")
    make = _LABELS.get(type(arguments), _plain)
    told = make(arguments, cwd) or _named_by(result)
    return _line((told, _change(result)), " ")


def reply(result: object) -> str:
    """Give what a person said in answer to a call: why it was denied, or what was chosen."""
    match result:
        case ToolError():
            return result.feedback.strip()
        case AskUserQuestionResult():
            chosen = "\n".join(f"{asked} {answer}" for asked, answer in result.answers.items())
            return (chosen or result.response).strip()
        case _:
            return ""


def _read(read: ReadInput, cwd: str) -> str:
    if read.pages:
        return f"{_short(read.file_path, cwd)} pages {read.pages}"
    return f"{_short(read.file_path, cwd)} {_line_range(read)}"


def _line_range(read: ReadInput) -> str:
    if read.offset is None and read.limit is None:
        return ""
    first = max(int(read.offset or 1), 1)
    return f"{first}-" if read.limit is None else f"{first}-{first + int(read.limit) - 1}"


def _bash(bash: BashInput, _cwd: str) -> str:
    told = bash.description or bash.command.strip().partition("\n")[0]
    return f"{told} (background)" if bash.run_in_background else told


def _grep(grep: GrepInput, cwd: str) -> str:
    where = [_folder(grep.path, cwd), grep.glob or grep.include or grep.type]
    return _within(grep.pattern, where)


def _glob(glob: GlobInput, cwd: str) -> str:
    return _within(glob.pattern, [_folder(glob.path, cwd)])


def _agent(agent: AgentInput, _cwd: str) -> str:
    told = agent.description or agent.prompt.strip().partition("\n")[0]
    return f"{agent.subagent_type}: {told}" if agent.subagent_type else told


def _todos(todo: TodoWriteInput, _cwd: str) -> str:
    if isinstance(todo.todos, str):
        return ""
    done = sum(item.status == "completed" for item in todo.todos)
    current = next((item.content for item in todo.todos if item.status == "in_progress"), "")
    counts = f"{done} of {len(todo.todos)} done"
    return f"{counts}, {current}" if current else counts


def _task_update(task: TaskUpdateInput, _cwd: str) -> str:
    changes = [task.status, task.subject, f"owner {task.owner}" if task.owner else ""]
    return f"{task.task_id}: {', '.join(change for change in changes if change)}".rstrip(": ")


def _question(ask: AskUserQuestionInput, _cwd: str) -> str:
    if isinstance(ask.questions, str) or not ask.questions:
        return ask.question
    more = len(ask.questions) - 1
    return f"{ask.questions[0].question}{f' (and {more} more)' if more else ''}"


def _plan(plan: ExitPlanModeInput, _cwd: str) -> str:
    lines = (line.strip("# ") for line in plan.plan.split("\n"))
    return next((line for line in lines if line), "") or plan.plan_file_path


def _lsp(lsp: LspInput, cwd: str) -> str:
    at = f":{lsp.line}" if lsp.line is not None else ""
    return f"{lsp.operation} {lsp.query or _short(lsp.file_path, cwd) + at}"


def _notebook(notebook: NotebookEditInput, cwd: str) -> str:
    cell = notebook.cell_id or ("" if notebook.cell_number is None else notebook.cell_number)
    where = f" cell {cell}" if cell != "" else ""
    return f"{_short(notebook.notebook_path, cwd)}{where} {notebook.edit_mode}"


def _send(send: SendMessageInput, _cwd: str) -> str:
    words = send.message if isinstance(send.message, str) else send.message.type
    told = send.summary or words or send.content or send.type
    return f"{send.to or send.recipient}: {told}"


def _findings(report: ReportFindingsInput, _cwd: str) -> str:
    if isinstance(report.findings, str) or not report.findings:
        return ""
    first = report.findings[0]
    return f"{len(report.findings)}: {first.short_summary or first.summary}"


def _batch(batch: BatchInput, _cwd: str) -> str:
    if batch.description or isinstance(batch.invocations, str):
        return batch.description
    return ", ".join(invocation.tool_name for invocation in batch.invocations)


def _plain(arguments: object, _cwd: str) -> str:
    return _main_argument(arguments) if isinstance(arguments, PlainInput) else ""


def _main_argument(arguments: object) -> str:
    """Give the argument that tells most, else the first short text among them."""
    match arguments:
        case McpInput(arguments=dict() as values) | PlainInput(value=dict() as values):
            texts = {k: v for k, v in values.items() if isinstance(v, str) and v.strip()}
            telling = [texts[name] for name in _TELLING if name in texts]
            short = [text for text in texts.values() if len(text) <= _SHORT_ARGUMENT]
            return next(iter((*telling, *short)), "")
        case McpInput(arguments=str() as text) | PlainInput(value=str() as text):
            return text
        case _:
            return ""


def _named_by(result: object) -> str:
    """Give the name that a call without one got when it ran."""
    match result:
        case WorkflowResult():
            return result.summary or result.workflow_name
        case _:
            return ""


def _change(result: object) -> str:
    """Count the lines that an edit added and removed, where the client kept its hunks."""
    match result:
        case WriteResult(type="create"):
            return f"+{len(result.content.removesuffix(_NEWLINE).split(_NEWLINE))} -0"
        case EditResult() | MultiEditResult() | WriteResult() if result.structured_patch:
            added = sum(hunk.added for hunk in result.structured_patch)
            removed = sum(hunk.removed for hunk in result.structured_patch)
            return f"+{added} -{removed}"
        case _:
            return ""


def _within(pattern: str, where: Iterable[str]) -> str:
    places = ", ".join(place for place in where if place)
    return f'"{pattern}" in {places}' if places else f'"{pattern}"'


def _folder(path: str, cwd: str) -> str:
    """Tell where a search looks; in the working directory goes without saying."""
    return "" if path.rstrip(_SLASHES) == cwd.rstrip(_SLASHES) else _short(path, cwd)


def _short(path: str, cwd: str) -> str:
    folder = cwd.rstrip(_SLASHES)
    if not folder or not path.startswith((f"{folder}/", f"{folder}\\")):
        return path
    return path.removeprefix(folder).lstrip(_SLASHES)


def _line(pieces: Iterable[str], between: str) -> str:
    """Join what there is on one line, cut where it is longer than anyone reads."""
    line = between.join(filter(None, (" ".join(piece[:4000].split()) for piece in pieces)))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


_LABELS: Final[dict[type, Callable[[Any, str], str]]] = {
    AgentInput: _agent,
    AskUserQuestionInput: _question,
    BashInput: _bash,
    BashOutputInput: lambda asked, _: asked.bash_id,
    BatchInput: _batch,
    CronCreateInput: lambda cron, _: f"{cron.cron} {cron.prompt}",
    CronDeleteInput: lambda cron, _: cron.id,
    EditInput: lambda edit, cwd: _short(edit.file_path, cwd),
    EnterWorktreeInput: lambda worktree, cwd: worktree.name or _short(worktree.path, cwd),
    ExitPlanModeInput: _plan,
    ExitWorktreeInput: lambda worktree, _: worktree.action,
    GlobInput: _glob,
    GrepInput: _grep,
    KillShellInput: lambda shell, _: shell.shell_id,
    ListAgentsInput: lambda asked, _: asked.q or asked.channel,
    ListMcpResourcesInput: lambda asked, _: asked.server,
    LsInput: lambda asked, cwd: _short(asked.path, cwd),
    LspInput: _lsp,
    MonitorInput: lambda monitor, _: monitor.description or monitor.command,
    MultiEditInput: lambda edit, cwd: _short(edit.file_path, cwd),
    NotebookEditInput: _notebook,
    NotebookReadInput: lambda notebook, cwd: _short(notebook.notebook_path, cwd),
    ReadInput: _read,
    ReadMcpResourceInput: lambda asked, _: f"{asked.server} · {asked.uri}",
    ReportFindingsInput: _findings,
    ScheduleWakeupInput: lambda wakeup, _: wakeup.reason or wakeup.prompt,
    SendMessageInput: _send,
    SkillInput: lambda skill, _: f"{skill.skill or skill.command} {skill.args}",
    SlashCommandInput: lambda slash, _: slash.command,
    TaskCreateInput: lambda task, _: task.subject,
    TaskGetInput: lambda task, _: task.task_id,
    TaskOutputInput: lambda asked, _: asked.task_id or asked.agent_id,
    TaskStopInput: lambda asked, _: asked.task_id or asked.shell_id,
    TaskUpdateInput: _task_update,
    TeamCreateInput: lambda team, _: f"{team.team_name} {team.description}",
    TeamDeleteInput: lambda team, _: team.team_name,
    TodoWriteInput: _todos,
    ToolSearchInput: lambda search, _: search.query,
    WebFetchInput: lambda fetch, _: fetch.url,
    WebSearchInput: lambda search, _: search.query,
    WriteInput: lambda write, cwd: _short(write.file_path, cwd),
    WorkflowInput: lambda flow, _: flow.title or flow.name or flow.description or flow.script_path,
}

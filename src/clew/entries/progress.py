"""Progress rows: what a tool, hook or agent did while it ran."""

from typing import Literal, get_args

import msgspec

from clew.entries.row import NULL, Row, Whole


class Progress(msgspec.Struct, frozen=True, gc=False, tag_field="type", rename="camel"):
    """Base of all kinds of progress."""


class HookProgress(Progress, frozen=True, tag="hook_progress"):
    """A hook runs."""

    hook_event: str = ""
    hook_name: str = ""
    command: str = ""
    prompt_text: str | None = None
    status_message: str | None = None


class ShellProgress(Progress, frozen=True):
    """What a command printed so far; there are many of these, so the output stays raw."""

    output: msgspec.Raw = NULL
    full_output: msgspec.Raw = NULL
    elapsed_time_seconds: float = 0
    total_lines: Whole | None = 0
    total_bytes: Whole | None = None
    timeout_ms: float | None = None
    task_id: str | None = None


class BashProgress(ShellProgress, frozen=True, tag="bash_progress"):
    """A Bash command runs."""


class PowershellProgress(ShellProgress, frozen=True, tag="powershell_progress"):
    """A PowerShell command runs."""


class AgentProgress(Progress, frozen=True, tag="agent_progress"):
    """A row of an agent run, repeated in the session that started it."""

    agent_id: str = ""
    prompt: msgspec.Raw = NULL
    message: msgspec.Raw = NULL
    normalized_messages: msgspec.Raw = NULL
    agent_type: str | None = ""
    is_built_in: bool | None = None
    resolved_model: str | None = ""
    description: str | None = ""
    resume: str | None = ""


class SkillProgress(Progress, frozen=True, tag="skill_progress"):
    """A row of a skill that runs on its own."""

    agent_id: str = ""
    prompt: str = ""
    message: msgspec.Raw = NULL


class McpProgress(Progress, frozen=True, tag="mcp_progress"):
    """An MCP tool started, went on or ended."""

    status: str = ""
    server_name: str = ""
    tool_name: str = ""
    elapsed_time_ms: float | None = None
    progress: msgspec.Raw = NULL
    total: msgspec.Raw = NULL
    progress_message: str | None = None


class WaitingForTask(Progress, frozen=True, tag="waiting_for_task"):
    """A call waits for a background task."""

    task_description: str = ""
    task_type: str = ""


class QueryUpdate(Progress, frozen=True, tag="query_update"):
    """A query of a web search."""

    query: str = ""


class SearchResultsReceived(Progress, frozen=True, tag="search_results_received"):
    """A web search found so many pages."""

    query: str = ""
    result_count: Whole | None = 0


class ToolHeartbeat(Progress, frozen=True, tag="tool_heartbeat"):
    """A tool still runs."""

    elapsed_time_seconds: float = 0
    tool_name: str = ""


class AgentApiRetry(Progress, frozen=True, tag="agent_api_retry"):
    """An agent's model call is tried again."""

    agent_id: str = ""
    agent_type: str | None = ""
    attempt: Whole | None = None
    max_retries: Whole | None = None
    error_category: str | None = ""
    error_status: msgspec.Raw = NULL
    resolved: msgspec.Raw = NULL
    retry_delay_ms: float | None = None


class WorkflowLog(Progress, frozen=True, tag="workflow_log"):
    """A workflow's script said something."""

    message: msgspec.Raw = NULL


class WorkflowPhase(Progress, frozen=True, tag="workflow_phase"):
    """A workflow entered a phase."""

    index: Whole | None = None
    kind: str | None = ""
    title: str | None = ""


class WorkflowAgent(Progress, frozen=True, tag="workflow_agent"):
    """The status of an agent of a workflow."""

    agent_id: str | None = ""
    agent_type: str | None = ""
    label: str | None = ""
    state: str | None = ""
    model: str | None = ""
    index: Whole | None = None
    phase_index: Whole | None = None
    phase_title: str | None = ""
    tokens: Whole | None = None
    tool_calls: Whole | None = None
    attempt: msgspec.Raw = NULL
    blocked: msgspec.Raw = NULL
    cached: msgspec.Raw = NULL
    error: msgspec.Raw = NULL
    fallback_model: msgspec.Raw = NULL
    isolation: msgspec.Raw = NULL
    last_attempt_reason: msgspec.Raw = NULL
    last_progress_at: msgspec.Raw = NULL
    last_tool_name: msgspec.Raw = NULL
    last_tool_summary: msgspec.Raw = NULL
    prompt_framed: msgspec.Raw = NULL
    prompt_preview: msgspec.Raw = NULL
    queued_at: msgspec.Raw = NULL
    remote_session_id: msgspec.Raw = NULL
    result_preview: msgspec.Raw = NULL
    started_at: msgspec.Raw = NULL


class ReplToolCall(Progress, frozen=True, tag="repl_tool_call"):
    """A tool called from a script the model wrote."""

    tool_name: str = ""
    tool_use_id: str = ""
    phase: str | None = ""
    tool_input: msgspec.Raw = NULL
    result: msgspec.Raw = NULL
    error: msgspec.Raw = NULL
    executed: msgspec.Raw = NULL
    mcp_content: msgspec.Raw = NULL
    native_timeout_ms: msgspec.Raw = NULL
    script_helper: msgspec.Raw = NULL
    shell_progress: msgspec.Raw = NULL
    carried_markers: msgspec.Raw = NULL
    declined: msgspec.Raw = NULL
    delegated_tool_names: msgspec.Raw = NULL
    notes: msgspec.Raw = NULL
    permission_decision: msgspec.Raw = NULL
    result_before_read_back: msgspec.Raw = NULL
    sandbox_violations: msgspec.Raw = NULL
    sandboxed: msgspec.Raw = NULL
    served_text: msgspec.Raw = NULL
    tool_denial_kind: msgspec.Raw = NULL
    user_feedback: msgspec.Raw = NULL


class ConnectorFileProgress(Progress, frozen=True, tag="connector_file_progress"):
    """A connector moves a file."""


class OtherProgress(Progress, frozen=True, tag="other"):
    """Progress of an unknown kind: the kind and its JSON, unchanged."""

    kind: str = ""
    value: msgspec.Raw = NULL


AnyProgress = (
    HookProgress
    | BashProgress
    | PowershellProgress
    | AgentProgress
    | SkillProgress
    | McpProgress
    | WaitingForTask
    | QueryUpdate
    | SearchResultsReceived
    | ToolHeartbeat
    | AgentApiRetry
    | WorkflowLog
    | WorkflowPhase
    | WorkflowAgent
    | ReplToolCall
    | ConnectorFileProgress
    | OtherProgress
)

PROGRESS_KINDS = {str(kind.__struct_config__.tag): kind for kind in get_args(AnyProgress)}
_NAMES = {kind: name for name, kind in PROGRESS_KINDS.items()}


class ProgressRow(Row, frozen=True, kw_only=True):
    """A progress row, with the call it belongs to."""

    type: Literal["progress"]
    data: AnyProgress = OtherProgress()
    tool_use_id: str | None = msgspec.field(default="", name="toolUseID")
    parent_tool_use_id: str | None = msgspec.field(default="", name="parentToolUseID")


def progress_kind(progress: Progress) -> str:
    """Return the `data.type` as it is in the transcript."""
    if isinstance(progress, OtherProgress):
        return progress.kind
    return _NAMES[type(progress)]


def printed(progress: BashProgress | PowershellProgress) -> str:
    """Return what a command had printed so far."""
    for raw in (progress.full_output, progress.output):
        try:
            text = msgspec.json.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(text, str) and text:
            return text
    return ""

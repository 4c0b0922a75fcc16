"""Agent: start an agent run, in the foreground, in the background, or as a teammate."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.figures import duration
from clew.parts import Link, Links, Note, Part
from clew.tools.display import (
    ResultBlock,
    fields,
    fold,
    input_fields,
    prose,
    result_parts,
    text_block,
)
from clew.tools.tool import CallState, Number, Tool

_AGENT_ID: Final = re.compile(r"^agentId: ([\w-]{1,200})", re.MULTILINE)
_TEAMMATE_ID: Final = re.compile(r"^agent_id: (\S{1,400})", re.MULTILINE)
_NAME: Final = re.compile(r"^name: ([^\n]{1,400})", re.MULTILINE)
_OUTPUT_FILE: Final = re.compile(r"^output_file: ([^\n]{1,4000})", re.MULTILINE)
_WORKTREE: Final = re.compile(r"^worktree(Path|Branch): ([^\n]{1,4000})", re.MULTILINE)
_TOTALS: Final = re.compile(
    r"<usage>(?:total|subagent)_tokens: (\d{1,15})\s+tool_uses: (\d{1,15})"
    r"\s+duration_ms: (\d{1,15})"
)
_HAND_BACK: Final = "[Subagent hand-back]"
_REPORT: Final = "The report follows:\n"
_STARTED: Final = {
    "async_launched": "Runs in the background",
    "remote_launched": "Runs remotely",
    "teammate_spawned": "Runs as a teammate",
}


class AgentInput(msgspec.Struct, frozen=True):
    """The task, and the agent, model and place that run it."""

    prompt: str = ""
    description: str = ""
    subagent_type: str = ""
    model: str = ""
    run_in_background: bool = False
    name: str = ""
    team_name: str = ""
    mode: str = ""
    isolation: str = ""
    effort: str = ""
    resume: str = ""
    max_turns: Number | None = None


class AgentCacheCreation(msgspec.Struct, frozen=True):
    """Tokens written to the cache, by how long they stay."""

    ephemeral_5m_input_tokens: int = 0
    ephemeral_1h_input_tokens: int = 0


class AgentServerToolUse(msgspec.Struct, frozen=True):
    """Requests that the model's server made itself."""

    web_search_requests: int = 0
    web_fetch_requests: int = 0


class AgentOutputDetails(msgspec.Struct, frozen=True):
    """What the output tokens went into."""

    thinking_tokens: int = 0


class AgentUsage(msgspec.Struct, frozen=True):
    """Tokens of the run's last model call, not of the whole run."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_creation: AgentCacheCreation | None = None
    server_tool_use: AgentServerToolUse | None = None
    output_tokens_details: AgentOutputDetails | None = None
    service_tier: str | None = None
    inference_geo: str | None = None
    speed: str | None = None
    iterations: Any = None
    fallback_credit: Any = None


class AgentToolStats(msgspec.Struct, frozen=True, rename="camel"):
    """How often a run used which kind of tool, and the lines it changed."""

    read_count: int = 0
    search_count: int = 0
    bash_count: int = 0
    edit_file_count: int = 0
    other_tool_count: int = 0
    frame_count: int = 0
    lines_added: int = 0
    lines_removed: int = 0


class AgentResult(msgspec.Struct, frozen=True, rename="camel"):
    """The report of a run, or where to find it while it runs.

    `status` is completed, async_launched, remote_launched or teammate_spawned; old clients
    write none. `teammate_agent_id` is `name@team`, or the agent id of one in this process.
    """

    status: str = ""
    content: tuple[ResultBlock, ...] | str = ()
    agent_id: str = ""
    agent_type: str = ""
    description: str = ""
    prompt: str = ""
    total_duration_ms: Number | None = None
    total_tokens: int | None = None
    total_tool_use_count: int | None = None
    usage: AgentUsage | None = None
    tool_stats: AgentToolStats | None = None
    tools_used: tuple[str, ...] = ()
    resolved_model: str = ""
    models_used: tuple[str, ...] = ()
    was_interrupted: bool = False
    is_async: bool = False
    output_file: str = ""
    can_read_output_file: bool = False
    can_continue_agent: bool | None = None
    worktree_path: str = ""
    worktree_branch: str = ""
    task_id: str = ""
    session_url: str = ""
    name: str = ""
    model: str = ""
    color: str = ""
    team_name: str = msgspec.field(default="", name="team_name")
    teammate_id: str = msgspec.field(default="", name="teammate_id")
    teammate_agent_id: str = msgspec.field(default="", name="agent_id")
    teammate_agent_type: str = msgspec.field(default="", name="agent_type")
    plan_mode_required: bool = msgspec.field(default=False, name="plan_mode_required")
    is_splitpane: bool = msgspec.field(default=False, name="is_splitpane")
    tmux_pane_id: str = msgspec.field(default="", name="tmux_pane_id")
    tmux_session_name: str = msgspec.field(default="", name="tmux_session_name")
    tmux_window_name: str = msgspec.field(default="", name="tmux_window_name")
    harness_note_count: int | None = None
    harness_section_hash: str = ""
    harness_tail_count: int | None = None

    def __post_init__(self) -> None:
        """Refuse an object of another kind, which no required field would stop."""
        if not (self.status or self.content or self.agent_id or self.total_duration_ms is not None):
            raise ValueError("neither a status, a content nor an agent id")


def _read_text(arguments: AgentInput, text: str) -> AgentResult | None:
    """Read the report, and the facts that the client adds below it."""
    if text.startswith("Async agent launched"):
        return _launched(arguments, text)
    if text.startswith("Spawned successfully"):
        return _spawned(arguments, text)
    if not text:
        return None
    return _completed(arguments, text)


def _launched(arguments: AgentInput, text: str) -> AgentResult:
    return AgentResult(
        status="async_launched",
        agent_id=_first(_AGENT_ID, text),
        description=arguments.description,
        prompt=arguments.prompt,
        is_async=True,
        output_file=_first(_OUTPUT_FILE, text),
    )


def _spawned(arguments: AgentInput, text: str) -> AgentResult:
    teammate_id = _first(_TEAMMATE_ID, text)
    return AgentResult(
        status="teammate_spawned",
        # A teammate that runs in this process has an agent id, others are `name@team`.
        agent_id="" if "@" in teammate_id else teammate_id,
        prompt=arguments.prompt,
        name=_first(_NAME, text),
        team_name=arguments.team_name,
        teammate_agent_id=teammate_id,
    )


def _completed(arguments: AgentInput, text: str) -> AgentResult:
    # A report may quote such a line, the client's own is the last.
    ids = list(_AGENT_ID.finditer(text))
    end = ids[-1].start() if ids else len(text)
    fields = text[end:]
    places = {match[1]: match[2] for match in _WORKTREE.finditer(fields)}
    totals = _TOTALS.search(fields)
    return AgentResult(
        status="completed",
        content=(text_block(_report(text[:end])),),
        agent_id=ids[-1][1] if ids else "",
        prompt=arguments.prompt,
        total_tokens=int(totals[1]) if totals else None,
        total_tool_use_count=int(totals[2]) if totals else None,
        total_duration_ms=int(totals[3]) if totals else None,
        worktree_path=places.get("Path", ""),
        worktree_branch=places.get("Branch", ""),
    )


def _report(text: str) -> str:
    # Newer clients put a warning before the report and indent it by two spaces.
    _, frame, framed = text.partition(_HAND_BACK)
    _, heading, report = framed.partition(_REPORT)
    if not (frame and heading):
        return text.removesuffix("\n")
    lines = report.removesuffix("\n").split("\n")
    return "\n".join(line.removeprefix("  ") for line in lines)


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return "" if match is None else match[1].strip()


def _label(agent: AgentInput, _cwd: str) -> str:
    """Name the agent and its task."""
    task = agent.description or agent.prompt.strip().partition("\n")[0]
    return f"{agent.subagent_type}: {task}" if agent.subagent_type else task


def _parts(agent: AgentInput, result: AgentResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the prompt and the report; the messages of the run are shown elsewhere."""
    shown = ("prompt", "description")
    yield from input_fields(call, *shown, "" if agent.run_in_background else "run_in_background")
    yield from fold("Prompt", prose(agent.prompt))
    if result is None:
        return
    if result.status in _STARTED:
        yield Note(_STARTED[result.status])
    yield from _content(result)
    yield from _facts(result)


def _state(result: AgentResult) -> CallState:
    if result.was_interrupted:
        return "interrupted", "warn"
    return ("background", "") if result.status in _STARTED else ("", "")


def _content(result: AgentResult) -> Iterator[Part]:
    if isinstance(result.content, str):
        yield from prose(result.content)
        return
    for block in result.content:
        yield from prose(block.text) if block.type == "text" else result_parts((block,))


def _facts(result: AgentResult) -> Iterator[Part]:
    taken = result.total_duration_ms
    stats = result.tool_stats or AgentToolStats()
    terminal = " ".join(filter(None, (result.tmux_session_name, result.tmux_pane_id)))
    yield from fields(
        ("Model", result.resolved_model or ", ".join(result.models_used)),
        ("Tool calls", result.total_tool_use_count),
        ("Tokens", result.total_tokens),
        ("Duration", None if taken is None else duration(taken)),
        ("Lines added", stats.lines_added),
        ("Lines removed", stats.lines_removed),
        ("Tools", ", ".join(result.tools_used)),
        ("Agent", result.agent_id or result.teammate_agent_id),
        ("Name", result.name),
        ("Team", result.team_name),
        ("Task", result.task_id),
        ("Output", result.output_file),
        ("Worktree", result.worktree_path),
        ("Branch", result.worktree_branch),
        ("Terminal", terminal),
    )
    if result.session_url:
        yield Links((Link(result.session_url),))


AGENT: Final = Tool(
    names=("Agent", "Task"),
    input=AgentInput,
    result=AgentResult,
    label=_label,
    parts=_parts,
    state=_state,
    read_text=_read_text,
)

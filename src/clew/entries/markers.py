"""Bookkeeping rows: titles, snapshots, queue operations, modes, requests."""

from typing import Final

import msgspec

from clew.entries.blocks import AnyBlock
from clew.entries.row import NULL, Whole


class Marker(msgspec.Struct, frozen=True, gc=False, rename="camel", kw_only=True):
    """Base of all markers: a type, and the session it belongs to."""

    type: str
    session_id: str | None = ""
    timestamp: str | None = ""
    agent_id: str | None = ""


class AgentColor(Marker, frozen=True):
    """The colour of a session's agent."""

    agent_color: str = ""


class AgentName(Marker, frozen=True):
    """The name of a session that works in a team."""

    agent_name: str = ""


class AgentSetting(Marker, frozen=True):
    """The agent that a session runs as."""

    agent_setting: str = ""


class AiTitle(Marker, frozen=True):
    """A title that a model wrote; the last one wins."""

    ai_title: str = ""


class CustomTitle(Marker, frozen=True):
    """A title that a person gave; the last one wins."""

    custom_title: str = ""


class Summary(Marker, frozen=True):
    """An old title; `leaf_uuid` points at a row that often is in another file."""

    summary: str = ""
    leaf_uuid: str = ""


class Tag(Marker, frozen=True):
    """A tag that a person gave."""

    tag: str | None = ""


class LastPrompt(Marker, frozen=True):
    """The newest prompt, cut at about 200 characters."""

    last_prompt: str | None = ""
    leaf_uuid: str | None = ""
    explicit: bool | None = None


class Mode(Marker, frozen=True):
    """The client's mode from here on."""

    mode: str | None = ""


class PermissionMode(Marker, frozen=True):
    """The permission mode from here on."""

    permission_mode: str | None = ""


class PrLink(Marker, frozen=True):
    """A pull request that came out of the session."""

    pr_number: Whole | None = None
    pr_url: str = ""
    pr_repository: str = ""


class QueueOperation(Marker, frozen=True):
    """Something was typed while the model worked, or taken from that queue."""

    operation: str | None = ""
    content: str | list[AnyBlock] | None = None
    reason: str | None = ""
    command_uuid: str | None = ""
    delivery_id: str | None = ""


class Snapshot(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Which files have a backup at this point."""

    message_id: str = ""
    timestamp: str = ""
    tracked_file_backups: msgspec.Raw = NULL


class FileHistorySnapshot(Marker, frozen=True):
    """Backups of files, so that a rewind can bring them back."""

    message_id: str = ""
    snapshot: Snapshot | None = None
    is_snapshot_update: bool = False


class FileHistoryDelta(Marker, frozen=True):
    """One more file with a backup."""

    message_id: str = ""
    snapshot_message_id: str = ""
    tracking_path: str = ""
    backup: msgspec.Raw = NULL


class ModelCost(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """The client's own count for one model."""

    input_tokens: Whole = 0
    output_tokens: Whole = 0
    thinking_tokens: Whole = 0
    cache_read_input_tokens: Whole = 0
    cache_creation_input_tokens: Whole = 0
    cache_creation_5m: Whole = msgspec.field(default=0, name="cacheCreationEphemeral5mInputTokens")
    cache_creation_1h: Whole = msgspec.field(default=0, name="cacheCreationEphemeral1hInputTokens")
    web_search_requests: Whole = 0
    cost_usd: float = msgspec.field(default=0.0, name="costUSD")
    context_window: msgspec.Raw = NULL
    max_output_tokens: msgspec.Raw = NULL


class CostState(Marker, frozen=True):
    """The client's own totals of tokens and cost; the last one wins."""

    total_cost_usd: float = msgspec.field(default=0.0, name="totalCostUSD")
    total_api_duration: float = msgspec.field(default=0.0, name="totalAPIDuration")
    total_api_duration_without_retries: float = msgspec.field(
        default=0.0, name="totalAPIDurationWithoutRetries"
    )
    total_tool_duration: float = 0.0
    total_lines_added: Whole = 0
    total_lines_removed: Whole = 0
    total_duration: float = 0.0
    start_time: float | None = None
    model_usage: dict[str, ModelCost] = {}
    has_unknown_model_cost: bool | None = None
    model_call_cost_usd: msgspec.Raw = msgspec.field(default=NULL, name="modelCallCostUSD")


class WorktreeSession(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """A worktree that a session works in, and where it came from."""

    original_cwd: str = ""
    worktree_path: str = ""
    worktree_name: str = ""
    worktree_branch: str = ""
    original_branch: str | None = ""
    original_head_commit: str | None = ""
    session_id: str = ""


class WorktreeState(Marker, frozen=True):
    """The session entered or left a worktree."""

    worktree_session: WorktreeSession | None = None


class Relocated(Marker, frozen=True):
    """The session's folder moved."""

    relocated_cwd: str = ""


class ContinuedIn(Marker, frozen=True):
    """The session continues under another id."""

    continued_in_session_id: str = ""


class DerivedFrom(Marker, frozen=True):
    """The sessions this one was made from."""

    sessions: msgspec.Raw = NULL
    v: msgspec.Raw = NULL


class ForkContextRef(Marker, frozen=True):
    """An agent that starts with its parent's context: where that context ends."""

    parent_session_id: str = ""
    parent_last_uuid: str = ""
    context_length: Whole | None = None


class BridgeSession(Marker, frozen=True):
    """The link to a remote session, with ids of accounts."""

    bridge_session_id: str = ""
    last_sequence_num: Whole | None = None
    owner_account_uuid: str | None = ""
    owner_organization_uuid: str | None = ""
    declared_dialog_kinds: msgspec.Raw = NULL
    session_grouping_id: str | None = ""
    no_history_backfill: bool | None = None


class ToolsUsed(Marker, frozen=True):
    """The tools a session has used so far."""

    tools: tuple[str, ...] = ()
    uuid: str | None = ""


class ContentReplacement(Marker, frozen=True):
    """Texts that replace longer ones from here on."""

    replacements: msgspec.Raw = NULL


class ApiRequest(Marker, frozen=True):
    """A request to the model, as a difference to the one before."""

    id: str = ""
    version: str = ""
    query_source: str = ""
    shape_hash: str = ""
    params: msgspec.Raw = NULL
    withheld: msgspec.Raw = NULL
    base: str | None = ""
    keep: Whole | None = None
    tail: msgspec.Raw = NULL
    cache_control: msgspec.Raw = NULL
    request_digest: str | None = ""
    cut: msgspec.Raw = NULL


class ApiRequestBlob(Marker, frozen=True):
    """A message of a request, stored once under its hash."""

    hash: str = ""
    message: msgspec.Raw = NULL


class ApiRequestShape(Marker, frozen=True):
    """The system prompt and tools of requests, stored once under their hash."""

    shape_hash: str = ""
    version: str = ""
    shape: msgspec.Raw = NULL


class JournalRow(Marker, frozen=True):
    """A row of a workflow's journal: an agent launched, started, or its result."""

    key: str = ""
    label: str | None = ""
    phase: str | None = ""
    result: msgspec.Raw = NULL
    remote_control_device_report: msgspec.Raw = NULL
    tools_used: msgspec.Raw = NULL


class Latch(Marker, frozen=True):
    """A switch of the client that stays as it is set."""

    atis: msgspec.Raw = NULL
    side: msgspec.Raw = NULL
    repl_mode: msgspec.Raw = NULL
    typed_events: msgspec.Raw = NULL
    folder: msgspec.Raw = NULL
    sum: msgspec.Raw = NULL


class MemoryMode(Marker, frozen=True):
    """Whether memory is on from here."""

    mode: str | None = ""
    after_uuid: str | None = ""
    reason: msgspec.Raw = NULL
    account: msgspec.Raw = NULL
    account_choice: msgspec.Raw = NULL


class HistorySuppression(Marker, frozen=True):
    """Why a session stays out of the history."""

    cause: msgspec.Raw = NULL
    vetoed_against_account_uuid: str | None = ""
    ts: msgspec.Raw = NULL


class FrameLink(Marker, frozen=True):
    """A page that the session made."""

    artifact_count: Whole | None = None
    path: str | None = ""
    frame_url: str | None = ""
    title: str | None = ""


class Ledger(Marker, frozen=True):
    """Lists that the client keeps about artifacts and the flow of data."""

    v: msgspec.Raw = NULL
    account_uuid: str | None = ""
    artifacts: msgspec.Raw = NULL
    records: msgspec.Raw = NULL
    snapshot: msgspec.Raw = NULL


MARKERS: Final[dict[str, type[Marker]]] = {
    "agent-color": AgentColor,
    "agent-name": AgentName,
    "agent-setting": AgentSetting,
    "ai-title": AiTitle,
    "api-request": ApiRequest,
    "api-request-blob": ApiRequestBlob,
    "api-request-shape": ApiRequestShape,
    "artifact-autoreact-ledger": Ledger,
    "artifact-comment-monitor": Ledger,
    "atis-latch": Latch,
    "attribution-snapshot": Ledger,
    "bridge-session": BridgeSession,
    "content-replacement": ContentReplacement,
    "continued-in": ContinuedIn,
    "cost-state": CostState,
    "custom-title": CustomTitle,
    "data-flow-incomplete": Ledger,
    "data-flow-records": Ledger,
    "derived-from": DerivedFrom,
    "dev-mods": Latch,
    "ended-by-model": Marker,
    "file-history-delta": FileHistoryDelta,
    "file-history-snapshot": FileHistorySnapshot,
    "fork-context-ref": ForkContextRef,
    "frame-link": FrameLink,
    "history-suppression": HistorySuppression,
    "isolation-latch": Latch,
    "last-prompt": LastPrompt,
    "launched": JournalRow,
    "memory-mode": MemoryMode,
    "mode": Mode,
    "observer-ref": Marker,
    "permission-mode": PermissionMode,
    "pr-link": PrLink,
    "queue-operation": QueueOperation,
    "relocated": Relocated,
    "repl-mode": Latch,
    "result": JournalRow,
    "resume-head-vouch": Latch,
    "session-owner": Marker,
    "started": JournalRow,
    "summary": Summary,
    "tag": Tag,
    "tools-used": ToolsUsed,
    "worktree-state": WorktreeState,
}

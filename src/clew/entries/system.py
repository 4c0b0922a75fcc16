"""System rows: compaction boundaries, hook reports, API errors, notices."""

from typing import Final

import msgspec

from clew.entries.row import NULL, Row, Whole


class System(Row, frozen=True):
    """A system row; also the one for unknown subtypes.

    Clients up to 1.0.60 write no subtype at all.
    """

    subtype: str | None = None
    content: str | None = ""
    level: str | None = ""
    is_meta: bool | None = False
    tool_use_id: str | None = msgspec.field(default="", name="toolUseID")
    is_error: bool | None = None
    message: msgspec.Raw = NULL


class PreservedSegment(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """The rows that a compaction preserved, from first to last."""

    head_uuid: str = ""
    anchor_uuid: str = ""
    tail_uuid: str = ""


class PreservedMessages(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """The rows that a compaction preserved, by id; they are after the compaction summary."""

    anchor_uuid: str = ""
    uuids: tuple[str, ...] = ()
    all_uuids: tuple[str, ...] = ()


class CompactMetadata(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """The reason for a compaction, and how many tokens there were before and after it."""

    trigger: str = ""
    pre_tokens: Whole | None = None
    post_tokens: Whole | None = None
    cumulative_dropped_tokens: Whole | None = None
    duration_ms: float | None = None
    preserved_segment: PreservedSegment | None = None
    preserved_messages: PreservedMessages | None = None
    pre_compact_discovered_tools: tuple[str, ...] = ()
    running_turn_prompt: msgspec.Raw = NULL
    user_context: msgspec.Raw = NULL
    messages_summarized: Whole | None = None


class CompactBoundary(System, frozen=True):
    """The past was replaced by a summary here."""

    compact_metadata: CompactMetadata | None = None
    remote_sourced: bool | None = None


class MicrocompactMetadata(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Which tool results were dropped, and what that saved."""

    trigger: str = ""
    pre_tokens: Whole | None = None
    tokens_saved: Whole | None = None
    compacted_tool_ids: tuple[str, ...] = ()
    cleared_attachment_uuids: tuple[str, ...] = msgspec.field(
        default=(), name="clearedAttachmentUUIDs"
    )


class MicrocompactBoundary(System, frozen=True):
    """Old tool results were dropped from the context here."""

    microcompact_metadata: MicrocompactMetadata | None = None


class ApiFailure(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """What went wrong with a model call, as far as the client says."""

    status: Whole | None = None
    message: str | None = None
    formatted: str | None = None
    request_id: str | None = None
    connection: msgspec.Raw = NULL
    is_network_down: bool | None = None
    rate_limits: msgspec.Raw = NULL
    no_response: msgspec.Raw = NULL
    headers: msgspec.Raw = NULL
    old_request_id: str | None = msgspec.field(default=None, name="requestID")
    error: msgspec.Raw = NULL
    cause: msgspec.Raw = NULL
    type: str | None = None


class ApiError(System, frozen=True):
    """A model call failed and is tried again."""

    error: ApiFailure | None = None
    cause: msgspec.Raw = NULL
    retry_in_ms: float | None = None
    retry_attempt: Whole | None = None
    max_retries: Whole | None = None
    source: str | None = ""


class HookInfo(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """One hook that ran at the end of a turn."""

    command: str = ""
    duration_ms: float | None = None
    prompt_text: str | None = None


class StopHookSummary(System, frozen=True):
    """What the hooks at the end of a turn did."""

    hook_count: Whole | None = 0
    hook_infos: tuple[HookInfo, ...] = ()
    hook_errors: tuple[str, ...] = ()
    hook_additional_context: tuple[str, ...] = ()
    prevented_continuation: bool | None = None
    stop_reason: str | None = ""
    has_output: bool | None = None
    hook_label: str | None = ""
    total_duration_ms: float | None = None


class TurnDuration(System, frozen=True):
    """How long a turn took."""

    duration_ms: float | None = None
    message_count: Whole | None = None
    pending_background_agent_count: Whole | None = None
    pending_workflow_count: Whole | None = None


class CommandRun(msgspec.Struct, frozen=True, gc=False):
    """A local command and its arguments."""

    command: str = ""
    args: str = ""


class LocalCommand(System, frozen=True):
    """A command that the client ran itself, or its output."""

    command_run: CommandRun | None = None
    is_display_only: bool | None = None
    context_usage: msgspec.Raw = NULL
    usage_report: msgspec.Raw = NULL
    command_outcome: msgspec.Raw = NULL
    submit_uuid: str | None = ""
    command: msgspec.Raw = NULL
    plugin: msgspec.Raw = NULL
    kind: str | None = ""
    suggestion: msgspec.Raw = NULL


class Informational(System, frozen=True):
    """A notice for the person; a prompt that a hook blocked is only here."""

    prevent_continuation: bool | None = None
    prompt_submit_ending: msgspec.Raw = NULL
    prompt_submit_outcome: msgspec.Raw = NULL
    tag: msgspec.Raw = NULL
    highlight: msgspec.Raw = NULL
    hook_no_verdict: msgspec.Raw = NULL
    launched_agent_id: str | None = ""
    from_remote_error_result: msgspec.Raw = NULL
    kind: str | None = ""
    reason: msgspec.Raw = NULL


class PermissionRetry(System, frozen=True):
    """Commands that are tried again after a permission was given."""

    commands: msgspec.Raw = NULL
    heard_at_next_prompt: bool | None = None


class MemorySaved(System, frozen=True):
    """Memory files were written."""

    written_paths: tuple[str, ...] = ()


class FileSnapshot(System, frozen=True):
    """Snapshots of files were saved."""

    snapshot_files: msgspec.Raw = NULL


class BridgeStatus(System, frozen=True):
    """The status of the link to a remote session."""

    url: str | None = ""
    upgrade_nudge: str | None = ""


class CloudSessionStatus(System, frozen=True):
    """The status of a session in the cloud."""

    entry: msgspec.Raw = NULL
    url: str | None = ""


class ScheduledTaskFire(System, frozen=True):
    """A scheduled task began."""

    task_id: str | None = ""
    cron: str | None = ""
    prompt: str | None = ""
    task_kind: str | None = ""
    cron_kind: str | None = ""
    no_op_streak: Whole | None = None
    folded_uuids: tuple[str, ...] = ()


class ModelFallback(System, frozen=True):
    """Another model took over, or none could."""

    trigger: str | None = ""
    choice: str | None = ""
    direction: str | None = ""
    scope: str | None = ""
    original_model: str | None = ""
    original_model_name: str | None = ""
    fallback_model: str | None = ""
    persisted_as_default: bool | None = None
    request_id: str | None = ""
    api_refusal_category: str | None = None
    api_refusal_explanation: str | None = None
    api_refusal_cyber_verification: msgspec.Raw = NULL
    refused_user_message_uuid: str | None = ""
    retracted_message_uuids: tuple[str, ...] = ()
    saw_cyber_refusal: bool | None = None
    provisional: bool | None = None


class Placed(System, frozen=True):
    """Something a plugin put on the screen."""

    plugin: msgspec.Raw = NULL
    id: str | None = ""
    persist: msgspec.Raw = NULL


class RewindStandIn(System, frozen=True):
    """A row in place of one that was rewound."""

    source_uuid: str = msgspec.field(default="", name="source_uuid")


class StartFolder(System, frozen=True):
    """The folder a session began in."""

    dev: msgspec.Raw = NULL
    ino: msgspec.Raw = NULL


class VoiceCallTalk(System, frozen=True):
    """Words of a voice call."""

    msg_v: msgspec.Raw = NULL


class OperationMetadata(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """How many messages a compaction of the flat dialect left, of how many."""

    preserved_messages: Whole | None = None
    total_messages: Whole | None = None
    compression_ratio: float | None = None


class ConversationOperation(System, frozen=True):
    """A compaction or restoration in the flat dialect: `content` names the operation."""

    metadata: OperationMetadata | None = None


SYSTEM_SUBTYPES: Final[dict[str, type[System]]] = {
    "": System,
    "account_memory_saved": System,
    "agents_killed": System,
    "api_error": ApiError,
    "away_summary": System,
    "bridge_status": BridgeStatus,
    "cloud_session_status": CloudSessionStatus,
    "compact_boundary": CompactBoundary,
    "conversation_operation": ConversationOperation,
    "error": System,
    "file_snapshot": FileSnapshot,
    "informational": Informational,
    "local_command": LocalCommand,
    "memory_saved": MemorySaved,
    "meta": System,
    "microcompact_boundary": MicrocompactBoundary,
    "model_consent_fallback": ModelFallback,
    "model_fallback": ModelFallback,
    "model_refusal_fallback": ModelFallback,
    "model_refusal_no_fallback": ModelFallback,
    "permission_retry": PermissionRetry,
    "placed": Placed,
    "read_divider": System,
    "rewind_stand_in": RewindStandIn,
    "scheduled_task_fire": ScheduledTaskFire,
    "start_folder": StartFolder,
    "stop_hook_summary": StopHookSummary,
    "thinking": System,
    "turn_duration": TurnDuration,
    "voice_call_talk": VoiceCallTalk,
}

"""Attachments that remind, warn and count."""

from msgspec import Raw, field

from clew.entries.attachments.base import Attachment
from clew.entries.row import NULL


class AttentionBudgetAttachment(Attachment, frozen=True, tag="attention_budget"):
    """A note on attention."""


class BashOutputAudienceNoteAttachment(Attachment, frozen=True, tag="bash_output_audience_note"):
    """A note on who sees a command's output."""

    tool_use_id: str = field(default="", name="toolUseID")


class BatchingReminderAttachment(Attachment, frozen=True, tag="batching_reminder"):
    """A reminder to batch calls."""

    text: str = ""


class BatchingReminderSentAttachment(Attachment, frozen=True, tag="batching_reminder_sent"):
    """A mark that the batching reminder was sent."""


class BudgetUsdAttachment(Attachment, frozen=True, tag="budget_usd"):
    """How much of a budget is spent."""

    used: Raw = NULL
    total: Raw = NULL
    remaining: Raw = NULL


class ClaudeAppNoticeAttachment(Attachment, frozen=True, tag="claude_app_notice"):
    """A notice from another app."""

    lines: Raw = NULL
    app: Raw = NULL


class ContextEfficiencyAttachment(Attachment, frozen=True, tag="context_efficiency"):
    """A note on context."""


class CriticalSystemReminderAttachment(Attachment, frozen=True, tag="critical_system_reminder"):
    """A reminder that must be heard."""

    content: Raw = NULL
    only_as_system_message: Raw = NULL
    connector_downloads_unchecked: Raw = NULL


class DirSyncNoticeAttachment(Attachment, frozen=True, tag="dir_sync_notice"):
    """A notice on folder sync."""

    content: Raw = NULL


class ElapsedTimeReminderAttachment(Attachment, frozen=True, tag="elapsed_time_reminder"):
    """How much time has gone by."""

    text: str = ""


class MaxTurnsReachedAttachment(Attachment, frozen=True, tag="max_turns_reached"):
    """The limit of turns was reached."""

    max_turns: Raw = NULL
    turn_count: Raw = NULL


class OutputLimitNoteAttachment(Attachment, frozen=True, tag="output_limit_note"):
    """A note on output limits."""


class OutputTokenUsageAttachment(Attachment, frozen=True, tag="output_token_usage"):
    """How many output tokens are used."""


class ReadTruncationNoticeAttachment(Attachment, frozen=True, tag="read_truncation_notice"):
    """A note that a read was cut short."""

    banner: Raw = NULL
    tool_use_id: str = field(default="", name="toolUseID")


class SecondaryReminderAttachment(Attachment, frozen=True, tag="secondary_reminder"):
    """A second reminder."""

    text: str = ""


class SecondaryReminderSentAttachment(Attachment, frozen=True, tag="secondary_reminder_sent"):
    """A mark that the second reminder was sent."""


class SilentTurnReminderAttachment(Attachment, frozen=True, tag="silent_turn_reminder"):
    """A reminder after a turn without words."""

    text: str = ""


class ThinkingDropAttachment(Attachment, frozen=True, tag="thinking_drop"):
    """Thinking was dropped from the context."""

    request_id: Raw = NULL
    model: Raw = NULL
    query_source: Raw = NULL
    requested_behavior: Raw = NULL
    thinking_blocks_sent: Raw = NULL
    thinking_turns_sent: Raw = NULL
    newly_dropped: Raw = NULL
    block_hashes: Raw = NULL
    first_report_for_thread_in_process: Raw = NULL
    client_change: Raw = NULL


class ThinkingStrippedAttachment(Attachment, frozen=True, tag="thinking_stripped"):
    """Thinking was taken out."""

    scope: Raw = NULL
    origin_scope: Raw = field(default=NULL, name="from")


class TokenUsageAttachment(Attachment, frozen=True, tag="token_usage"):
    """How much of the context is used."""

    used: Raw = NULL
    total: Raw = NULL
    remaining: Raw = NULL


class TotalTokensReminderAttachment(Attachment, frozen=True, tag="total_tokens_reminder"):
    """How many tokens are used in all."""

    text: str = ""


class UltraEffortEnterAttachment(Attachment, frozen=True, tag="ultra_effort_enter"):
    """Ultra effort begins."""

    reminder_type: Raw = NULL


class UltraEffortExitAttachment(Attachment, frozen=True, tag="ultra_effort_exit"):
    """Ultra effort ends."""


class UltrathinkEffortAttachment(Attachment, frozen=True, tag="ultrathink_effort"):
    """A prompt requested more thinking."""

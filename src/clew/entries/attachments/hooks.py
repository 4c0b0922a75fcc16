"""Attachments that hooks leave."""

from msgspec import Raw, field

from clew.entries.attachments.base import Attachment, BlockingError
from clew.entries.row import NULL, Whole


class AsyncHookResponseAttachment(Attachment, frozen=True, tag="async_hook_response"):
    """What a hook that ran in the background said."""

    process_id: Raw = NULL
    hook_name: str = ""
    hook_event: str = ""
    tool_name: str = ""
    command: str | None = ""
    response: Raw = NULL
    is_plain_output: Raw = NULL
    stdout: str = ""
    stderr: str = ""
    exit_code: Whole | None = None


class AsyncHookResponseBatchAttachment(Attachment, frozen=True, tag="async_hook_response_batch"):
    """What several background hooks said."""

    hooks: Raw = NULL


class HookAdditionalContextAttachment(Attachment, frozen=True, tag="hook_additional_context"):
    """Context that a hook added."""

    content: tuple[str, ...] | str = ()
    hook_name: str = ""
    tool_use_id: str = field(default="", name="toolUseID")
    hook_event: str = ""
    account_memory_batch: Raw = NULL


class HookBlockingErrorAttachment(Attachment, frozen=True, tag="hook_blocking_error"):
    """A hook stopped what was going on."""

    hook_name: str = ""
    tool_use_id: str = field(default="", name="toolUseID")
    hook_event: str = ""
    blocking_error: BlockingError | None = None


class HookCancelledAttachment(Attachment, frozen=True, tag="hook_cancelled"):
    """A hook was cancelled or timed out."""

    hook_name: str = ""
    tool_use_id: str = field(default="", name="toolUseID")
    hook_event: str = ""
    command: str | None = ""
    timed_out: bool | None = None
    timeout_ms: Raw = NULL
    duration_ms: float | None = None


class HookDeferredToolAttachment(Attachment, frozen=True, tag="hook_deferred_tool"):
    """A hook put off a tool call."""

    tool_use_id: str = field(default="", name="toolUseID")
    tool_name: str = ""
    tool_input: Raw = NULL
    hook_name: str = ""
    hook_event: str = ""
    permission_mode: Raw = NULL
    traceparent: Raw = NULL


class HookErrorDuringExecutionAttachment(
    Attachment, frozen=True, tag="hook_error_during_execution"
):
    """A hook failed while it ran."""

    content: Raw = NULL
    hook_name: str = ""
    tool_use_id: str = field(default="", name="toolUseID")
    hook_event: str = ""
    command: str | None = ""
    duration_ms: float | None = None


class HookNonBlockingErrorAttachment(Attachment, frozen=True, tag="hook_non_blocking_error"):
    """A hook failed, and work went on."""

    hook_name: str = ""
    tool_use_id: str = field(default="", name="toolUseID")
    hook_event: str = ""
    stderr: str = ""
    stdout: str = ""
    exit_code: Whole | None = None
    command: str | None = ""
    duration_ms: float | None = None


class HookPermissionDecisionAttachment(Attachment, frozen=True, tag="hook_permission_decision"):
    """A hook allowed or denied a call."""

    decision: str = ""
    tool_use_id: str = field(default="", name="toolUseID")
    hook_event: str = ""


class HookPluginListingAttachment(Attachment, frozen=True, tag="hook_plugin_listing"):
    """Hooks that plugins brought."""


class HookStoppedContinuationAttachment(Attachment, frozen=True, tag="hook_stopped_continuation"):
    """A hook ended the turn."""

    message: Raw = NULL
    hook_name: str = ""
    tool_use_id: str = field(default="", name="toolUseID")
    hook_event: str = ""
    account_memory_batch: Raw = NULL


class HookSuccessAttachment(Attachment, frozen=True, tag="hook_success"):
    """A hook ran well."""

    hook_name: str = ""
    tool_use_id: str = field(default="", name="toolUseID")
    hook_event: str = ""
    content: str = ""
    stdout: str = ""
    stderr: str = ""
    exit_code: Whole | None = None
    command: str | None = ""
    duration_ms: float | None = None


class HookSystemMessageAttachment(Attachment, frozen=True, tag="hook_system_message"):
    """A hook had something to say to the person."""

    content: str = ""
    hook_name: str = ""
    tool_use_id: str = field(default="", name="toolUseID")
    hook_event: str = ""
    held_for_served_call: Raw = NULL

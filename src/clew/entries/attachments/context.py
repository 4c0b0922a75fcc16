"""Attachments that describe where the session is."""

from msgspec import Raw, field

from clew.entries.attachments.base import Attachment, ModelIdentity
from clew.entries.row import NULL


class AccountMemoryRecallAttachment(Attachment, frozen=True, tag="account_memory_recall"):
    """Memories of the account that were brought in."""


class AdvisorStrippedAttachment(Attachment, frozen=True, tag="advisor_stripped"):
    """A note that an advisor was taken away."""


class ArtifactOpeningPrefetchAttachment(Attachment, frozen=True, tag="artifact_opening_prefetch"):
    """An artifact fetched in advance."""

    content: Raw = NULL
    kind: Raw = NULL


class AutoModeAttachment(Attachment, frozen=True, tag="auto_mode"):
    """The client entered auto mode."""

    auto_mode_consent_flow: Raw = NULL
    finish_exposed_work: Raw = NULL
    bash_first: Raw = NULL
    bash_first_steer: Raw = NULL
    steer_only: Raw = NULL
    bypass: Raw = NULL
    reminder_type: str = ""


class AutoModeExitAttachment(Attachment, frozen=True, tag="auto_mode_exit"):
    """The client left auto mode."""

    bash_first: Raw = NULL
    steer_only: Raw = NULL
    finish_exposed_work: Raw = NULL


class CompanionIntroAttachment(Attachment, frozen=True, tag="companion_intro"):
    """A companion introduced itself."""

    name: Raw = NULL
    species: Raw = NULL


class ContextSectionsAttachment(Attachment, frozen=True, tag="context_sections"):
    """Sections of context."""

    sections: Raw = NULL


class CoordinatorContextAttachment(Attachment, frozen=True, tag="coordinator_context"):
    """Context from a coordinator."""

    content: Raw = NULL
    changed: Raw = NULL


class CoworkMemoryContextAttachment(Attachment, frozen=True, tag="cowork_memory_context"):
    """Memory shared between apps."""

    version: Raw = NULL
    content: Raw = NULL
    leg: Raw = NULL
    anchor: Raw = NULL
    tools_only: Raw = NULL


class CredentialOrgAttachment(Attachment, frozen=True, tag="credential_org"):
    """The organisation in use."""

    organization_uuid: Raw = NULL


class DateAttachment(Attachment, frozen=True, tag="date"):
    """The date."""

    date: str = ""
    changed: Raw = NULL
    assumed_utc: Raw = NULL
    coerce: Raw = NULL


class DateChangeAttachment(Attachment, frozen=True, tag="date_change"):
    """The date changed during the session."""

    new_date: str = ""


class EnvironmentAttachment(Attachment, frozen=True, tag="environment"):
    """The machine and folder the session runs in."""

    snapshot: Raw = NULL
    changes: Raw = NULL


class ForkBriefingAttachment(Attachment, frozen=True, tag="fork_briefing"):
    """The instructions of a forked agent."""

    text: str = ""


class InstructionsAttachment(Attachment, frozen=True, tag="instructions"):
    """Instruction files that were loaded."""

    reason: Raw = NULL
    files: Raw = NULL


class LanguageAttachment(Attachment, frozen=True, tag="language"):
    """The language to answer in."""

    language: str = ""


class MemoryUpdateAttachment(Attachment, frozen=True, tag="memory_update"):
    """Memory was written."""

    source: Raw = NULL
    summary: Raw = NULL
    paths: Raw = NULL
    in_context_paths: Raw = NULL


class ModelAttachment(Attachment, frozen=True, tag="model"):
    """Which model is in use."""

    identity: ModelIdentity | None = None
    text: str = ""
    id: Raw = NULL
    display_name: Raw = field(default=NULL, name="display_name")
    description: Raw = NULL


class OutputStyleAttachment(Attachment, frozen=True, tag="output_style"):
    """The style to answer in."""

    style: Raw = NULL
    turn_reminder: Raw = NULL


class OutputStyleInstructionsAttachment(Attachment, frozen=True, tag="output_style_instructions"):
    """How a style is written."""

    style: Raw = NULL


class PollEventsAttachment(Attachment, frozen=True, tag="poll_events"):
    """Events that a poll brought."""

    remaining_wake_count: Raw = NULL
    envelopes: Raw = NULL
    kinds: Raw = NULL
    tools_used: Raw = NULL
    media: Raw = NULL
    timestamp: Raw = NULL
    provenance: Raw = NULL
    declared: Raw = NULL
    user_role_guard: Raw = NULL
    delivered_via: Raw = NULL
    poll_call: Raw = NULL


class PrefixDeltaAttachment(Attachment, frozen=True, tag="prefix_delta"):
    """A change of the prompt's start."""

    text: str = ""


class ProactivityAttachment(Attachment, frozen=True, tag="proactivity"):
    """How much to do unasked."""

    status: Raw = NULL
    level: Raw = NULL
    tools: Raw = NULL


class ProjectsThreadAskAttachment(Attachment, frozen=True, tag="projects_thread_ask"):
    """A question from a project thread."""

    call: Raw = NULL
    after: Raw = NULL
    over_own_work: Raw = NULL
    delivered_at: Raw = NULL
    message_id: Raw = NULL


class PromptRenderPointAttachment(Attachment, frozen=True, tag="prompt_render_point"):
    """Where a prompt was drawn up."""

    cause: Raw = NULL


class PromptSnapshotAttachment(Attachment, frozen=True, tag="prompt_snapshot"):
    """The system prompt and tools as they were sent."""

    system_prompt: Raw = NULL
    tools: Raw = NULL
    cli_prefix: Raw = NULL
    reminder_fold: Raw = NULL
    echo_wire_tool_inputs: Raw = NULL
    context_rendering: Raw = NULL
    inline_tools: Raw = NULL
    kept_reminders: Raw = NULL
    system_turns: Raw = NULL
    tool_change_header: Raw = NULL


class RelevantMemoriesAttachment(Attachment, frozen=True, tag="relevant_memories"):
    """Memories that fit the prompt."""

    memories: Raw = NULL


class RemoteSessionChangeAttachment(Attachment, frozen=True, tag="remote_session_change"):
    """The remote session's commit or pull request changed."""

    url: str | None = ""
    commit: Raw = NULL
    pr: Raw = NULL
    send_user_file_hint: Raw = NULL
    managed_commit: Raw = NULL
    managed_pr: Raw = NULL


class SandboxInstructionsAttachment(Attachment, frozen=True, tag="sandbox_instructions"):
    """Rules of the sandbox."""

    content: Raw = NULL


class SessionContextAttachment(Attachment, frozen=True, tag="session_context"):
    """Context of the session."""

    context: Raw = NULL
    changed: Raw = NULL
    reason: Raw = NULL


class SessionCronCarryAttachment(Attachment, frozen=True, tag="session_cron_carry"):
    """Scheduled tasks carried over."""

    tasks: Raw = NULL
    ended: Raw = NULL


class ThreadStateAttachment(Attachment, frozen=True, tag="thread_state"):
    """The state of the thread."""


class WidgetContextHintAttachment(Attachment, frozen=True, tag="widget_context_hint"):
    """What widgets show."""

    views: Raw = NULL
    more_views: Raw = NULL


class WithheldMemoryAttachment(Attachment, frozen=True, tag="withheld_memory"):
    """Memory that was withheld."""

    entries: Raw = NULL
    by: Raw = NULL


class WorkflowKeywordRequestAttachment(Attachment, frozen=True, tag="workflow_keyword_request"):
    """A prompt requested a workflow."""

"""Attachments: what the client put beside the talk, by kind."""

from typing import get_args

import msgspec

from clew.entries.attachments.abilities import (
    AdvisorToolAttachment,
    AgentListingDeltaAttachment,
    CommandPermissionsAttachment,
    DeferredToolsDeltaAttachment,
    DeferredToolsRecordAttachment,
    DynamicSkillAttachment,
    InvokedSkillsAttachment,
    LinkedPluginToolsNoteAttachment,
    McpDroppedToolsDeltaAttachment,
    McpInstructionsDeltaAttachment,
    ReplMcpNeedsAuthAttachment,
    SkillListingAttachment,
    ToolHostResultLinesAttachment,
    ToolHostsCorrectionAttachment,
    ToolHostsNoticeAttachment,
    ToolResultsCutAttachment,
    ToolSearchUsageReminderAttachment,
    UnknownCommandFallbackAttachment,
)
from clew.entries.attachments.base import Attachment, OtherAttachment
from clew.entries.attachments.context import (
    AccountMemoryRecallAttachment,
    AdvisorStrippedAttachment,
    ArtifactOpeningPrefetchAttachment,
    AutoModeAttachment,
    AutoModeExitAttachment,
    CompanionIntroAttachment,
    ContextSectionsAttachment,
    CoordinatorContextAttachment,
    CoworkMemoryContextAttachment,
    CredentialOrgAttachment,
    DateAttachment,
    DateChangeAttachment,
    EnvironmentAttachment,
    ForkBriefingAttachment,
    InstructionsAttachment,
    LanguageAttachment,
    MemoryUpdateAttachment,
    ModelAttachment,
    OutputStyleAttachment,
    OutputStyleInstructionsAttachment,
    PollEventsAttachment,
    PrefixDeltaAttachment,
    ProactivityAttachment,
    ProjectsThreadAskAttachment,
    PromptRenderPointAttachment,
    PromptSnapshotAttachment,
    RelevantMemoriesAttachment,
    RemoteSessionChangeAttachment,
    SandboxInstructionsAttachment,
    SessionContextAttachment,
    SessionCronCarryAttachment,
    ThreadStateAttachment,
    WidgetContextHintAttachment,
    WithheldMemoryAttachment,
    WorkflowKeywordRequestAttachment,
)
from clew.entries.attachments.files import (
    AgentMentionAttachment,
    AlreadyReadFileAttachment,
    AtMentionReferenceAttachment,
    CompactFileReferenceAttachment,
    DiagnosticsAttachment,
    DirectoryAttachment,
    EditedImageFileAttachment,
    EditedTextFileAttachment,
    FileAttachment,
    InlinedImagePathsAttachment,
    InstructionFilesNotLoadedAttachment,
    McpResourceAttachment,
    MessagePdfReadsAttachment,
    NestedMemoryAttachment,
    OpenedFileInIdeAttachment,
    PdfReferenceAttachment,
    PeerMentionAttachment,
    ProjectDocReadsAttachment,
    SelectedLinesInDiffAttachment,
    SelectedLinesInIdeAttachment,
    SkillMentionAttachment,
    StructuredOutputAttachment,
    WorkflowSizeGuidelineChangeAttachment,
)
from clew.entries.attachments.hooks import (
    AsyncHookResponseAttachment,
    AsyncHookResponseBatchAttachment,
    HookAdditionalContextAttachment,
    HookBlockingErrorAttachment,
    HookCancelledAttachment,
    HookDeferredToolAttachment,
    HookErrorDuringExecutionAttachment,
    HookNonBlockingErrorAttachment,
    HookPermissionDecisionAttachment,
    HookPluginListingAttachment,
    HookStoppedContinuationAttachment,
    HookSuccessAttachment,
    HookSystemMessageAttachment,
)
from clew.entries.attachments.notices import (
    AttentionBudgetAttachment,
    BashOutputAudienceNoteAttachment,
    BatchingReminderAttachment,
    BatchingReminderSentAttachment,
    BudgetUsdAttachment,
    ClaudeAppNoticeAttachment,
    ContextEfficiencyAttachment,
    CriticalSystemReminderAttachment,
    DirSyncNoticeAttachment,
    ElapsedTimeReminderAttachment,
    MaxTurnsReachedAttachment,
    OutputLimitNoteAttachment,
    OutputTokenUsageAttachment,
    ReadTruncationNoticeAttachment,
    SecondaryReminderAttachment,
    SecondaryReminderSentAttachment,
    SilentTurnReminderAttachment,
    ThinkingDropAttachment,
    ThinkingStrippedAttachment,
    TokenUsageAttachment,
    TotalTokensReminderAttachment,
    UltraEffortEnterAttachment,
    UltraEffortExitAttachment,
    UltrathinkEffortAttachment,
)
from clew.entries.attachments.work import (
    GoalsAttachment,
    GoalStatusAttachment,
    PlanFileReferenceAttachment,
    PlanModeAttachment,
    PlanModeExitAttachment,
    PlanModeReentryAttachment,
    QueuedCommandAttachment,
    TaskReminderAttachment,
    TaskStatusAttachment,
    TeamContextAttachment,
    TeammateMailboxAttachment,
    TeammateShutdownBatchAttachment,
    TodoReminderAttachment,
)

AnyAttachment = (
    AccountMemoryRecallAttachment
    | AdvisorStrippedAttachment
    | AdvisorToolAttachment
    | AgentListingDeltaAttachment
    | AgentMentionAttachment
    | AlreadyReadFileAttachment
    | ArtifactOpeningPrefetchAttachment
    | AsyncHookResponseAttachment
    | AsyncHookResponseBatchAttachment
    | AtMentionReferenceAttachment
    | AttentionBudgetAttachment
    | AutoModeAttachment
    | AutoModeExitAttachment
    | BashOutputAudienceNoteAttachment
    | BatchingReminderAttachment
    | BatchingReminderSentAttachment
    | BudgetUsdAttachment
    | ClaudeAppNoticeAttachment
    | CommandPermissionsAttachment
    | CompactFileReferenceAttachment
    | CompanionIntroAttachment
    | ContextEfficiencyAttachment
    | ContextSectionsAttachment
    | CoordinatorContextAttachment
    | CoworkMemoryContextAttachment
    | CredentialOrgAttachment
    | CriticalSystemReminderAttachment
    | DateAttachment
    | DateChangeAttachment
    | DeferredToolsDeltaAttachment
    | DeferredToolsRecordAttachment
    | DiagnosticsAttachment
    | DirSyncNoticeAttachment
    | DirectoryAttachment
    | DynamicSkillAttachment
    | EditedImageFileAttachment
    | EditedTextFileAttachment
    | ElapsedTimeReminderAttachment
    | EnvironmentAttachment
    | FileAttachment
    | ForkBriefingAttachment
    | GoalStatusAttachment
    | GoalsAttachment
    | HookAdditionalContextAttachment
    | HookBlockingErrorAttachment
    | HookCancelledAttachment
    | HookDeferredToolAttachment
    | HookErrorDuringExecutionAttachment
    | HookNonBlockingErrorAttachment
    | HookPermissionDecisionAttachment
    | HookPluginListingAttachment
    | HookStoppedContinuationAttachment
    | HookSuccessAttachment
    | HookSystemMessageAttachment
    | InlinedImagePathsAttachment
    | InstructionFilesNotLoadedAttachment
    | InstructionsAttachment
    | InvokedSkillsAttachment
    | LanguageAttachment
    | LinkedPluginToolsNoteAttachment
    | MaxTurnsReachedAttachment
    | McpDroppedToolsDeltaAttachment
    | McpInstructionsDeltaAttachment
    | McpResourceAttachment
    | MemoryUpdateAttachment
    | MessagePdfReadsAttachment
    | ModelAttachment
    | NestedMemoryAttachment
    | OpenedFileInIdeAttachment
    | OutputLimitNoteAttachment
    | OutputStyleAttachment
    | OutputStyleInstructionsAttachment
    | OutputTokenUsageAttachment
    | PdfReferenceAttachment
    | PeerMentionAttachment
    | PlanFileReferenceAttachment
    | PlanModeAttachment
    | PlanModeExitAttachment
    | PlanModeReentryAttachment
    | PollEventsAttachment
    | PrefixDeltaAttachment
    | ProactivityAttachment
    | ProjectDocReadsAttachment
    | ProjectsThreadAskAttachment
    | PromptRenderPointAttachment
    | PromptSnapshotAttachment
    | QueuedCommandAttachment
    | ReadTruncationNoticeAttachment
    | RelevantMemoriesAttachment
    | RemoteSessionChangeAttachment
    | ReplMcpNeedsAuthAttachment
    | SandboxInstructionsAttachment
    | SecondaryReminderAttachment
    | SecondaryReminderSentAttachment
    | SelectedLinesInDiffAttachment
    | SelectedLinesInIdeAttachment
    | SessionContextAttachment
    | SessionCronCarryAttachment
    | SilentTurnReminderAttachment
    | SkillListingAttachment
    | SkillMentionAttachment
    | StructuredOutputAttachment
    | TaskReminderAttachment
    | TaskStatusAttachment
    | TeamContextAttachment
    | TeammateMailboxAttachment
    | TeammateShutdownBatchAttachment
    | ThinkingDropAttachment
    | ThinkingStrippedAttachment
    | ThreadStateAttachment
    | TodoReminderAttachment
    | TokenUsageAttachment
    | ToolHostResultLinesAttachment
    | ToolHostsCorrectionAttachment
    | ToolHostsNoticeAttachment
    | ToolResultsCutAttachment
    | ToolSearchUsageReminderAttachment
    | TotalTokensReminderAttachment
    | UltraEffortEnterAttachment
    | UltraEffortExitAttachment
    | UltrathinkEffortAttachment
    | UnknownCommandFallbackAttachment
    | WidgetContextHintAttachment
    | WithheldMemoryAttachment
    | WorkflowKeywordRequestAttachment
    | WorkflowSizeGuidelineChangeAttachment
    | OtherAttachment
)

ATTACHMENTS = {str(kind.__struct_config__.tag): kind for kind in get_args(AnyAttachment)}


def attachment_kind(attachment: Attachment) -> str:
    """Return the `attachment.type` as it is in the transcript."""
    if isinstance(attachment, OtherAttachment):
        return attachment.kind
    return str(attachment.__struct_config__.tag)


def attachment_text(attachment: Attachment) -> str:
    """Return the words of an attachment: the first field that contains any."""
    for name in _WORDS:
        value = _field(attachment, name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, tuple) and value and all(isinstance(item, str) for item in value):
            return "\n".join(value)
    if isinstance(attachment, HookBlockingErrorAttachment) and attachment.blocking_error:
        return attachment.blocking_error.blocking_error
    return ""


def _field(attachment: Attachment, name: str) -> object:
    if name not in attachment.__struct_fields__:
        return None
    return msgspec.structs.asdict(attachment)[name]


_WORDS = ("content", "text", "snippet", "plan_content", "stderr", "stdout", "prompt", "message")

__all__ = [
    "ATTACHMENTS",
    "AnyAttachment",
    "Attachment",
    "DiagnosticsAttachment",
    "EditedTextFileAttachment",
    "HookAdditionalContextAttachment",
    "HookBlockingErrorAttachment",
    "HookNonBlockingErrorAttachment",
    "HookSuccessAttachment",
    "OtherAttachment",
    "QueuedCommandAttachment",
    "attachment_kind",
    "attachment_text",
]

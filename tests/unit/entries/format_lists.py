"""The names of the format, as lists: a type, a colon, its fields.

A line that begins with a blank goes on from the one above. Some fields exist a second time in
snake case, in the client's stream and not in transcripts: those are not listed.
"""

from typing import Final

# Records by `type`, with the fields that the newest known client or an older one writes.
ROWS: Final = """
agent-color: agentColor sessionId
agent-name: agentName sessionId
agent-setting: agentSetting sessionId
ai-title: aiTitle sessionId
api-request: sessionId agentId id timestamp version querySource shapeHash params withheld base
  keep tail cacheControl requestDigest cut
api-request-blob: sessionId agentId hash message
api-request-shape: sessionId agentId shapeHash timestamp version shape
artifact-autoreact-ledger: v sessionId accountUuid artifacts
artifact-comment-monitor: v sessionId artifacts
assistant: agentId apiBlockIndex apiError apiErrorIsTransient apiErrorParams apiErrorStatus
  apiErrorType attributionAgent attributionMcpServer attributionMcpTool attributionSkill cwd
  effort entrypoint error errorDetails failedResponseHadNoToolCall forkedFrom gitBranch
  isAbortedMidStream isApiErrorMessage isSidechain madeBy message parentUuid perTurnEffort
  promptCacheRequested refusedMessageId refusingModel requestId requestRef requestedModel
  serverClassifierRequest sessionId session_id slug thinkingDisplay thinkingDurationMs timestamp
  toolInputStreamMs userType uuid version costUSD durationMs quotaLimits sessionKind
atis-latch: atis sessionId
attachment: attachment rendered renderedRole
attribution-snapshot:
bridge-session: sessionId bridgeSessionId lastSequenceNum declaredDialogKinds sessionGroupingId
  noHistoryBackfill ownerAccountUuid ownerOrganizationUuid
content-replacement: sessionId agentId replacements
continued-in: timestamp sessionId continuedInSessionId
cost-state: sessionId totalCostUSD totalAPIDuration totalAPIDurationWithoutRetries
  totalToolDuration totalLinesAdded totalLinesRemoved totalDuration startTime modelUsage
  hasUnknownModelCost modelCallCostUSD
custom-title: customTitle sessionId
data-flow-incomplete: v sessionId agentId
data-flow-records: v sessionId agentId records snapshot
derived-from: v sessionId sessions
dev-mods: folder sessionId
ended-by-model: timestamp sessionId
file-history-delta: messageId snapshotMessageId trackingPath backup timestamp
file-history-snapshot: messageId snapshot isSnapshotUpdate
fork-context-ref: agentId parentSessionId parentLastUuid contextLength
frame-link: artifactCount sessionId timestamp path frameUrl title
history-suppression: sessionId cause vetoedAgainstAccountUuid ts
isolation-latch: side sessionId
last-prompt: lastPrompt leafUuid sessionId explicit
launched: key agentId label phase
memory-mode: mode afterUuid timestamp reason account accountChoice sessionId
mode: mode sessionId
observer-ref: timestamp
permission-mode: permissionMode sessionId
pr-link: sessionId prNumber prUrl prRepository timestamp
progress: data toolUseID parentToolUseID
queue-operation: operation timestamp sessionId content reason commandUuid deliveryId
relocated: relocatedCwd sessionId
repl-mode: replMode typedEvents sessionId
result: key agentId result
resume-head-vouch: sessionId sum
session-owner: sessionId
started: key agentId
summary: summary leafUuid
system: content cwd entrypoint forkedFrom gitBranch isMeta isSidechain level logicalParentUuid
  parentUuid sessionId session_id slug timestamp toolUseID userType uuid version
tag: tag sessionId
tools-used: tools sessionId uuid
user: agentId cwd entrypoint forkedFrom gitBranch imagePasteIds interruptedMessageId
  isCompactSummary isMeta isSidechain isVisibleInTranscriptOnly mcpCallNotReadOnly mcpMeta message
  origin parentUuid permissionDecision permissionMode promptId promptSource queueSkipAttachments
  queueSkipSlashCommands refusedMessageId sandboxed sessionId session_id slug
  sourceToolAssistantUUID sourceToolUseID summarizedTurnPromptUuids timestamp toolDenialKind
  toolEndsTurn toolUseResult turnCompanion turnOrigin turnPosition userType uuid version
  thinkingMetadata todos planContent teamName agentName
worktree-state: worktreeSession sessionId
"""

# System rows by `subtype`, with the fields besides those of every row.
SYSTEM: Final = """
api_error: level error retryInMs retryAttempt maxRetries source timestamp uuid
informational: content level uuid session_id tag isMeta timestamp highlight launchedAgentId
  fromRemoteErrorResult toolUseID preventContinuation kind reason promptSubmitEnding
compact_boundary: content isMeta timestamp uuid level compactMetadata logicalParentUuid session_id
  remoteSourced
microcompact_boundary: content level isMeta timestamp uuid microcompactMetadata
local_command: content level timestamp uuid isMeta contextUsage usageReport commandRun
  commandOutcome isDisplayOnly submitUuid command plugin kind suggestion forkedFrom
permission_retry: content commands heardAtNextPrompt level isMeta timestamp uuid
stop_hook_summary: hookCount hookInfos hookErrors hookAdditionalContext preventedContinuation
  stopReason hasOutput level timestamp uuid toolUseID hookLabel totalDurationMs session_id
turn_duration: durationMs messageCount pendingBackgroundAgentCount pendingWorkflowCount timestamp
  uuid isMeta forkedFrom
memory_saved: writtenPaths timestamp uuid isMeta
account_memory_saved:
agents_killed: timestamp uuid isMeta
away_summary: content timestamp uuid isMeta
thinking:
file_snapshot: content level isMeta timestamp uuid snapshotFiles
bridge_status: content url isMeta timestamp uuid
cloud_session_status: content entry url level isMeta timestamp uuid
scheduled_task_fire: content isMeta timestamp uuid taskId cron prompt taskKind cronKind noOpStreak
  foldedUuids
read_divider:
model_fallback: content level trigger originalModel fallbackModel isMeta uuid timestamp
model_consent_fallback: content level choice originalModel originalModelName fallbackModel
  persistedAsDefault isMeta uuid timestamp
model_refusal_fallback: direction scope content level trigger originalModel fallbackModel
  requestId apiRefusalCategory apiRefusalExplanation apiRefusalCyberVerification isMeta timestamp
  uuid sawCyberRefusal retractedMessageUuids refusedUserMessageUuid provisional session_id
model_refusal_no_fallback: content level originalModel requestId apiRefusalCategory
  apiRefusalExplanation refusedUserMessageUuid isMeta uuid timestamp
placed: plugin id content persist timestamp uuid
rewind_stand_in: source_uuid content level timestamp uuid
start_folder: dev ino
voice_call_talk: level isMeta msgV content
"""

# Attachments by `attachment.type`.
ATTACHMENTS: Final = """
account_memory_recall:
advisor_stripped:
advisor_tool: available model toolChange byBase abbreviated
agent_listing_delta: addedTypes addedLines builtInTypes builtInPluginTypes removedTypes isInitial
  showConcurrencyNote
agent_mention: agentType
already_read_file: filename displayPath content
artifact_opening_prefetch: content kind
async_hook_response: processId hookName hookEvent toolName command response isPlainOutput stdout
  stderr exitCode
async_hook_response_batch: hooks
at_mention_reference: mentions unread arePdfsToReadPlainly fileSize totalLines ranges displayPath
  readAllOfIt
attention_budget:
auto_mode: autoModeConsentFlow finishExposedWork bashFirst bashFirstSteer steerOnly bypass
auto_mode_exit: bashFirst steerOnly finishExposedWork
bash_output_audience_note: toolUseID
batching_reminder: text
batching_reminder_sent:
budget_usd: used total remaining
claude_app_notice: lines app
command_permissions: allowedTools model
compact_file_reference: filename displayPath
companion_intro: name species
context_efficiency:
context_sections: sections
coordinator_context: content changed
cowork_memory_context: version content leg anchor toolsOnly
credential_org: organizationUuid
critical_system_reminder: content onlyAsSystemMessage connectorDownloadsUnchecked
date: date changed assumedUtc coerce
date_change: newDate
deferred_tools_delta: addedLines addedNames failedMcpServers needsAuthMcpServers pendingMcpServers
  readdedNames removedNames wireHiddenNames
deferred_tools_record: entries nameOnlyAnnouncements strippedReferences toolInputCopies
diagnostics: files isNew
dir_sync_notice: content
directory: path content displayPath query
dynamic_skill: skillDir skillNames displayPath
edited_image_file: filename content
edited_text_file: filename snippet rereadEntry
elapsed_time_reminder: text
environment: snapshot changes
file: filename content displayPath truncated overTokenLimit mayHoldDownload savedCopyFraming
fork_briefing: text
goal_status: met sentinel condition failed reason iterations durationMs tokens
goals:
hook_additional_context: content hookName toolUseID hookEvent accountMemoryBatch
hook_blocking_error: hookName toolUseID hookEvent blockingError
hook_cancelled: hookName toolUseID hookEvent command timedOut timeoutMs durationMs
hook_deferred_tool: toolUseID toolName toolInput hookName hookEvent permissionMode traceparent
hook_error_during_execution: content hookName toolUseID hookEvent command durationMs
hook_non_blocking_error: hookName toolUseID hookEvent stderr stdout exitCode command durationMs
hook_permission_decision: decision toolUseID hookEvent
hook_plugin_listing:
hook_stopped_continuation: message hookName toolUseID hookEvent accountMemoryBatch
hook_success: hookName toolUseID hookEvent content stdout stderr exitCode command durationMs
hook_system_message: content hookName toolUseID hookEvent heldForServedCall
inlined_image_paths: paths names
instruction_files_not_loaded:
instructions: reason files
invoked_skills: skills mcpSkillEntries
language: language
linked_plugin_tools_note: text prefixes
max_turns_reached: maxTurns turnCount
mcp_dropped_tools_delta:
mcp_instructions_delta: addedBlocks addedNames removedNames
mcp_resource: server uri name description content displayText
memory_update: source summary paths inContextPaths
message_pdf_reads: reads
model: identity text id display_name description
nested_memory: path content displayPath
opened_file_in_ide: filename
output_limit_note:
output_style: style turnReminder
output_style_instructions: style
output_token_usage:
pdf_reference: filename pageCount fileSize displayPath wholeRefusedByModel modelReadsByPage
  stillArriving
peer_mention: mention status candidates total
plan_file_reference: planFilePath planContent
plan_mode: reminderType isSubAgent planFilePath planExists customInstructions planGoesToExitTool
  planDocServer planDoc
plan_mode_exit: planExists planFilePath
plan_mode_reentry: planFilePath
poll_events: remainingWakeCount envelopes kinds toolsUsed media timestamp provenance declared
  userRoleGuard deliveredVia pollCall
prefix_delta: text
proactivity: status level tools
project_doc_reads: reads form midChat changed forNewHashes
projects_thread_ask: call after overOwnWork deliveredAt messageId
prompt_render_point: cause
prompt_snapshot: systemPrompt tools cliPrefix reminderFold echoWireToolInputs contextRendering
  inlineTools keptReminders systemTurns toolChangeHeader
queued_command: prompt source_uuid origin timestamp isMeta forwardedIntent lineage
  carriedByCompaction delivery_id imagePasteIds fileAttachments inlinedImagePaths
  inlinedImageNames imageFileUuids savedFiles widgetViews widgetViewsMore commandMode
  promptRewritten fromConnector typedByPerson runId usage taskDelivery verifiedSlackHumanTurn
  textNotTyped projectsUserTurn emailSenderTurn inputSource sendMessageToolAbsent hearthRelayRows
  hearthRelayThreadTs hearthRelayMessageIds humanTurn hostsOwnTurn besideToolResults
read_truncation_notice: banner toolUseID
relevant_memories: memories
remote_session_change: url commit pr sendUserFileHint managedCommit managedPr
repl_mcp_needs_auth: servers
sandbox_instructions: content
secondary_reminder: text
secondary_reminder_sent:
selected_lines_in_diff: lineCount content filePath mayHoldDownload
selected_lines_in_ide: ideName lineStart lineEnd filename content displayPath mayHoldDownload
session_context: context changed reason
session_cron_carry: tasks ended
silent_turn_reminder: text
skill_listing: content skillCount isInitial names digests addsToEarlier
skill_mention: skillName
structured_output: data toolUseID
task_reminder: content itemCount
task_status: taskId taskType description status deltaSummary outputFilePath canContinueAgent shell
team_context: agentId agentName teamName teamConfigPath taskListPath hasTaskListTools
teammate_mailbox:
teammate_shutdown_batch: count
thinking_drop: requestId model querySource requestedBehavior thinkingBlocksSent thinkingTurnsSent
  newlyDropped blockHashes firstReportForThreadInProcess clientChange
thinking_stripped: scope from
thread_state:
todo_reminder: content itemCount
token_usage: used total remaining
tool_host_result_lines: toolUseID host lines label unverified workingDir disposition
tool_hosts_correction: lines
tool_hosts_notice: lines
tool_results_cut: callIds standIn roughTokens
tool_search_usage_reminder: undiscoveredToolNames undiscoveredCount
total_tokens_reminder: text
ultra_effort_enter: reminderType
ultra_effort_exit:
ultrathink_effort:
unknown_command_fallback: commandName suggestion availableCommandNames availableCommandCount
  reservedName
widget_context_hint: views moreViews
withheld_memory: entries by
workflow_keyword_request:
workflow_size_guideline_change: size
"""

# Progress by `data.type`.
PROGRESS: Final = """
agent_api_retry: agentId agentType attempt errorCategory errorStatus maxRetries resolved
  retryDelayMs
agent_progress: message prompt agentId agentType isBuiltIn resolvedModel description
bash_progress: elapsedTimeSeconds fullOutput output taskId timeoutMs totalBytes totalLines
connector_file_progress:
hook_progress: command hookEvent hookName promptText statusMessage
mcp_progress: status serverName toolName elapsedTimeMs progress total progressMessage
powershell_progress: elapsedTimeSeconds fullOutput output taskId timeoutMs totalBytes totalLines
query_update: query
repl_tool_call: carriedMarkers declined delegatedToolNames error executed mcpContent
  nativeTimeoutMs notes permissionDecision phase result resultBeforeReadBack sandboxViolations
  sandboxed scriptHelper servedText shellProgress toolDenialKind toolInput toolName toolUseId
  userFeedback
search_results_received: query resultCount
skill_progress: message prompt agentId
tool_heartbeat: elapsedTimeSeconds toolName
waiting_for_task: taskDescription taskType
workflow_agent: agentId agentType attempt blocked cached error fallbackModel index isolation label
  lastAttemptReason lastProgressAt lastToolName lastToolSummary model phaseIndex phaseTitle
  promptFramed promptPreview queuedAt remoteSessionId resultPreview startedAt state tokens
  toolCalls
workflow_log: message
workflow_phase: index kind title
"""


def fields_by_name(text: str) -> dict[str, list[str]]:
    """Read one of the lists."""
    joined = text.strip().replace("\n  ", " ")
    pairs = [line.partition(":") for line in joined.splitlines()]
    return {name: fields.split() for name, _, fields in pairs}

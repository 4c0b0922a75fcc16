"""What each client version writes: which keys, where agent runs go, which model answers."""

from typing import Any, Final, Literal

import msgspec

NEWEST: Final = "2.1.325"

Row = dict[str, Any]

# Names by the first client that writes them, as far as known: keys of a row, `part.key` for keys
# further inside, and kinds of rows. Names that stand nowhere here belong to every client.
_FIRST: Final = {
    "1.0.17": "requestId",
    "1.0.53": "isCompactSummary isVisibleInTranscriptOnly",
    "1.0.55": "gitBranch",
    "1.0.100": "compact_boundary failure.container no_usage.service_tier no_usage.cache_creation"
    " agent_result.status agent_result.prompt",
    "1.0.128": "thinkingMetadata",
    "2.0.15": "local_command",
    "2.0.28": "agentId agent_result.agentId",
    "2.0.37": "queue-operation failure.error",
    "2.0.55": "slug todos failure.context_management",
    "2.1.1": "sourceToolAssistantUUID",
    "2.1.11": "progress",
    "2.1.15": "permissionMode",
    "2.1.76": "promptId meta",
    "2.1.81": "entrypoint usage.server_tool_use usage.iterations usage.speed bash.noOutputExpected",
    "2.1.92": "attachment imagePasteIds interruptedMessageId message.stop_details"
    " failure.stop_details origin agent_result.agentType no_usage.inference_geo"
    " no_usage.iterations no_usage.speed",
    "2.1.110": "compact.postTokens compact.durationMs",
    "2.1.111": "queued_command",
    "2.1.123": "attributionAgent meta.toolUseId",
    "2.1.158": "apiBlockIndex effort usage.output_tokens_details no_usage.output_tokens_details"
    " wrapped_peers",
    "2.1.176": "promptSource apiErrorStatus commandRun meta.spawnDepth",
    NEWEST: "apiErrorIsTransient apiErrorType failedResponseHadNoToolCall hookAdditionalContext"
    " madeBy perTurnEffort permissionDecision promptCacheRequested queueSkipAttachments"
    " rendered renderedRole requestRef requestedModel sandboxed source thinkingDisplay"
    " thinkingDurationMs toolDenialKind toolInputStreamMs turnCompanion turnOrigin turnPosition"
    " agent_result.canContinueAgent agent_result.resolvedModel"
    " compact.cumulativeDroppedTokens failure.diagnostics meta.finished meta.isBuiltIn"
    " meta.parentAgentId meta.pickedEffortModel meta.requestNonInteractive meta.requestShape"
    " queue.commandUuid queue.content queue.deliveryId queue.reason queued.delivery_id"
    " queued.humanTurn queued.origin queued.source_uuid queued.timestamp"
    " no_usage.fallback_credit usage.fallback_credit",
}
_LAST: Final = {"progress": "2.1.81", "thinkingMetadata": "2.1.45", "todos": "2.1.62"}
_MODELS: Final = {
    "1.0.0": "claude-sonnet-4-20250514",
    "2.0.0": "claude-sonnet-4-5-20250929",
    "2.1.0": "claude-sonnet-4-6",
    "2.1.100": "claude-opus-4-7",
    "2.1.200": "claude-opus-5-5",
}


class Client(msgspec.Struct, frozen=True):
    """One version of the client, asked what it would write."""

    version: str = NEWEST

    def is_at_least(self, version: str) -> bool:
        """Compare with another version."""
        return _numbers(self.version) >= _numbers(version)

    def writes(self, name: str) -> bool:
        """Tell whether this version knows a key or a kind of row."""
        if name in _LAST and not Client(_LAST[name]).is_at_least(self.version):
            return False
        return self.is_at_least(_SINCE.get(name, "0"))

    def keep(self, values: Row, part: str = "") -> Row:
        """Drop the keys that this version does not write; `part` says where they stand."""
        prefix = f"{part}." if part else ""
        return {key: value for key, value in values.items() if self.writes(prefix + key)}

    @property
    def model(self) -> str:
        """Name the model of its day."""
        return next(_MODELS[first] for first in reversed(_MODELS) if self.is_at_least(first))

    @property
    def agent_tool(self) -> str:
        """Name the tool that starts agent runs."""
        return "Agent" if self.is_at_least("2.1.63") else "Task"

    @property
    def agent_layout(self) -> Literal["inline", "flat", "nested"]:
        """Tell where agent runs are written: among the session's rows, beside or below it."""
        if self.is_at_least("2.1.2"):
            return "nested"
        return "flat" if self.is_at_least("2.0.28") else "inline"

    @property
    def agent_id_digits(self) -> int:
        """Count the digits of an agent run's id."""
        return 16 if self.is_at_least("2.1.50") else 6

    @property
    def has_place_last(self) -> bool:
        """Tell whether cwd, session and version stand at a row's end, not at its start."""
        return self.writes("entrypoint")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


_SINCE: Final = {name: first for first, names in _FIRST.items() for name in names.split()}

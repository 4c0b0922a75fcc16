"""One fragment of a model's message."""

from typing import Literal

import msgspec

from clew.entries.blocks import AnyBlock
from clew.entries.row import NULL, Row, Whole
from clew.entries.usage import Usage


class CacheMissReason(msgspec.Struct, frozen=True, gc=False):
    """Why the prompt cache did not help."""

    type: str = ""
    cache_missed_input_tokens: Whole | None = None


class Diagnostics(msgspec.Struct, frozen=True, gc=False):
    """What the provider says about a call."""

    cache_miss_reason: CacheMissReason | None = None


class AssistantMessage(msgspec.Struct, frozen=True, gc=False):
    """The share of a model's message that one line contains, mostly one block."""

    model: str = ""
    id: str = ""
    type: str = ""
    role: str = ""
    content: str | list[AnyBlock] = ""
    stop_reason: str | None = None
    stop_sequence: str | None = None
    usage: Usage | None = None
    stop_details: msgspec.Raw = NULL
    container: msgspec.Raw = NULL
    context_management: msgspec.Raw = NULL
    diagnostics: Diagnostics | None = None


class Assistant(Row, frozen=True, kw_only=True):
    """An assistant row: one fragment, with what the client noted about its call."""

    type: Literal["assistant"]
    message: AssistantMessage
    request_id: str | None = ""
    request_ref: str = ""
    api_block_index: Whole | None = None
    requested_model: str = ""
    effort: str | None = ""
    per_turn_effort: str | None = None
    made_by: str = ""
    prompt_cache_requested: str | None = ""
    is_api_error_message: bool | None = None
    is_aborted_mid_stream: bool = False
    error: str | None = None
    error_details: str | None = None
    api_error: str | None = None
    api_error_params: msgspec.Raw = NULL
    api_error_status: Whole | None = None
    api_error_type: str | None = None
    api_error_is_transient: bool | None = None
    failed_response_had_no_tool_call: bool | None = None
    quota_limits: msgspec.Raw = NULL
    refused_message_id: str = ""
    refusing_model: str = ""
    server_classifier_request: str = ""
    attribution_agent: str | None = ""
    attribution_skill: str | None = ""
    attribution_mcp_server: str = ""
    attribution_mcp_tool: str = ""
    tool_input_stream_ms: float | None = None
    thinking_duration_ms: float | None = None
    thinking_display: str = ""
    is_meta: bool = False
    cost_usd: float | None = msgspec.field(default=None, name="costUSD")
    duration_ms: float | None = None
    # Of the flat dialect, and only where it says what no block does.
    subtype: str | None = None

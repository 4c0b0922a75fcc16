"""Token counts of one model call, as a fragment states them."""

import msgspec

from clew.entries.row import NULL, Whole


class CacheCreation(msgspec.Struct, frozen=True, gc=False):
    """Tokens written to the cache, by how long they last."""

    ephemeral_5m_input_tokens: Whole | None = 0
    ephemeral_1h_input_tokens: Whole | None = 0


class ServerToolUse(msgspec.Struct, frozen=True, gc=False):
    """Calls of tools that ran at the model's provider."""

    web_search_requests: Whole | None = 0
    web_fetch_requests: Whole | None = 0


class OutputTokensDetails(msgspec.Struct, frozen=True, gc=False):
    """Of the output tokens, how many were thinking."""

    thinking_tokens: Whole | None = 0


class Iteration(msgspec.Struct, frozen=True, gc=False):
    """One pass of a model call that took several, such as an advisor's on another model."""

    type: str = ""
    model: str = ""
    input_tokens: Whole | None = 0
    output_tokens: Whole | None = 0
    cache_creation_input_tokens: Whole | None = 0
    cache_read_input_tokens: Whole | None = 0
    cache_creation: CacheCreation | None = None


class Usage(msgspec.Struct, frozen=True, gc=False):
    """A snapshot of what a model call used so far; it grows from fragment to fragment."""

    input_tokens: Whole | None = 0
    cache_creation_input_tokens: Whole | None = 0
    cache_read_input_tokens: Whole | None = 0
    cache_creation: CacheCreation | None = None
    output_tokens: Whole | None = 0
    service_tier: str | None = None
    inference_geo: str | None = None
    server_tool_use: ServerToolUse | None = None
    speed: str | None = None
    iterations: list[Iteration] | None = None
    output_tokens_details: OutputTokensDetails | None = None
    fallback_credit: msgspec.Raw = NULL

"""Token counts of one model call, as the client writes them."""

from typing import Any

import msgspec

from tests.build.clients import Client, Row


class Usage(msgspec.Struct, frozen=True):
    """What one model call took in and gave out, in tokens."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    web_searches: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Sum two usages."""
        mine, theirs = msgspec.structs.astuple(self), msgspec.structs.astuple(other)
        return Usage(*(left + right for left, right in zip(mine, theirs, strict=True)))

    @property
    def total(self) -> int:
        """Count all tokens."""
        return self.input + self.output + self.cache_read + self.cache_write

    @property
    def cache_write(self) -> int:
        """Count what went into either cache."""
        return self.cache_write_5m + self.cache_write_1h


def usage_json(usage: Usage, client: Client) -> Row:
    """Write usage as it stands in a message."""
    values = {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.output,
        "output_tokens_details": {"thinking_tokens": 0},
        "server_tool_use": {
            "web_search_requests": usage.web_searches,
            "web_fetch_requests": 0,
        },
        "service_tier": "standard",
        "cache_creation": {
            "ephemeral_1h_input_tokens": usage.cache_write_1h,
            "ephemeral_5m_input_tokens": usage.cache_write_5m,
        },
        "inference_geo": "not_available",
        "iterations": [],
        "speed": "standard",
        "fallback_credit": None,
    }
    return client.keep(values, "usage")


def no_usage_json(client: Client) -> Row:
    """Write the usage of an answer that no model gave."""
    values = {
        "output_tokens_details": None,
        "input_tokens": 0,
        "output_tokens": 0,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
        "service_tier": None,
        "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
        "inference_geo": None,
        "iterations": None,
        "speed": None,
        "fallback_credit": None,
    }
    return client.keep(values, "no_usage")


def model_usage_json(usage: Usage, cost_usd: float) -> Row:
    """Write usage as it stands in a `cost-state` row."""
    return {
        "inputTokens": usage.input,
        "outputTokens": usage.output,
        "thinkingTokens": 0,
        "cacheReadInputTokens": usage.cache_read,
        "cacheCreationInputTokens": usage.cache_write,
        "cacheCreationEphemeral5mInputTokens": usage.cache_write_5m,
        "cacheCreationEphemeral1hInputTokens": usage.cache_write_1h,
        "webSearchRequests": usage.web_searches,
        "costUSD": cost_usd,
    }


def tokens_of(value: Any) -> int:
    """Guess how many tokens something takes: about four characters each."""
    return len(str(value)) // 4 + 1

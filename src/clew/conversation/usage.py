"""Token counts: of one model call, and of many."""

from collections.abc import Iterable

import msgspec

from clew.conversation.model import ModelUsage
from clew.entries import Iteration, Usage

_RANK = {"inherited": 0, "exact": 1, "lower_bound": 2}


def largest(snapshots: Iterable[Usage]) -> Usage | None:
    """Give the largest snapshot: earlier ones repeat a count that was still growing."""
    return max(snapshots, key=_size, default=None)


def to_model_usage(usage: Usage, quality: str) -> ModelUsage:
    """Give a snapshot in our own shape, with cache writes parted by how long they last."""
    written = usage.cache_creation_input_tokens or 0
    split = usage.cache_creation
    short = (split.ephemeral_5m_input_tokens or 0) if split else 0
    long = (split.ephemeral_1h_input_tokens or 0) if split else 0
    server = usage.server_tool_use
    return ModelUsage(
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        cache_read_tokens=usage.cache_read_input_tokens or 0,
        cache_write_5m_tokens=short,
        cache_write_1h_tokens=long,
        cache_write_unsplit_tokens=max(0, written - short - long),
        web_searches=(server.web_search_requests or 0) if server else 0,
        web_fetches=(server.web_fetch_requests or 0) if server else 0,
        service_tier=usage.service_tier,
        inference_geo=usage.inference_geo,
        speed=usage.speed,
        iterations=tuple(usage.iterations or ()),
        quality=quality,
    )


def add_up(usages: Iterable[ModelUsage]) -> ModelUsage:
    """Sum what is not inherited; the sum is as good as its worst part."""
    own = [usage for usage in usages if usage.quality != "inherited"]
    if not own:
        return ModelUsage()
    quality = max({usage.quality for usage in own}, key=_RANK.__getitem__)
    sums = map(sum, zip(*map(_counts, own), strict=True))
    names = ModelUsage.__struct_fields__
    return msgspec.convert({**dict(zip(names, sums, strict=False)), "quality": quality}, ModelUsage)


def total_tokens(usage: ModelUsage) -> int:
    """Count all tokens, read or written."""
    return sum(_counts(usage)[:6])


def _counts(usage: ModelUsage) -> tuple[int, ...]:
    return (
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_5m_tokens,
        usage.cache_write_1h_tokens,
        usage.cache_write_unsplit_tokens,
        usage.web_searches,
        usage.web_fetches,
    )


def _size(usage: Usage | Iteration) -> tuple[int, int]:
    output = usage.output_tokens or 0
    rest = (usage.input_tokens or 0) + (usage.cache_read_input_tokens or 0)
    return output, rest + (usage.cache_creation_input_tokens or 0)

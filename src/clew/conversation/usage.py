"""Token counts: of one model call, and of many."""

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import Final, TypeVar

import msgspec

from clew.conversation.model import Message, ToolCall
from clew.conversation.model_usage import (
    COUNT_LIMITS,
    MAX_TOKENS,
    MAX_WEB_REQUESTS,
    ModelUsage,
    is_inherited,
    make_quality,
    sum_quality,
)
from clew.entries import NO_LINKS, Assistant, Iteration, ResultLinks, Usage

_ADVISOR: Final = "advisor"

_Counts = TypeVar("_Counts", bound=msgspec.Struct)

NOT_COUNTED: Final = ModelUsage(quality=make_quality(is_lower_bound=True))
"""What is used where nothing is known but that something was."""


def merge_snapshots(one: Usage, other: Usage) -> Usage:
    """Join two snapshots of one answer: the larger of each count.

    Mostly the earlier one repeats a count that was still growing. Some clients state the input on
    the first fragment and the output on the last. What is no count is that of the larger snapshot.
    """
    if one == other:
        return one
    more, less = (other, one) if _size(other) > _size(one) else (one, other)
    return Usage(
        input_tokens=_most(one.input_tokens, other.input_tokens),
        cache_creation_input_tokens=_most(
            one.cache_creation_input_tokens, other.cache_creation_input_tokens
        ),
        cache_read_input_tokens=_most(one.cache_read_input_tokens, other.cache_read_input_tokens),
        cache_creation=_merge_counts(more.cache_creation, less.cache_creation),
        output_tokens=_most(one.output_tokens, other.output_tokens),
        service_tier=less.service_tier if more.service_tier is None else more.service_tier,
        inference_geo=less.inference_geo if more.inference_geo is None else more.inference_geo,
        server_tool_use=_merge_counts(more.server_tool_use, less.server_tool_use),
        speed=less.speed if more.speed is None else more.speed,
        iterations=more.iterations or less.iterations,
        output_tokens_details=_merge_counts(more.output_tokens_details, less.output_tokens_details),
        fallback_credit=more.fallback_credit,
    )


def to_model_usage(usage: Usage, quality: str) -> ModelUsage:
    """Return a snapshot in our own shape, with cache writes split by how long they last."""
    server = usage.server_tool_use
    return _without_corrupt(
        ModelUsage(
            *_tokens(usage),
            web_searches=(server.web_search_requests or 0) if server else 0,
            web_fetches=(server.web_fetch_requests or 0) if server else 0,
            service_tier=usage.service_tier,
            inference_geo=usage.inference_geo,
            speed=usage.speed,
            iterations=tuple(usage.iterations or ()),
            quality=quality,
        )
    )


def usage_of_fragments(bodies: Iterable[Assistant], quality: str) -> ModelUsage | None:
    """Join the snapshots that the fragments of an answer state; None where none does."""
    stated = [body.message.usage for body in bodies if body.message.usage]
    return to_model_usage(reduce(merge_snapshots, stated), quality) if stated else None


def larger_count(own: ModelUsage, copy: ModelUsage) -> ModelUsage:
    """Return the count of an answer, of which a copy elsewhere may contain the larger one."""
    if is_inherited(own.quality) or copy.output_tokens <= own.output_tokens:
        return own
    is_whole = not copy.is_corrupt and "exact" in (own.quality, copy.quality)
    quality = make_quality(is_lower_bound=not is_whole)
    return msgspec.structs.replace(copy, iterations=own.iterations, quality=quality)


def advisor_usages(usage: ModelUsage) -> list[tuple[str, ModelUsage]]:
    """Return an advisor's passes, each with its model: they are outside the answer's own count."""
    return [
        (step.model, _advisor_usage(step, usage))
        for step in usage.iterations
        if step.type.startswith(_ADVISOR)
    ]


def count_searches(
    messages: Iterable[Message], calls: Iterable[ToolCall], links: Mapping[str, ResultLinks]
) -> None:
    """Count web searches that the client made itself: only their results state them."""
    found: dict[str, int] = {}
    for call in calls:
        count = links.get(call.id, NO_LINKS).search_count
        if count:
            found[call.message_id] = found.get(call.message_id, 0) + count
    if found:
        for message in messages:
            if message.usage is not None and message.id in found:
                message.usage = with_searches(message.usage, found[message.id])


def with_searches(usage: ModelUsage, count: int) -> ModelUsage:
    """Return a usage with so many web searches, if it does not have more of its own."""
    if count <= usage.web_searches:
        return usage
    return _without_corrupt(msgspec.structs.replace(usage, web_searches=count))


def add_up(usages: Iterable[ModelUsage]) -> ModelUsage:
    """Sum what is not inherited; the sum is as good as its worst part."""
    given = list(usages)
    quality = sum_quality(usage.quality for usage in given)
    own = [usage for usage in given if not is_inherited(usage.quality)]
    if not own:
        return ModelUsage(quality=quality)
    advised = [usage for usage in own if usage.iterations]
    calls = [*own, *(call for usage in advised for _, call in advisor_usages(usage))]
    sums = map(sum, zip(*map(usage_counts, calls), strict=True))
    names = ModelUsage.__struct_fields__
    return msgspec.convert({**dict(zip(names, sums, strict=False)), "quality": quality}, ModelUsage)


def usages_of(messages: Iterable[Message], *, is_complete: bool = True) -> Iterator[ModelUsage]:
    """Return what messages used; where some of what was used is missing, a sum of it says so."""
    for message in messages:
        if message.usage is not None:
            yield message.usage
    if not is_complete:
        yield NOT_COUNTED


def total_tokens(usage: ModelUsage) -> int:
    """Count all tokens, read or written."""
    return sum(usage_counts(usage)[:6])


def usage_counts(usage: ModelUsage) -> tuple[int, ...]:
    """Return all counts of a usage, in the order of `COUNT_LIMITS`."""
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


def _advisor_usage(step: Iteration, main: ModelUsage) -> ModelUsage:
    return _without_corrupt(
        ModelUsage(
            *_tokens(step),
            service_tier=main.service_tier,
            inference_geo=main.inference_geo,
            quality=main.quality,
        )
    )


def _tokens(usage: Usage | Iteration) -> tuple[int, int, int, int, int, int]:
    """Return the tokens in the order of our own fields."""
    written = usage.cache_creation_input_tokens or 0
    split = usage.cache_creation
    short = (split.ephemeral_5m_input_tokens or 0) if split else 0
    long = (split.ephemeral_1h_input_tokens or 0) if split else 0
    return (
        usage.input_tokens or 0,
        usage.output_tokens or 0,
        usage.cache_read_input_tokens or 0,
        short,
        long,
        max(0, written - short - long),
    )


def _without_corrupt(usage: ModelUsage) -> ModelUsage:
    """Leave counts out that no call can have, which makes the rest a lower bound."""
    counts = usage_counts(usage)
    # Almost no count is corrupt, and this runs for every answer.
    if min(counts) >= 0 and max(counts) <= MAX_TOKENS and max(counts[-2:]) <= MAX_WEB_REQUESTS:
        return usage
    limits = zip(COUNT_LIMITS.items(), counts, strict=True)
    wrong = {name: 0 for (name, most), count in limits if not 0 <= count <= most}
    quality = make_quality(is_inherited=is_inherited(usage.quality), is_lower_bound=True)
    return msgspec.structs.replace(usage, **wrong, quality=quality, is_corrupt=True)


def _most(one: int | None, other: int | None) -> int:
    return max(one or 0, other or 0)


def _merge_counts(one: _Counts | None, other: _Counts | None) -> _Counts | None:
    """Join structs of nothing but counts."""
    if one is None or other is None or one == other:
        return one or other
    names = one.__struct_fields__
    return type(one)(*(_most(getattr(one, name), getattr(other, name)) for name in names))


def _size(usage: Usage) -> tuple[int, int]:
    output = usage.output_tokens or 0
    rest = (usage.input_tokens or 0) + (usage.cache_read_input_tokens or 0)
    return output, rest + (usage.cache_creation_input_tokens or 0)

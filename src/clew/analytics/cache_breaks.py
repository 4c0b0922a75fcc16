"""Cache breaks: requests that paid again for what the prompt cache had a moment before.

A break is a request that reads less than 90 % of what the last one of its agent run read from the
cache, and pays at least half of the difference again, or one of which the API itself says so. What
a compaction removed is not paid again, so the first request after one is no break.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

import msgspec

from clew.analytics.models import is_synthetic
from clew.analytics.pricer import Pricer
from clew.analytics.request_heads import NO_HEAD, RequestHead
from clew.clock import milliseconds
from clew.conversation import CacheMiss, Conversation, Message, ModelUsage

_KEPT: Final = 0.9
_PAID: Final = 0.5
_MINUTE: Final = 60_000
_HOUR: Final = 60 * _MINUTE
_LONGEST_NAME: Final = 40
UNEXPLAINED: Final = "unexplained"
_UNAVAILABLE: Final = "unavailable"

CAUSES: Final = {
    "pause_5m": "Pause over 5 minutes",
    "pause_1h": "Pause over an hour",
    "model_changed": "Model changed",
    "tools_changed": "Tools changed",
    "system_changed": "System text changed",
    "parameters_changed": "Parameters changed",
    "messages_changed": "Messages changed",
    "previous_message_not_found": "Previous message not found",
    _UNAVAILABLE: "Unexplained: the API gives no reason",
    UNEXPLAINED: "Unexplained",
}
"""What a break comes from, and what to call it."""


class CacheBreak(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A request that paid for tokens again.

    `source` is `api` where the API states the cause, `inferred` where it follows from what
    changed, and empty where nothing explains it. Of the `tokens` that were paid again, so many
    were input and writes to the cache, for 5 minutes or an hour.
    """

    message_id: str
    agent_run_id: str | None = None
    turn: int | None = None
    at: str = ""
    model: str = ""
    cause: str = UNEXPLAINED
    source: str = ""
    pause_ms: int | None = None
    tokens: int = 0
    input_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0


class _Request(msgspec.Struct, frozen=True):
    """A model call, with what is known of its request, and when that was sent."""

    message: Message
    usage: ModelUsage
    head: RequestHead
    sent_ms: int | None


def find_cache_breaks(
    conversation: Conversation, heads: Mapping[str, RequestHead]
) -> Iterator[CacheBreak]:
    """Return the cache breaks of a session and its agent runs, run by run, in order of time."""
    for requests in _requests(conversation, heads).values():
        for last, request in pairwise(requests):
            # After a compaction, and after going back to before one, the messages are others.
            if request.message.epoch == last.message.epoch:
                found = _compare(last, request)
                if found is not None:
                    yield found


def cost_of_break(found: CacheBreak, usage: ModelUsage, pricer: Pricer) -> int | None:
    """Return what a break cost in nano-dollars: what would have been saved by reading the cache.

    None if the model has no price.
    """
    short = min(found.cache_write_5m_tokens, usage.cache_write_5m_tokens)
    unbroken = msgspec.structs.replace(
        usage,
        input_tokens=usage.input_tokens - found.input_tokens,
        cache_write_5m_tokens=usage.cache_write_5m_tokens - short,
        cache_write_unsplit_tokens=usage.cache_write_unsplit_tokens
        - (found.cache_write_5m_tokens - short),
        cache_write_1h_tokens=usage.cache_write_1h_tokens - found.cache_write_1h_tokens,
        cache_read_tokens=usage.cache_read_tokens + found.tokens,
    )
    paid, _ = pricer.price(usage, found.model, found.at)
    least, _ = pricer.price(unbroken, found.model, found.at)
    return None if paid is None or least is None else max(paid - least, 0)


def describe_cause(cause: str) -> str:
    """Return what to call a cause; one that a later API states is called as it is."""
    return CAUSES.get(cause) or cause.replace("_", " ").capitalize()


def context_tokens(usage: ModelUsage) -> int:
    """Return how many tokens a request had: all of its input, from the cache or not."""
    return usage.input_tokens + usage.cache_read_tokens + _written(usage)


def _requests(
    conversation: Conversation, heads: Mapping[str, RequestHead]
) -> dict[str | None, list[_Request]]:
    """Return the requests of each agent run, in the order in which they were answered."""
    runs: dict[str | None, list[_Request]] = {}
    before: dict[str | None, str] = {}
    for message in conversation.messages:
        run = message.agent_run_id
        usage = message.usage
        if usage is None or message.model is None or is_synthetic(message.model):
            before[run] = max(before.get(run, ""), message.ended_at)
            continue
        head = heads.get(message.id, NO_HEAD)
        sent = head.at or min(before.get(run) or message.started_at, message.started_at)
        runs.setdefault(run, []).append(_Request(message, usage, head, milliseconds(sent)))
        before[run] = message.started_at
    for requests in runs.values():
        requests.sort(key=lambda request: request.message.started_at)
    return runs


def _compare(last: _Request, request: _Request) -> CacheBreak | None:
    """Return what a request paid again, if it is a break."""
    usage, miss = request.usage, request.message.cache_miss
    paid = usage.input_tokens + _written(usage)
    lost = last.usage.cache_read_tokens - usage.cache_read_tokens
    is_break = (
        usage.cache_read_tokens < _KEPT * last.usage.cache_read_tokens and paid >= _PAID * lost
    )
    if miss is not None:
        known = context_tokens(last.usage) - usage.cache_read_tokens
        lost = known if miss.missed_tokens is None else miss.missed_tokens
    elif not is_break:
        return None
    tokens = min(lost, paid)
    return _make_break(last, request, tokens) if tokens > 0 else None


def _make_break(last: _Request, request: _Request, tokens: int) -> CacheBreak:
    message, usage = request.message, request.usage
    cause, source = _explain(last, request)
    short = min(tokens, usage.cache_write_5m_tokens + usage.cache_write_unsplit_tokens)
    long = min(tokens - short, usage.cache_write_1h_tokens)
    return CacheBreak(
        message_id=message.id,
        agent_run_id=message.agent_run_id,
        turn=message.turn,
        at=message.started_at,
        model=message.model or "",
        cause=cause,
        source=source,
        pause_ms=_pause(last, request),
        tokens=tokens,
        input_tokens=tokens - short - long,
        cache_write_5m_tokens=short,
        cache_write_1h_tokens=long,
    )


def _explain(last: _Request, request: _Request) -> tuple[str, str]:
    """Return the cause of a break, and who says so.

    What the API states comes first, then what cannot be cached, then what may have expired.
    """
    miss = request.message.cache_miss
    stated = _stated(miss)
    if stated:
        return stated, "api"
    cause = _changed(last, request) or _expired(_pause(last, request))
    if cause:
        return cause, "inferred"
    return (_UNAVAILABLE, "api") if miss is not None else (UNEXPLAINED, "")


def _stated(miss: CacheMiss | None) -> str:
    """Return the cause that the API states, if it knows one."""
    if miss is None or miss.reason == _UNAVAILABLE:
        return ""
    is_name = miss.reason.isidentifier() and miss.reason.isascii()
    return miss.reason if is_name and len(miss.reason) <= _LONGEST_NAME else ""


def _changed(last: _Request, request: _Request) -> str:
    if last.message.model != request.message.model:
        return "model_changed"
    before, now = last.head, request.head
    if _differ(before.tools, now.tools):
        return "tools_changed"
    if _differ(before.system, now.system):
        return "system_changed"
    if _differ(before.params, now.params) or _differ(before.effort, now.effort):
        return "parameters_changed"
    return ""


def _differ(before: object, now: object) -> bool:
    return before is not None and now is not None and before != now


def _expired(pause_ms: int | None) -> str:
    if pause_ms is None or pause_ms <= 5 * _MINUTE:
        return ""
    return "pause_1h" if pause_ms > _HOUR else "pause_5m"


def _pause(last: _Request, request: _Request) -> int | None:
    """Return how long the cache was not used: from one request to the next."""
    if last.sent_ms is None or request.sent_ms is None:
        return None
    return max(request.sent_ms - last.sent_ms, 0)


def _written(usage: ModelUsage) -> int:
    short = usage.cache_write_5m_tokens + usage.cache_write_unsplit_tokens
    return short + usage.cache_write_1h_tokens

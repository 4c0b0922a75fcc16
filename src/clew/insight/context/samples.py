"""Samples: what filled the context at each request of a session and its agent runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from clew.analytics import (
    ContextSample,
    Pricer,
    context_tokens,
    is_synthetic,
    stated_windows,
    window_of,
)
from clew.conversation import Conversation, Message, ModelUsage, ToolCall
from clew.insight.context.estimate import Count, Fit, errors, fit
from clew.insight.context.measure import NAMES, NOTHING, Vector, add, measure_message
from clew.insight.context.measured_requests import MeasuredRequests

_SYSTEM: Final = NAMES.index("system")


class PlacedMessage(msgspec.Struct, frozen=True):
    """A message, what it adds to the context, and the number of the first sample that has it."""

    message: Message
    characters: Vector
    sample: int


class SampledRun(msgspec.Struct, frozen=True):
    """The requests of a session's main thread or of one agent run.

    `per_character` is, of each sample, the tokens that a character of its messages counts for.
    """

    samples: list[ContextSample]
    per_character: list[float]
    placed: list[PlacedMessage]
    errors: list[float]


class _SampledCall(msgspec.Struct, frozen=True):
    message: Message
    usage: ModelUsage
    characters: Vector


def sample_runs(
    conversation: Conversation, requests: MeasuredRequests, pricer: Pricer
) -> Iterator[SampledRun]:
    """Return the samples of the main thread first, then of the agent runs."""
    calls = {call.id: call for call in conversation.tool_calls}
    stated = stated_windows(conversation.cost_state)
    for messages in _threads(conversation):
        run = _follow(messages, calls)
        if run[0]:
            yield _sample(*run, requests, stated, pricer)


def _threads(conversation: Conversation) -> Iterator[list[Message]]:
    by_id = {message.id: message for message in conversation.messages}
    main = next((thread for thread in conversation.threads if thread.is_main), None)
    for ids in (
        () if main is None else main.message_ids,
        *(run.message_ids for run in conversation.agent_runs),
    ):
        yield [by_id[name] for name in ids if name in by_id]


def _follow(
    messages: Iterable[Message], calls: Mapping[str, ToolCall]
) -> tuple[list[_SampledCall], list[PlacedMessage]]:
    """Add up messages in their order; a compaction begins anew."""
    found: list[_SampledCall] = []
    placed: list[PlacedMessage] = []
    sums, epoch = NOTHING, 0
    for message in messages:
        if message.epoch != epoch:
            sums, epoch = NOTHING, message.epoch
        usage, model = message.usage, message.model
        if usage is not None and model is not None and not is_synthetic(model):
            found.append(_SampledCall(message, usage, sums))
        own = measure_message(message, calls)
        if own is not NOTHING:
            sums = add(sums, own)
            placed.append(PlacedMessage(message, own, len(found)))
    return found, placed


def _sample(
    calls: Sequence[_SampledCall],
    placed: list[PlacedMessage],
    requests: MeasuredRequests,
    stated: dict[str, int],
    pricer: Pricer,
) -> SampledRun:
    counts = [
        Count(sum(call.characters), context_tokens(call.usage), call.message.epoch)
        for call in calls
    ]
    fitted = fit(counts)
    largest = max(count.tokens for count in counts)
    samples, ratios = [], []
    for call, count in zip(calls, counts, strict=True):
        measured = requests.measure(call.message.id)
        shares = _shares(call, count, fitted) if measured is None else measured
        tokens = share_out(count.tokens, shares)
        made = _make_sample(call, tokens, window_of(call.message.model or "", stated, largest))
        cost = _input_cost(call, pricer)
        is_estimated = measured is None
        samples.append(msgspec.structs.replace(made, is_estimated=is_estimated, cost_nano_usd=cost))
        weight = sum(shares)
        per_character = 1.0 if measured is not None else 1 / fitted.per_token
        ratios.append(count.tokens / weight * per_character if weight else 0.0)
    return SampledRun(samples, ratios, placed, errors(counts, fitted))


def _make_sample(call: _SampledCall, tokens: list[int], window: tuple[int, bool]) -> ContextSample:
    message = call.message
    return ContextSample(
        message_id=message.id,
        agent_run_id=message.agent_run_id,
        turn=message.turn,
        epoch=message.epoch,
        at=message.started_at,
        model=message.model or "",
        tokens=dict(zip(NAMES, tokens, strict=True)),
        total=sum(tokens),
        window=window[0],
        is_window_known=window[1],
        is_estimated=True,
        cost_nano_usd=None,
    )


def _shares(call: _SampledCall, count: Count, fitted: Fit) -> list[float]:
    """Estimate the tokens of each part; what no row has counts as system text."""
    found = [characters / fitted.per_token for characters in call.characters]
    found[_SYSTEM] += min(fitted.base, count.tokens)
    return found


def share_out(total: int, shares: Sequence[float]) -> list[int]:
    """Share tokens out in proportion; the sum of the parts is exactly the total."""
    weight = sum(shares)
    if weight <= 0:
        return [total if number == _SYSTEM else 0 for number in range(len(shares))]
    exact = [total * share / weight for share in shares]
    parts = [int(one) for one in exact]
    left = total - sum(parts)
    for number in sorted(range(len(parts)), key=lambda n: parts[n] - exact[n])[:left]:
        parts[number] += 1
    return parts


def _input_cost(call: _SampledCall, pricer: Pricer) -> int | None:
    """Return what a request cost without its answer."""
    unanswered = msgspec.structs.replace(call.usage, output_tokens=0, web_searches=0)
    cost, _ = pricer.price(unanswered, call.message.model or "", call.message.started_at)
    return cost

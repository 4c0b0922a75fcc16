"""The context of a session: samples, what each part cost, cache breaks and compactions."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from statistics import median
from typing import Final

import msgspec

from clew.analytics import (
    PARTS,
    CacheBreak,
    CompactionLoss,
    ContextItem,
    ContextSample,
    PartCost,
    Pricer,
    cost_of_break,
    find_cache_breaks,
    find_compaction_losses,
    request_heads,
)
from clew.conversation import Block, Conversation, Material, ToolCall
from clew.insight.context.measure import part_of_result
from clew.insight.context.measured_requests import MeasuredRequests
from clew.insight.context.requests import RequestLog
from clew.insight.context.samples import PlacedMessage, SampledRun, sample_runs
from clew.tools import ReadInput, call_label, decode_input, tool_title

_MOST_ITEMS: Final = 20
_LEAST_CHARACTERS: Final = 400
_LONGEST_LABEL: Final = 120


class PricedBreak(msgspec.Struct, frozen=True):
    """A cache break and what it cost in nano-dollars, if its model has a price."""

    found: CacheBreak
    cost_nano_usd: int | None


class ContextReport(msgspec.Struct, frozen=True, kw_only=True):
    """All about the context of a session.

    `main` are the samples of the main thread, `runs` those of agent runs. `items` are the largest
    things in the context of the main thread. `estimate_errors` are the differences between
    tokens as estimated from characters and as the API counted them, before estimates are scaled.
    """

    session_id: str
    title: str
    main: list[ContextSample]
    runs: dict[str, list[ContextSample]]
    parts: list[PartCost]
    items: list[ContextItem]
    breaks: list[PricedBreak]
    compactions: list[CompactionLoss]
    log: RequestLog
    estimate_errors: list[float]
    has_shapes: bool

    @property
    def estimate_error(self) -> float | None:
        """The median of the differences; None if nothing is estimated."""
        return median(self.estimate_errors) if self.estimate_errors else None

    @property
    def samples(self) -> Iterator[ContextSample]:
        """All samples, those of the main thread first."""
        yield from self.main
        for samples in self.runs.values():
            yield from samples


def make_context(conversation: Conversation, material: Material) -> ContextReport:
    """Find out what filled the context of a session, and what that cost."""
    pricer, log = Pricer(), RequestLog(material)
    requests = MeasuredRequests(log, conversation.tool_calls)
    sampled = list(sample_runs(conversation, requests, pricer))
    main = next((run for run in sampled if run.samples[0].agent_run_id is None), None)
    samples = [sample for run in sampled for sample in run.samples]
    is_estimated = any(sample.is_estimated for sample in samples)
    differences = [error for run in sampled for error in run.errors]
    return ContextReport(
        session_id=conversation.session.id,
        title=conversation.session.title,
        main=[] if main is None else main.samples,
        runs={run.samples[0].agent_run_id or "": run.samples for run in sampled if run is not main},
        parts=part_costs(samples),
        items=[] if main is None else _largest(main, conversation),
        breaks=list(_priced_breaks(conversation, material, pricer)),
        compactions=find_compaction_losses(conversation),
        log=log,
        estimate_errors=differences if is_estimated else [],
        has_shapes=bool(log.shapes),
    )


def _priced_breaks(
    conversation: Conversation, material: Material, pricer: Pricer
) -> Iterator[PricedBreak]:
    usages = {message.id: message.usage for message in conversation.messages}
    for found in find_cache_breaks(conversation, request_heads(material)):
        usage = usages[found.message_id]
        cost = None if usage is None else cost_of_break(found, usage, pricer)
        yield PricedBreak(found, cost)


def part_costs(samples: Sequence[ContextSample]) -> list[PartCost]:
    """Share the cost of each request out among its parts; tokens are those of all requests."""
    found = []
    for part in PARTS:
        tokens = sum(sample.tokens[part] for sample in samples)
        cost = sum(
            (sample.cost_nano_usd or 0) * sample.tokens[part] // sample.total
            for sample in samples
            if sample.total
        )
        found.append(PartCost(part, tokens, cost))
    return found


def _largest(run: SampledRun, conversation: Conversation) -> list[ContextItem]:
    """Return what cost most to have in the context, request after request."""
    ends = _epoch_ends(run.samples)
    costs = _cost_sums(run)
    calls = {call.id: call for call in conversation.tool_calls}
    later = _last_reads(run.placed, calls)
    found = [
        item
        for placed in run.placed
        if placed.sample < len(run.samples)
        and run.samples[placed.sample].epoch == placed.message.epoch
        for item in _items(placed, run, ends[placed.sample], costs, calls, later)
    ]
    return sorted(found, key=lambda item: (-item.cost_nano_usd, -item.tokens))[:_MOST_ITEMS]


def _epoch_ends(samples: Sequence[ContextSample]) -> list[int]:
    """Return, of each sample, the number of the first one after its epoch."""
    ends, end = [0] * len(samples), len(samples)
    for number in range(len(samples) - 1, -1, -1):
        if number + 1 < len(samples) and samples[number].epoch != samples[number + 1].epoch:
            end = number + 1
        ends[number] = end
    return ends


def _cost_sums(run: SampledRun) -> list[float]:
    """Return what a character cost in all samples before each one."""
    costs = (
        (sample.cost_nano_usd or 0) / sample.total * ratio if sample.total else 0.0
        for sample, ratio in zip(run.samples, run.per_character, strict=True)
    )
    return list(accumulate(costs, initial=0.0))


def _items(
    placed: PlacedMessage,
    run: SampledRun,
    end: int,
    costs: Sequence[float],
    calls: dict[str, ToolCall],
    later: dict[tuple[int, str], str],
) -> Iterator[ContextItem]:
    message = placed.message
    for label, part, call, size in _pieces(placed, calls):
        if size < _LEAST_CHARACTERS:
            continue
        path = "" if call is None else _path(call)
        last = later.get((message.epoch, path)) if path else None
        yield ContextItem(
            label=label[:_LONGEST_LABEL],
            part=part,
            message_id=message.id if call is None else call.message_id,
            tool_call_id=None if call is None else call.id,
            turn=message.turn,
            tokens=round(size * run.per_character[placed.sample]),
            requests=end - placed.sample,
            cost_nano_usd=round(size * (costs[end] - costs[placed.sample])),
            read_again=call is not None and last is not None and last != call.id,
        )


def _pieces(
    placed: PlacedMessage, calls: dict[str, ToolCall]
) -> Iterator[tuple[str, str, ToolCall | None, int]]:
    """Return the results of a message one by one, or all that it says."""
    message = placed.message
    results = [block for block in message.blocks if block.kind == "tool_result"]
    for block in results:
        call = calls.get(block.tool_call_id or "")
        if call is not None:
            yield _call_name(call), part_of_result(call.tool), call, len(block.text)
    if not results:
        sizes = dict(zip(PARTS, placed.characters, strict=True))
        part = max(sizes, key=sizes.__getitem__)
        yield _first_line(message.text) or _first_text(message.blocks), part, None, sizes[part]


def _call_name(call: ToolCall) -> str:
    subject = call_label(call.tool, decode_input(call.tool, bytes(call.input)))
    return f"{tool_title(call.tool)} {subject}".strip()


def _first_text(blocks: Iterable[Block]) -> str:
    return next((line for block in blocks if (line := _first_line(block.text))), "")


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _last_reads(
    placed: Iterable[PlacedMessage], calls: dict[str, ToolCall]
) -> dict[tuple[int, str], str]:
    """Return the last call that read a whole file, by epoch and path."""
    found: dict[tuple[int, str], str] = {}
    for one in placed:
        for block in one.message.blocks:
            call = calls.get(block.tool_call_id or "")
            if block.kind == "tool_result" and call is not None and (path := _path(call)):
                found[one.message.epoch, path] = call.id
    return found


def _path(call: ToolCall) -> str:
    """Return the file that a call read all of."""
    if part_of_result(call.tool) != "files" or call.status != "done":
        return ""
    arguments = decode_input(call.tool, bytes(call.input))
    is_whole = isinstance(arguments, ReadInput) and not arguments.offset and not arguments.limit
    return arguments.file_path if isinstance(arguments, ReadInput) and is_whole else ""

"""One session's cost, explained: every dollar led back to its calls, prices, rules and lines."""

import datetime as dt
from typing import Final

import msgspec

from clew.analytics.compare import Comparison, compare
from clew.analytics.costs import quality_of_cost
from clew.analytics.facts import ModelCall, agent_name, missing_transcripts, model_calls
from clew.analytics.pricer import tokens_of
from clew.analytics.prices import Cost, CostLine, cost_of, price_table
from clew.analytics.sums import CallSum, counts, missing_sum
from clew.analytics.usage import PriceTableNote, UsageRow, summarise
from clew.clock import parse_time
from clew.conversation import Conversation, Location, is_inherited, is_lower_bound

_NANO: Final = 1_000_000_000
_CORRUPT: Final = "an impossible token count is ignored"


class Step(msgspec.Struct, frozen=True):
    """A count times a unit price times a multiplier, which is a ratio."""

    what: str
    count: int
    unit_price_usd: float
    multiplier: tuple[int, int]
    cost_usd: float


class PriceUsed(msgspec.Struct, frozen=True):
    """Which row of the price table was taken."""

    model: str
    since: dt.date
    source: str


class ExplainedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One model call: what it used, how that was priced, and on which lines it is.

    `rules` are the band and the multipliers that were applied, `flags` say where the figure rests
    on an assumption. An inherited call has no part in the totals: another session made it.
    """

    message_id: str
    number: int
    kind: str
    agent: str
    at: str
    model: str
    quality: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_5m_tokens: int
    cache_write_1h_tokens: int
    web_searches: int
    web_fetches: int
    steps: list[Step]
    price: PriceUsed | None
    rules: list[str]
    flags: list[str]
    cost_usd: float | None
    lines: tuple[Location, ...]


class Explanation(msgspec.Struct, kw_only=True):
    """The answer to `clew usage --explain`: calls, their sums by model, the comparison."""

    schema: str = "clew.explanation/1"
    session_id: str
    title: str
    project: str
    calls: list[ExplainedCall]
    models: list[UsageRow]
    totals: UsageRow
    unpriced_models: list[str]
    client: Comparison | None
    price_table: PriceTableNote
    notes: list[str]


class _Facts(msgspec.Struct, frozen=True):
    """What is looked up of a session for each of its calls."""

    agents: dict[str, str]
    lines: dict[str, tuple[Location, ...]]


def explain(conversation: Conversation) -> Explanation:
    """Lead the cost of a session back to its calls."""
    session = conversation.session
    facts = _Facts(
        {run.id: agent_name(run) for run in conversation.agent_runs},
        {message.id: message.lines for message in conversation.messages},
    )
    calls = sorted(model_calls(conversation), key=lambda call: (call.at, call.message_id))
    costs = [_cost(call) for call in calls]
    pairs = list(zip(calls, costs, strict=True))
    own = [(call, cost) for call, cost in pairs if not is_inherited(call.usage.quality)]
    sums = [_sum(call, cost, session.id) for call, cost in own]
    missing = [
        missing_sum(found.at, session.id, found.agent)
        for found in missing_transcripts(conversation)
    ]
    report = summarise([*sums, *missing], "model", dt.UTC)
    return Explanation(
        session_id=session.id,
        title=session.title,
        project=session.project,
        calls=[_explain(call, cost, facts) for call, cost in pairs],
        models=report.rows,
        totals=report.totals,
        unpriced_models=report.unpriced_models,
        client=compare(conversation, [(call, _nano(cost)) for call, cost in pairs]),
        price_table=report.price_table,
        notes=report.notes,
    )


def _cost(call: ModelCall) -> Cost | None:
    moment = parse_time(call.at)
    day = price_table().date if moment is None else moment.date()
    return cost_of(tokens_of(call.usage), call.model, day)


def _nano(cost: Cost | None) -> int | None:
    return None if cost is None else cost.nano_dollars


def _sum(call: ModelCall, cost: Cost | None, session_id: str) -> CallSum:
    return CallSum(
        at=call.at,
        model=call.model,
        session_id=session_id,
        project="",
        branch="",
        agent="",
        calls=1,
        unpriced_calls=int(cost is None),
        lower_bound_calls=int(is_lower_bound(call.usage.quality) and not call.usage.is_corrupt),
        partial_calls=int(cost is not None and cost.is_lower_bound),
        corrupt_calls=int(call.usage.is_corrupt),
        **counts(call.usage),
        cost_nano_usd=_nano(cost) or 0,
    )


def _explain(call: ModelCall, cost: Cost | None, facts: _Facts) -> ExplainedCall:
    return ExplainedCall(
        message_id=call.message_id,
        number=call.number,
        kind=call.kind,
        agent=facts.agents.get(call.agent_run_id or "", ""),
        at=call.at,
        model=call.model,
        quality=_quality(call, cost),
        **counts(call.usage),
        steps=[] if cost is None else [_step(line) for line in cost.lines],
        price=_price(cost),
        rules=[] if cost is None else [note.text for note in cost.rules],
        flags=_flags(call, cost),
        cost_usd=None if cost is None else cost.nano_dollars / _NANO,
        lines=facts.lines.get(call.message_id, ()),
    )


def _quality(call: ModelCall, cost: Cost | None) -> str:
    return quality_of_cost(call.usage.quality, is_more=cost is None or cost.is_lower_bound)


def _flags(call: ModelCall, cost: Cost | None) -> list[str]:
    corrupt = [_CORRUPT] if call.usage.is_corrupt else []
    return corrupt if cost is None else [*corrupt, *(note.text for note in cost.flags)]


def _step(line: CostLine) -> Step:
    unit, nano = line.unit_price / _NANO, line.nano_dollars / _NANO
    return Step(line.what, line.count, unit, line.multiplier, nano)


def _price(cost: Cost | None) -> PriceUsed | None:
    if cost is None:
        return None
    return PriceUsed(cost.price.model, cost.price.since, cost.price.source)

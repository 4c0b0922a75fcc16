"""A session's cost beside the client's own totals, with the known reasons why they differ."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from clew.analytics.models import normalise
from clew.conversation import is_inherited, is_lower_bound

if TYPE_CHECKING:
    from clew.analytics.facts import ModelCall
    from clew.conversation import Conversation
    from clew.entries import ModelCost

_NANO: Final = 1_000_000_000
_MICRO: Final = 1_000
_MOST_USD: Final = 1e9
ReasonKind: TypeAlias = Literal[
    "inherited", "compaction", "interrupted", "lower_bound", "unrecorded", "unfinished"
]
# What a count is compared by, in the order of the fields of `Counts`; money is in nano-dollars.
_Tally: TypeAlias = tuple[int, int, int, int, int, int, int]
_NOTHING: Final[_Tally] = (0, 0, 0, 0, 0, 0, 0)


class Counts(msgspec.Struct, frozen=True):
    """Tokens and cost, or by how much two of them differ."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_5m_tokens: int
    cache_write_1h_tokens: int
    web_searches: int
    cost_usd: float


class ModelComparison(msgspec.Struct, frozen=True):
    """One model's counts: ours, the client's, and by how much the client's are larger."""

    model: str
    ours: Counts
    client: Counts
    difference: Counts


class Reason(msgspec.Struct, frozen=True):
    """Why the two may differ."""

    kind: ReasonKind
    text: str


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Our total, the client's, and what is known about the difference between them."""

    ours_usd: float
    client_usd: float
    difference_usd: float
    is_equal: bool
    models: list[ModelComparison]
    reasons: list[Reason]


def is_equal_cost(nano_dollars: int, client_usd: float) -> bool:
    """Return whether a cost is the client's own, to the micro-dollar."""
    return abs(nano_dollars - _to_nano(client_usd)) <= _MICRO


def compare(
    conversation: "Conversation", calls: Iterable[tuple["ModelCall", int | None]]
) -> Comparison | None:
    """Compare calls, given with their costs, with the client's totals, if it wrote any."""
    state = conversation.cost_state
    if state is None:
        return None
    ours: dict[str, _Tally] = {}
    for call, nano in calls:
        if not is_inherited(call.usage.quality):
            _add(ours, call.model, _tally_call(call, nano or 0))
    theirs: dict[str, _Tally] = {}
    for model, cost in state.model_usage.items():
        _add(theirs, model, _tally_client(cost))
    own = sum(tally[-1] for tally in ours.values())
    apart = _to_nano(state.total_cost_usd) - own
    is_equal = is_equal_cost(own, state.total_cost_usd)
    return Comparison(
        ours_usd=own / _NANO,
        client_usd=(own + apart) / _NANO,
        difference_usd=apart / _NANO,
        is_equal=is_equal,
        models=[_compare_model(name, ours, theirs) for name in sorted({*ours, *theirs})],
        reasons=[] if is_equal else _reasons(conversation, is_client_more=apart > 0),
    )


def _to_nano(usd: float) -> int:
    # A total may be any number that was written down; one beyond all money would not fit.
    return round(max(-_MOST_USD, min(usd, _MOST_USD)) * _NANO)


def _add(sums: dict[str, _Tally], model: str, more: _Tally) -> None:
    name = normalise(model)
    known = sums.get(name, _NOTHING)
    sums[name] = _combine(known, more, 1)


def _combine(one: _Tally, other: _Tally, sign: int) -> _Tally:
    a, b, c, d, e, f, g = (x + sign * y for x, y in zip(one, other, strict=True))
    return a, b, c, d, e, f, g


def _tally_call(call: "ModelCall", nano: int) -> _Tally:
    usage = call.usage
    return (
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_5m_tokens + usage.cache_write_unsplit_tokens,
        usage.cache_write_1h_tokens,
        usage.web_searches,
        nano,
    )


def _tally_client(cost: "ModelCost") -> _Tally:
    return (
        cost.input_tokens,
        cost.output_tokens,
        cost.cache_read_input_tokens,
        # Without a breakdown, all cache writes count as five-minute ones.
        max(cost.cache_creation_5m, cost.cache_creation_input_tokens - cost.cache_creation_1h),
        cost.cache_creation_1h,
        cost.web_search_requests,
        _to_nano(cost.cost_usd),
    )


def _compare_model(
    name: str, ours: dict[str, _Tally], theirs: dict[str, _Tally]
) -> ModelComparison:
    own, client = ours.get(name, _NOTHING), theirs.get(name, _NOTHING)
    return ModelComparison(name, _counts(own), _counts(client), _counts(_combine(client, own, -1)))


def _counts(tally: _Tally) -> Counts:
    fresh, output, read, short, long, searches, nano = tally
    return Counts(fresh, output, read, short, long, searches, nano / _NANO)


def _reasons(conversation: "Conversation", *, is_client_more: bool) -> list[Reason]:
    """Name those of the known reasons that this session shows, else the usual one."""
    usages = [message.usage for message in conversation.messages if message.usage]
    has_inherited = any(is_inherited(usage.quality) for usage in usages)
    is_cut = any(m.is_aborted or m.kind == "interrupt" for m in conversation.messages)
    found: list[Reason] = []
    if has_inherited or conversation.session.lineage.forked_from:
        found.append(Reason("inherited", "A fork's totals begin with those of its parent."))
    if is_client_more and len(conversation.epochs) > 1:
        text = "Calls made by compactions, and rows they removed, are in no transcript."
        found.append(Reason("compaction", text))
    if is_cut:
        found.append(Reason("interrupted", "The client does not count interrupted calls."))
    if is_client_more and any(is_lower_bound(usage.quality) for usage in usages):
        text = "Some answers were recorded before they ended: our total is a lower bound."
        found.append(Reason("lower_bound", text))
    if found:
        return found
    if is_client_more:
        text = "Some calls are in no transcript: titles, recaps, side questions, failed attempts."
        return [Reason("unrecorded", text)]
    return [Reason("unfinished", "The client exited before it wrote its last totals.")]

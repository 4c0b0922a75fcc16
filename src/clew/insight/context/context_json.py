"""The context of a session as JSON: what `clew context --json` and the API give."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from clew.analytics import PARTS, CompactionLoss, ContextItem, ContextSample, describe_cause
from clew.insight.context.report import ContextReport, PricedBreak
from clew.insight.context.requests import RebuiltRequest

CONTEXT_SCHEMA: Final = "clew.context/1"
_NANO: Final = 1_000_000_000
_REST: Final = b'"rest":null'


def context_json(report: ContextReport, turn: int | None = None) -> dict[str, Any]:
    """Return the context as JSON without its requests, of all turns or of one."""
    samples = [sample for sample in report.samples if turn in (None, sample.turn)]
    breaks = [one for one in report.breaks if turn in (None, one.found.turn)]
    return {
        "schema": CONTEXT_SCHEMA,
        "session_id": report.session_id,
        "title": report.title,
        "parts": [
            {"part": each.part, "tokens": each.tokens, "cost_usd": dollars(each.cost_nano_usd)}
            for each in report.parts
        ],
        "estimate_error": report.estimate_error,
        "has_requests": bool(report.log.requests),
        "samples": list(map(_sample, samples)),
        "breaks": list(map(_break, breaks)),
        "compactions": [
            _compaction(loss) for loss in report.compactions if turn in (None, loss.turn)
        ],
        "largest": [_item(item) for item in report.items if turn in (None, item.turn)],
    }


def stream_context(
    report: ContextReport, turn: int | None, *, with_requests: bool
) -> Iterator[bytes]:
    """Write the context piece by piece: together, requests may be much larger than the session."""
    whole = context_json(report, turn)
    if not with_requests:
        yield msgspec.json.encode(whole) + b"\n"
        return
    whole["shapes"] = report.log.shapes
    head = msgspec.json.encode({**whole, "rest": None})
    yield head.removesuffix(_REST + b"}") + b'"requests":['
    for number, request in enumerate(report.log.rebuild(wanted_answers(report, turn))):
        yield (b"," if number else b"") + request_json(request)
    yield b"]}\n"


def wanted_answers(report: ContextReport, turn: int | None) -> Callable[[str | None], bool]:
    """Return what says whether an answer belongs to a turn; without a turn, all do."""
    if turn is None:
        return lambda _: True
    answers = {sample.message_id for sample in report.samples if sample.turn == turn}
    return lambda message_id: message_id in answers


def request_json(request: RebuiltRequest) -> bytes:
    """Write one request."""
    return msgspec.json.encode(
        {
            "id": request.id,
            "message_id": request.message_id,
            "agent_run_id": request.agent_run_id,
            "at": request.at,
            "source": request.source,
            "params": request.params,
            "shape_hash": request.shape_hash,
            "messages": request.messages,
            "proved": request.proved,
            "missing": request.missing,
            "is_cut": request.is_cut,
        }
    )


def dollars(nano: int | None) -> float | None:
    """Return nano-dollars as dollars."""
    return None if nano is None else nano / _NANO


def _sample(sample: ContextSample) -> dict[str, Any]:
    return {
        "turn": sample.turn,
        "message_id": sample.message_id,
        "agent_run_id": sample.agent_run_id,
        "epoch": sample.epoch,
        "at": sample.at,
        "model": sample.model,
        "tokens": sample.tokens,
        "total": sample.total,
        "window": sample.window,
        "is_window_known": sample.is_window_known,
        "is_estimated": sample.is_estimated,
        "cost_usd": dollars(sample.cost_nano_usd),
    }


def _break(one: PricedBreak) -> dict[str, Any]:
    found = one.found
    return {
        "turn": found.turn,
        "message_id": found.message_id,
        "agent_run_id": found.agent_run_id,
        "at": found.at,
        "model": found.model,
        "cause": found.cause,
        "label": describe_cause(found.cause),
        "source": found.source,
        "pause_ms": found.pause_ms,
        "tokens": found.tokens,
        "cost_usd": dollars(one.cost_nano_usd),
    }


def _compaction(loss: CompactionLoss) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(loss)
    return found


def _item(item: ContextItem) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(item)
    found["cost_usd"] = dollars(found.pop("cost_nano_usd"))
    return found


def part_names(report: ContextReport) -> dict[str, str]:
    """Return what to call the parts: without request rows, two of them cannot be told apart."""
    names = dict(PARTS)
    if not report.has_shapes:
        names["system"] = "System text and tools"
        del names["tools"]
    return names


def shown_parts(samples: Iterable[ContextSample], names: dict[str, str]) -> dict[str, str]:
    """Return the parts that are there at all."""
    used = {part for sample in samples for part, count in sample.tokens.items() if count}
    return {part: name for part, name in names.items() if part in used}

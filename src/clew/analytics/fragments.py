"""Fragments of answers → one counted call for each answer, its snapshots joined."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.analytics.facts import model_calls
from clew.analytics.models import is_synthetic
from clew.analytics.pricer import Pricer
from clew.analytics.sums import CountedCall
from clew.analytics.usage_fields import BAD, AnswerFields, decode_search_result
from clew.clock import normal_time
from clew.conversation import (
    Conversation,
    Message,
    ModelUsage,
    Session,
    merge_snapshots,
    to_model_usage,
    with_searches,
)
from clew.entries import Usage

MAIN: Final = ""
INLINE: Final = "(inline)"

_USUAL_STEP: Final = "message"


class _OpenAnswer(msgspec.Struct, gc=False):
    """The fragments of one answer so far."""

    at: str
    model: str
    run: str
    usage: Usage
    is_ended: bool


class RunReport(msgspec.Struct, frozen=True, gc=False):
    """What a result says of the run that its call started: which it is, and the answer's time."""

    run: str
    message_id: str
    at: str


class Fragments:
    """The answers of one transcript, as their fragments come; `run` is whose transcript it is.

    Facts beside counts are those of the first row that states them.
    """

    def __init__(self, run: str) -> None:
        self.run = run
        self.session_id = ""
        self.agent = ""
        self._calls: dict[str, _OpenAnswer] = {}
        self._names: dict[str, str] = {}
        self._searches: dict[str, int] = {}
        self._reports: dict[str, str] = {}

    def add(self, row: AnswerFields, run: str | None = None, time: str = "") -> None:
        """Count a fragment: of all that an answer has, the largest of each count is right."""
        message = row.message
        usage, name = message.usage, message.id or row.uuid
        # Of rows with one uuid the first is the message, others are variants of it.
        if row.uuid and self._names.setdefault(row.uuid, name) != name:
            return
        if usage is None:
            return
        at = normal_time(time or row.timestamp)
        known = self._calls.get(name)
        if known is None:
            self._add_first(row, usage, run, at)
            return
        known.usage = merge_snapshots(known.usage, usage)
        if message.stop_reason:
            known.is_ended = True
        if at < known.at and at:
            known.at = at

    def add_search(self, raw: bytes) -> None:
        """Add the searches that the client made itself: only their results state them."""
        try:
            result = decode_search_result(raw)
        except BAD:
            return
        caller = result.source_row or result.parent_uuid or ""
        self._searches[caller] = self._searches.get(caller, 0) + result.tool_use_result.search_count

    def add_report(self, run: str, caller: str) -> None:
        """Add the run that a result reports, and the row of the answer that called it."""
        self._reports.setdefault(run, caller)

    def reports(self) -> list[RunReport]:
        """Return the runs that results report; of an answer that is not known, no time."""
        names = {run: self._names.get(row, "") for run, row in self._reports.items()}
        calls = {run: self._calls.get(name) for run, name in names.items()}
        return [RunReport(run, names[run], call.at if call else "") for run, call in calls.items()]

    def price(self, pricer: Pricer) -> list[CountedCall]:
        """Return the calls with their costs; some answers take several calls."""
        searches: dict[str, int] = {}
        for row, count in self._searches.items():
            name = self._names.get(row, "")
            searches[name] = searches.get(name, 0) + count
        found: list[CountedCall] = []
        for name, call in self._calls.items():
            usage = with_searches(to_model_usage(call.usage, "exact"), searches.get(name, 0))
            if any(step.type != _USUAL_STEP for step in usage.iterations):
                found.extend(_steps(name, call, usage, pricer))
            else:
                found.append(_snapshot(name, call, call.model, usage, pricer))
        return found

    def _add_first(self, row: AnswerFields, usage: Usage, run: str | None, at: str) -> None:
        message, name = row.message, row.message.id or row.uuid
        self.session_id = self.session_id or row.session_id
        self.agent = self.agent or row.attribution_agent or ""
        # What the client wrote itself took no call, and a call without a model counts nowhere.
        if not name or not message.model or is_synthetic(message.model):
            return
        if run is None:
            run = self.run or (row.agent_id or INLINE if row.is_sidechain else MAIN)
        self._calls[name] = _OpenAnswer(at, message.model, run, usage, bool(message.stop_reason))


def _steps(
    name: str, call: _OpenAnswer, usage: ModelUsage, pricer: Pricer
) -> Iterator[CountedCall]:
    """Return the calls of an answer that took several passes, perhaps on other models."""
    answer = Message(
        id=name, kind="answer", role="assistant", model=call.model, usage=usage, started_at=call.at
    )
    for fact in model_calls(Conversation(session=Session(id=""), messages=(answer,))):
        own = name if fact.number == 0 else f"{name}#{fact.number}"
        yield _snapshot(own, call, fact.model, fact.usage, pricer)


def _snapshot(
    name: str, call: _OpenAnswer, model: str, usage: ModelUsage, pricer: Pricer
) -> CountedCall:
    cost, is_partial = pricer.price(usage, model, call.at)
    return CountedCall(
        name,
        call.at,
        model,
        call.run,
        call.is_ended,
        usage.is_corrupt,
        is_partial,
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_5m_tokens + usage.cache_write_unsplit_tokens,
        usage.cache_write_1h_tokens,
        usage.web_searches,
        usage.web_fetches,
        cost,
    )

"""Tool calls that people decided about or waited for them, and calls that went wrong."""

from collections.abc import Iterable, Iterator

import msgspec

from clew.analytics import FilterSet
from clew.store.filters import filter_parameters
from clew.store.protocols import Database


class DecisionCount(msgspec.Struct, frozen=True):
    """How many calls somebody decided about in one way; `is_recorded` by the client itself.

    Without `decided_by`, the transcript does not say who let these calls run.
    """

    decided_by: str
    answer: str
    is_recorded: bool
    calls: int


class DecidedCall(msgspec.Struct, frozen=True):
    """A call that waited for a person, or was refused; `subject` is what it is about."""

    id: str
    session_id: str
    project: str
    tool: str
    label: str
    status: str
    started_at: str | None
    subject: str
    decided_by: str
    answer: str
    waiting_ms: int | None
    waiting_quality: str | None


class FailedCall(msgspec.Struct, frozen=True):
    """A call that failed or was refused, the answer that made it, and the next answer after it.

    Calls of one tool with equal input have the same `input_digest`; refused calls have none.
    """

    id: str
    session_id: str
    title: str
    project: str
    tool: str
    label: str
    status: str
    started_at: str | None
    error_text: str
    subject: str
    input_digest: str
    decided_by: str
    answer_id: str
    next_id: str


def count_decisions(database: Database, filters: FilterSet) -> list[DecisionCount]:
    """Count calls by who decided about them, and how."""
    rows = database.rows("count_decisions", _parameters(database, filters))
    return [DecisionCount(by, answer, bool(own), calls) for by, answer, own, calls in rows]


def list_decided_calls(database: Database, filters: FilterSet) -> Iterator[DecidedCall]:
    """List the calls that waited for a person or were refused, the earliest first."""
    for row in database.rows("list_decided_calls", _parameters(database, filters)):
        yield DecidedCall(*row)


def list_failed_calls(database: Database, filters: FilterSet) -> Iterator[FailedCall]:
    """List the calls that failed or were refused, the earliest first."""
    for row in database.rows("list_failed_calls", _parameters(database, filters)):
        yield FailedCall(*row)


def costs_of_messages(database: Database, message_ids: Iterable[str]) -> dict[str, int]:
    """Return what answers cost in nano-dollars, by their ids; copies of an answer count once."""
    found: dict[str, int] = {}
    names = {"names": sorted(set(message_ids) - {""})}
    for message_id, cost in database.rows("costs_of_messages", names):
        found[message_id] = max(int(cost), found.get(message_id, 0))
    return found


def _parameters(database: Database, filters: FilterSet) -> dict[str, object]:
    return {**filter_parameters(database, filters), "with_hidden": 0}

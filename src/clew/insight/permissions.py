"""Who decides about calls, how long people are waited for, and what is asked again and again."""

import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

import msgspec

from clew.analytics import FilterSet
from clew.archive import Archive
from clew.insight.no_members import require_no_member
from clew.store import DecidedCall, DecisionCount
from clew.tools import find_tool, permission_rules

LEAST_ASKED: Final = 3
"""How often something must be asked, and always accepted, before a rule is proposed."""
MOST_EXAMPLES: Final = 100
"""How many calls are listed of each kind."""
_PERSON: Final = "person"
_ACCEPTED: Final = "accepted"
_INFERRED: Final = "inferred"
_MEASURED: Final = "measured"

Key = TypeVar("Key")


class WaitSum(msgspec.Struct, frozen=True):
    """How long people took: in sum, and half of the times at most `median_ms`.

    Each wait is at most so long unless `quality` is `measured`.
    """

    calls: int = 0
    total_ms: int = 0
    median_ms: int | None = None
    quality: str = _MEASURED


class CallRef(msgspec.Struct, frozen=True):
    """A call, to look at."""

    session_id: str
    call_id: str
    label: str
    at: str | None


class AskedAbout(msgspec.Struct, frozen=True, kw_only=True):
    """What people were asked about: a tool, or calls of it about one thing, or a project.

    `rules` would allow it without asking, in the syntax of Claude Code's settings. `is_candidate`
    if it was asked often enough and always accepted. `examples` are the latest calls about one
    thing, the last one first.
    """

    tool: str = ""
    subject: str = ""
    project: str = ""
    asked: int = 0
    accepted: int = 0
    refused: int = 0
    sessions: int = 0
    waiting: WaitSum = WaitSum()
    rules: tuple[str, ...] = ()
    is_candidate: bool = False
    last: CallRef | None = None
    examples: tuple[CallRef, ...] = ()


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Calls that somebody or something refused; `remarks` of them with a remark."""

    decided_by: str
    tool: str
    subject: str
    calls: int
    remarks: int
    sessions: int
    last: CallRef
    examples: tuple[CallRef, ...] = ()


class PermissionReport(msgspec.Struct, frozen=True, kw_only=True):
    """Decisions about tool calls.

    `unrecorded_calls` ran without a record of who let them: clients before 2.1.325 write none.
    Of these, refusals alone are known, and waits are inferred.
    """

    schema: str = "clew.permissions/1"
    calls: int = 0
    recorded_calls: int = 0
    unrecorded_calls: int = 0
    decisions: tuple[DecisionCount, ...] = ()
    asked: int = 0
    accepted: int = 0
    refused: int = 0
    waiting: WaitSum = WaitSum()
    questions: WaitSum = WaitSum()
    inferred: WaitSum = WaitSum()
    tools: tuple[AskedAbout, ...] = ()
    patterns: tuple[AskedAbout, ...] = ()
    projects: tuple[AskedAbout, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    candidate_rules: tuple[str, ...] = ()


def report_permissions(archive: Archive, filters: FilterSet) -> PermissionReport:
    """Count decisions; copies of a call in other sessions count once."""
    require_no_member(filters)
    counts = archive.decisions(filters)
    calls = _distinct(archive.decided_calls(filters))
    questions = [call for call in calls if find_tool(call.tool).asks_person]
    permissions = [call for call in calls if not find_tool(call.tool).asks_person]
    asked = [call for call in permissions if call.decided_by == _PERSON]
    patterns = _grouped(asked, lambda call: (call.tool, call.subject), _pattern)
    rules = (rule for each in patterns if each.is_candidate for rule in each.rules)
    return PermissionReport(
        calls=sum(each.calls for each in counts),
        recorded_calls=sum(each.calls for each in counts if each.is_recorded),
        unrecorded_calls=sum(each.calls for each in counts if not each.decided_by),
        decisions=tuple(each for each in counts if each.decided_by),
        asked=len(asked),
        accepted=sum(map(_is_accepted, asked)),
        refused=len(asked) - sum(map(_is_accepted, asked)),
        waiting=_waiting(asked),
        questions=_waiting(call for call in questions if call.waiting_ms is not None),
        inferred=_waiting(call for call in permissions if call.waiting_quality == _INFERRED),
        tools=_grouped(asked, lambda call: call.tool, _tool),
        patterns=patterns,
        projects=_grouped(asked, lambda call: call.project, _project),
        refusals=_refusals([call for call in permissions if call.status == "denied"]),
        candidate_rules=tuple(sorted(set(rules))),
    )


def _distinct(calls: Iterable[DecidedCall]) -> list[DecidedCall]:
    """Leave out copies: a forked or resumed session repeats the calls of another."""
    found: dict[tuple[str, str | None], DecidedCall] = {}
    for call in calls:
        found.setdefault((call.id, call.started_at), call)
    return list(found.values())


def _grouped(
    calls: Sequence[DecidedCall],
    key: Callable[[DecidedCall], Key],
    make: Callable[[Sequence[DecidedCall]], AskedAbout],
) -> tuple[AskedAbout, ...]:
    """Group calls; what was asked most often comes first."""
    groups: dict[Key, list[DecidedCall]] = {}
    for call in calls:
        groups.setdefault(key(call), []).append(call)
    made = map(make, groups.values())
    return tuple(sorted(made, key=lambda a: (-a.asked, a.tool, a.subject, a.project)))


def _tool(calls: Sequence[DecidedCall]) -> AskedAbout:
    return msgspec.structs.replace(_asked(calls), tool=calls[0].tool)


def _project(calls: Sequence[DecidedCall]) -> AskedAbout:
    return msgspec.structs.replace(_asked(calls), project=calls[0].project)


def _pattern(calls: Sequence[DecidedCall]) -> AskedAbout:
    tool, subject = calls[0].tool, calls[0].subject
    found = _asked(calls)
    rules = permission_rules(tool, subject)
    is_candidate = bool(rules) and found.refused == 0 and found.asked >= LEAST_ASKED
    return msgspec.structs.replace(
        found,
        tool=tool,
        subject=subject,
        rules=rules,
        is_candidate=is_candidate,
        examples=_examples(calls),
    )


def _asked(calls: Sequence[DecidedCall]) -> AskedAbout:
    accepted = sum(map(_is_accepted, calls))
    return AskedAbout(
        asked=len(calls),
        accepted=accepted,
        refused=len(calls) - accepted,
        sessions=len({call.session_id for call in calls}),
        waiting=_waiting(calls),
        last=_ref(calls[-1]),
    )


def _refusals(calls: Sequence[DecidedCall]) -> tuple[Refusal, ...]:
    groups: dict[tuple[str, str, str], list[DecidedCall]] = {}
    for call in calls:
        groups.setdefault((call.decided_by, call.tool, call.subject), []).append(call)
    made = (
        Refusal(
            decided_by=by,
            tool=tool,
            subject=subject,
            calls=len(own),
            remarks=sum(call.answer == "refused_with_remark" for call in own),
            sessions=len({call.session_id for call in own}),
            last=_ref(own[-1]),
            examples=_examples(own),
        )
        for (by, tool, subject), own in groups.items()
    )
    return tuple(sorted(made, key=lambda r: (-r.calls, r.decided_by, r.tool, r.subject)))


def _waiting(calls: Iterable[DecidedCall]) -> WaitSum:
    waits = [(call.waiting_ms, call.waiting_quality) for call in calls]
    known = [(ms, quality or "") for ms, quality in waits if ms is not None]
    if not known:
        return WaitSum()
    qualities = {quality for _, quality in known}
    worst = next((q for q in (_INFERRED, "at_most") if q in qualities), _MEASURED)
    times = [ms for ms, _ in known]
    return WaitSum(len(times), sum(times), round(statistics.median(times)), worst)


def _is_accepted(call: DecidedCall) -> bool:
    return call.answer.startswith(_ACCEPTED)


def _examples(calls: Sequence[DecidedCall]) -> tuple[CallRef, ...]:
    return tuple(map(_ref, reversed(calls[-MOST_EXAMPLES:])))


def _ref(call: DecidedCall) -> CallRef:
    return CallRef(call.session_id, call.id, call.label, call.started_at)

"""What keeps going wrong: failed and refused calls of many sessions, grouped by signature."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from clew.analytics import FilterSet
from clew.archive import Archive
from clew.insight.lesson_rules import propose_denial_rule, propose_rule
from clew.insight.no_members import require_no_member
from clew.insight.signatures import Signature, error_signature
from clew.store import FailedCall
from clew.tools import find_tool

LessonKind: TypeAlias = Literal["failure", "denial"]

LEAST_SESSIONS: Final = 3
"""What goes wrong in fewer sessions is no lesson, unless a call was repeated in a loop."""
LEAST_REPEATS: Final = 3
_NANO: Final = 1_000_000_000
_EXAMPLE: Final = 300
_REFUSED: Final = "refused"


class LessonCall(msgspec.Struct, frozen=True):
    """A call that went wrong, with the beginning of its error."""

    session_id: str
    title: str
    project: str
    call_id: str
    label: str
    at: str | None
    error: str


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that goes wrong again and again.

    `cost_usd` is an upper bound: the whole answers that made the calls, and those after them.
    `loops` are the sessions that repeated one call with the same error, `longest_loop` how often.
    `decided_by` is who refused; failures have none. The latest call comes first.
    """

    kind: LessonKind
    tool: str
    command: str
    text: str
    rule: str
    calls: int
    sessions: int
    projects: tuple[str, ...]
    cost_usd: float
    loops: int = 0
    longest_loop: int = 0
    decided_by: str = ""
    first_at: str | None = None
    last_at: str | None = None
    examples: tuple[LessonCall, ...] = ()


class LessonReport(msgspec.Struct, frozen=True, kw_only=True):
    """Lessons, the one of most sessions first; `covered` of all failures belong to one."""

    schema: str = "clew.lessons/1"
    lessons: tuple[Lesson, ...] = ()
    failures: int = 0
    covered_failures: int = 0
    denials: int = 0
    covered_denials: int = 0
    sessions: int = 0
    is_cost_upper_bound: bool = True


class _Group(msgspec.Struct):
    """The calls of one signature."""

    kind: LessonKind
    signature: Signature
    subject: str
    decided_by: str
    calls: list[FailedCall]

    @property
    def sessions(self) -> int:
        """In how many sessions it went wrong."""
        return len({call.session_id for call in self.calls})


def find_lessons(
    archive: Archive, filters: FilterSet, least_sessions: int = LEAST_SESSIONS
) -> LessonReport:
    """Group what went wrong; copies of a call in other sessions count once."""
    require_no_member(filters)
    calls = _distinct(archive.failed_calls(filters))
    groups = _grouped(calls)
    chosen = [g for g in groups if g.sessions >= least_sessions or _loops(g.calls)]
    ids = {name for g in chosen for call in g.calls for name in (call.answer_id, call.next_id)}
    costs = archive.answer_costs(ids)
    lessons = sorted((_lesson(group, costs) for group in chosen), key=_rank)
    return LessonReport(
        lessons=tuple(lessons),
        failures=sum(g.kind == "failure" for g in groups for _ in g.calls),
        covered_failures=sum(lesson.calls for lesson in lessons if lesson.kind == "failure"),
        denials=sum(g.kind == "denial" for g in groups for _ in g.calls),
        covered_denials=sum(lesson.calls for lesson in lessons if lesson.kind == "denial"),
        sessions=len({call.session_id for call in calls}),
    )


def _rank(lesson: Lesson) -> tuple[int, int, str, str, str]:
    return -lesson.sessions, -lesson.calls, lesson.tool, lesson.command, lesson.text


def _distinct(calls: Iterable[FailedCall]) -> list[FailedCall]:
    """Leave out copies, which forks and resumed sessions have, and refused plans and answers."""
    found: dict[tuple[str, str | None], FailedCall] = {}
    for call in calls:
        if call.status != "denied" or not find_tool(call.tool).asks_person:
            found.setdefault((call.id, call.started_at), call)
    return list(found.values())


def _grouped(calls: Iterable[FailedCall]) -> list[_Group]:
    groups: dict[tuple[str, Signature, str], _Group] = {}
    for call in calls:
        group = _denial(call) if call.status == "denied" else _failure(call)
        known = groups.setdefault((group.kind, group.signature, group.decided_by), group)
        known.calls.append(call)
    return list(groups.values())


def _failure(call: FailedCall) -> _Group:
    signature = error_signature(call.tool, call.subject, call.error_text)
    return _Group("failure", signature, call.subject, "", [])


def _denial(call: FailedCall) -> _Group:
    command = call.subject.replace("\n", ", ")
    signature = Signature(call.tool, command, _REFUSED)
    return _Group("denial", signature, call.subject, call.decided_by, [])


def _loops(calls: Sequence[FailedCall]) -> list[int]:
    """Return how often one call was repeated in a session, where that is a loop."""
    repeats = Counter((c.session_id, c.input_digest) for c in calls if c.input_digest)
    return [count for count in repeats.values() if count >= LEAST_REPEATS]


def _lesson(group: _Group, costs: dict[str, int]) -> Lesson:
    signature, calls = group.signature, group.calls
    is_denial = group.kind == "denial"
    answers = {name for call in calls for name in (call.answer_id, call.next_id)}
    loops = _loops(calls)
    times = sorted(call.started_at for call in calls if call.started_at)
    return Lesson(
        kind=group.kind,
        tool=signature.tool,
        command=signature.command,
        text=signature.text,
        rule=propose_denial_rule(signature.tool, group.subject, group.decided_by)
        if is_denial
        else propose_rule(signature),
        calls=len(calls),
        sessions=group.sessions,
        projects=tuple(sorted({call.project for call in calls})),
        cost_usd=sum(costs.get(name, 0) for name in answers) / _NANO,
        loops=len(loops),
        longest_loop=max(loops, default=0),
        decided_by=group.decided_by,
        first_at=times[0] if times else None,
        last_at=times[-1] if times else None,
        examples=tuple(_example(call) for call in reversed(calls)),
    )


def _example(call: FailedCall) -> LessonCall:
    return LessonCall(
        session_id=call.session_id,
        title=call.title,
        project=call.project,
        call_id=call.id,
        label=call.label,
        at=call.started_at,
        error=call.error_text[:_EXAMPLE],
    )

"""Which sessions of a data set are written again, and which share their files."""

from collections.abc import Iterable

import msgspec

from clew.store.lake_plan import LakeManifest, LakePlan, LakeSession, plan_parts

MANY = 40


def session(number: int, **changes: object) -> LakeSession:
    """Give a session that ended long ago."""
    made = LakeSession(number, f"session-{number}", "2026-10", "ferry", 1000, True, "1")  # noqa: FBT003
    return msgspec.structs.replace(made, **changes)


def written(plan: LakePlan) -> list[set[int]]:
    """Give the numbers of the sessions in each new part."""
    return [{each.key for each in part.sessions} for part in plan.new]


def manifest(plan: LakePlan) -> LakeManifest:
    """Give the manifest after a plan was carried out."""
    return LakeManifest(parts=(*plan.kept, *(part.as_part("layout") for part in plan.new)))


def carried_out(sessions: Iterable[LakeSession]) -> LakeManifest:
    return manifest(plan_parts(list(sessions), LakeManifest()))


def test_a_few_sessions_are_parts_of_their_own() -> None:
    plan = plan_parts([session(1), session(2)], LakeManifest())

    assert written(plan) == [{1}, {2}]
    assert len({part.as_part("layout").name for part in plan.new}) == 2


def test_nothing_is_written_that_has_not_changed() -> None:
    sessions = [session(1), session(2)]

    plan = plan_parts(sessions, carried_out(sessions))

    assert (plan.new, plan.unchanged, plan.removed) == ((), 2, 0)


def test_a_changed_session_is_written_and_a_deleted_one_removed() -> None:
    before = carried_out([session(1), session(2), session(3)])

    plan = plan_parts([session(1), session(2, version="2")], before)

    assert written(plan) == [{2}]
    assert (plan.written, plan.unchanged, plan.removed) == (1, 1, 1)
    assert [part.sessions[0].id for part in plan.kept] == ["session-1"]


def test_a_session_that_moved_to_another_project_is_written_again() -> None:
    before = carried_out([session(1)])

    assert written(plan_parts([session(1, project="other")], before)) == [{1}]


def test_many_settled_sessions_share_a_part_and_others_do_not() -> None:
    settled = [session(number) for number in range(MANY)]
    recent = [session(100, is_settled=False), session(101, is_settled=False)]
    elsewhere = session(200, month="2026-09")

    plan = plan_parts([*settled, *recent, elsewhere], LakeManifest())

    parts = written(plan)
    assert set(range(MANY)) in parts
    assert all({number} in parts for number in (100, 101, 200))
    again = plan_parts([*settled, *recent, elsewhere], manifest(plan))
    assert again.new == ()


def test_sessions_that_settled_join_once_there_are_many() -> None:
    recent = [session(number, is_settled=False) for number in range(MANY)]
    settled = [session(number) for number in range(MANY)]

    plan = plan_parts(settled, carried_out(recent))

    assert written(plan) == [set(range(MANY))]
    few = plan_parts([*settled[:3], *recent[3:]], carried_out(recent))
    assert few.new == ()


def test_a_change_in_a_shared_part_writes_that_part_again_only() -> None:
    first = [session(number) for number in range(MANY)]
    second = [session(number, month="2026-09") for number in range(100, 100 + MANY)]
    before = carried_out([*first, *second])

    plan = plan_parts([session(0, version="2"), *first[1:], *second], before)

    assert {number for part in written(plan) for number in part} == set(range(MANY))
    assert len(plan.kept) == 1


def test_a_part_is_no_larger_than_memory_allows() -> None:
    large = [session(number, size_bytes=20 << 20) for number in range(MANY)]

    parts = written(plan_parts(large, LakeManifest()))

    assert max(len(part) for part in parts) == 3
    assert set().union(*parts) == set(range(MANY))

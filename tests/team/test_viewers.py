"""The caches of viewers: one for each member, role and set of scopes, and not too many."""

from clew.server.audit_reads import ReadLog
from clew.server.principal import Principal, Role
from clew.server.viewers import Viewers
from clew.server.written import WriteMarks
from clew.store.postgres_location import PostgresLocation

PLACE = PostgresLocation("postgresql:///none", "nowhere")


def principal(member: int, role: Role = Role.MEMBER) -> Principal:
    return Principal(member, 1, "acme", f"member{member}", role)


def test_who_sees_something_else_has_another_cache() -> None:
    viewers = Viewers(PLACE, ReadLog(PLACE))
    found = [
        viewers.of(principal(1), (1, 2)),
        viewers.of(principal(2), (1, 2)),
        viewers.of(principal(1), (1, 2, 3)),
        viewers.of(principal(1, Role.LEAD), (1, 2)),
    ]

    assert viewers.of(principal(1), (1, 2)) is found[0]
    assert len({one.cache.viewer for one in found}) == len(found)
    assert len({id(one.cache) for one in found}) == len(found)


def test_what_was_not_used_for_longest_is_dropped() -> None:
    viewers = Viewers(PLACE, ReadLog(PLACE))
    first, second = viewers.of(principal(1), (1,)), viewers.of(principal(2), (1,))
    for member in range(3, 270):
        viewers.of(principal(1), (1,))
        viewers.of(principal(member), (1,))

    assert viewers.of(principal(1), (1,)) is first
    assert viewers.of(principal(2), (1,)) is not second


def test_of_requests_at_the_same_time_the_last_to_ask_knows_best() -> None:
    cache = Viewers(PLACE, ReadLog(PLACE)).of(principal(1), (1, 2)).cache
    earlier, later = (WriteMarks(1, (2,), changes, "", {}) for changes in (1, 2))

    cache.learn(later, asked_at=11.0)
    cache.learn(earlier, asked_at=10.0)

    assert cache.written == later
    cache.invalidate_catalogue()
    assert cache.written is None

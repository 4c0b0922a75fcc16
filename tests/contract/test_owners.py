"""Several owners in one database: what one of them names changes nothing of another's."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from clew.analytics import FilterSet
from clew.store import Database, Order, list_sessions
from clew.store.deferral import Deferral, mark_stale, unmark_stale
from clew.store.ownership import find_related_sessions
from tests.build import SessionBuilder, Usage
from tests.contract.backends import Backend, rows_of, write_sessions, writing
from tests.contract.test_database import NOW

OWNER, ATTACKER = 1, 2
# The attacker's sessions have another directory, by which a list tells them apart.
OWN: Final = "/home/dev/own"
OTHER: Final = "/home/dev/other"


def owned() -> SessionBuilder:
    """Give a session with answers, and one row that an old title may point at."""
    session = SessionBuilder("owned", cwd=OWN).model("claude-opus-5-5").version("2.0.1")
    session.at("2026-11-01T09:00:00Z").user("Look at the parser").remember("row")
    return session.assistant("Done.", usage=Usage(input=1_000, output=10))


def same_id() -> SessionBuilder:
    """Give another session with the same id."""
    session = SessionBuilder("owned", cwd=OTHER).at("2026-10-01T09:00:00Z").user("Mine")
    return session.assistant("Yes.", usage=Usage(input=1, output=1))


def earlier_copy() -> SessionBuilder:
    """Give a session that claims to have made the answers first, under the ids of the rows."""
    session = owned().fork("earlier")
    for row in session.rows:
        row["cwd"] = OTHER
        row["timestamp"] = row["timestamp"].replace("2026-11", "2026-10")
    return session


def larger_copy() -> SessionBuilder:
    """Give a session whose copy of the answer counts more."""
    session = owned().fork("larger", marked=True)
    for row in session.rows:
        row["cwd"] = OTHER
    answer = copy.deepcopy(session.rows[-1]["message"])
    answer["usage"]["output_tokens"] = 50_000
    session.rows[-1]["message"] = answer
    return session


def old_title() -> SessionBuilder:
    """Give a session with a title for a row of the other one."""
    session = SessionBuilder("title", cwd=OTHER).user("hi").assistant("hello")
    leaf = owned().uuid_of("row")
    return session.row({"type": "summary", "summary": "Owned by me", "leafUuid": leaf})


ATTACKS: Final[dict[str, Callable[[], SessionBuilder]]] = {
    "an earlier copy": earlier_copy,
    "a larger copy": larger_copy,
    "an old title": old_title,
}


def told(database: Database) -> list[object]:
    """Give all that is said of the owner's session."""
    return [
        (one, one.usage, one.cost_usd, one.title, one.forked_from, one.resumed_from)
        for one in list_sessions(database, FilterSet(project=OWN), Order(with_hidden=True))
    ]


def material(database: Database) -> list[object]:
    """Give what else is read along with the owner's session."""
    [[key, *lineage]] = database.rows("session_lineage", {"id": owned().session_id})
    names = ("inherited_calls", "raised_calls", "titles_elsewhere")
    return [lineage, *(list(database.rows(name, {"key": key})) for name in names)]


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("is_first", [True, False])
def test_sessions_that_name_ids_of_another_owner_change_nothing_of_theirs(
    backend: Backend,
    tmp_path: Path,
    attack: str,
    is_first: bool,  # noqa: FBT001 (a parameter)
) -> None:
    with writing(backend, OWNER) as index:
        write_sessions(index, [rows_of(owned(), tmp_path / "a")])
        before = told(index.database), material(index.database)
    attacking = rows_of(ATTACKS[attack](), tmp_path / "b")
    with writing(backend, ATTACKER) as index:
        write_sessions(index, [attacking])
        assert find_related_sessions(index.database, [attacking.session_id]) == []
    if is_first:
        # The owner's session is decided about once more, after the attacker's is there.
        with writing(backend, OWNER) as index:
            write_sessions(index, [rows_of(owned(), tmp_path / "c")])
    with writing(backend, OWNER) as index:
        assert (told(index.database), material(index.database)) == before


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_same_sessions_of_one_owner_decide_about_each_other(
    backend: Backend, tmp_path: Path, attack: str
) -> None:
    with writing(backend, OWNER) as index:
        write_sessions(index, [rows_of(owned(), tmp_path / "a")])
        before = told(index.database)
        write_sessions(index, [rows_of(ATTACKS[attack](), tmp_path / "b")])
        assert told(index.database) != before


def test_the_attackers_own_numbers_are_as_if_they_were_alone(
    backend: Backend, tmp_path: Path
) -> None:
    fork = owned().fork("fork").user("more").assistant("sure", usage=Usage(10, 5))
    with writing(backend, ATTACKER) as index:
        write_sessions(index, [rows_of(fork, tmp_path / "a")])
        alone = told(index.database)
    with writing(backend, OWNER) as index:
        write_sessions(index, [rows_of(owned(), tmp_path / "b")])
    with writing(backend, ATTACKER) as index:
        write_sessions(index, [rows_of(fork, tmp_path / "c")])
        assert [one for one in told(index.database) if one in alone] == alone


def test_one_session_id_may_have_several_owners(backend: Backend, tmp_path: Path) -> None:
    with writing(backend, OWNER) as index:
        write_sessions(index, [rows_of(owned(), tmp_path / "a")])
        before = told(index.database), material(index.database)
    with writing(backend, ATTACKER) as index:
        write_sessions(index, [rows_of(same_id(), tmp_path / "b")])
        [one] = list_sessions(index.database, FilterSet(project=OTHER), Order())
        assert (one.id, one.usage.output_tokens) == (owned().session_id, 1)
        with index.database.transaction():
            index.database.delete_session(one.id)
    with writing(backend, OWNER) as index:
        assert (told(index.database), material(index.database)) == before


def test_owners_have_their_own_files_and_stale_sessions(backend: Backend) -> None:
    at = "2026-11-15T00:00:00.000Z"
    for owner in (OWNER, ATTACKER):
        with writing(backend, owner) as index, index.database.transaction():
            mark_stale(index.database, "x", at)
    with writing(backend, ATTACKER) as index:
        with index.database.transaction():
            unmark_stale(index.database, "x")
        assert Deferral(index.database, NOW).stale == {}
    with writing(backend, OWNER) as index:
        assert Deferral(index.database, NOW).stale == {"x": at}

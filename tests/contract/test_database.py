"""What every database must do, tested through its protocol."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from clew.analytics import FilterSet
from clew.store import (
    SORTS,
    ArchiveReader,
    Database,
    Order,
    count_hidden_sessions,
    list_agent_runs,
    list_file_edits,
    list_file_uses,
    list_projects,
    list_sessions,
    list_tool_calls,
    list_tool_stats,
    list_touched_files,
    read_recent,
    read_shapes,
)
from clew.store.deferral import Deferral, mark_stale, unmark_stale
from clew.store.rows import SessionRows
from tests.build import SessionBuilder, Usage, bash, edit, read
from tests.contract.backends import Backend, reading, rows_of, write_sessions, writing

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
EVERYTHING = FilterSet()
LISTS: dict[str, Any] = {
    "sessions": list_sessions,
    "projects": list_projects,
    "tool_calls": list_tool_calls,
    "agent_runs": list_agent_runs,
    "files": list_touched_files,
}


def alpha() -> SessionBuilder:
    """Give a session with a branch, files and an agent."""
    session = SessionBuilder("alpha", cwd="/home/dev/alpha", branch="fix/a")
    session.at("2026-11-01T09:00:00Z").user("Look at the parser")
    session.tools(read("/home/dev/alpha/a.py", "x\n"), edit("/home/dev/alpha/a.py", "x", "x", "y"))
    session.agent("Find", "Find all uses", lambda run: run.assistant("3"), agent="Explore")
    return session.assistant("JobResult.", usage=Usage(100, 20))


def beta() -> SessionBuilder:
    """Give a later session of another project, with another model."""
    session = SessionBuilder("beta", cwd="/home/dev/beta").model("claude-haiku-4-5")
    session.at("2026-11-05T09:00:00Z").user("Run the tests").tools(bash("pytest", "2 passed"))
    return session.assistant("All pass.", usage=Usage(10, 5)).assistant("And more.")


def ids(*sessions: SessionBuilder) -> list[str]:
    return [session.session_id for session in sessions]


def listed(database: Database, filters: FilterSet = EVERYTHING) -> list[str]:
    return [session.id for session in list_sessions(database, filters, Order())]


def everything(database: Database) -> list[object]:
    """Give what all lists say, for a comparison."""
    hidden = Order(with_hidden=True)
    found = [list(rows(database, FilterSet(), hidden)) for rows in LISTS.values()]
    return [*found, list(list_tool_stats(database, FilterSet(), 10))]


@pytest.fixture
def written(backend: Backend, tmp_path: Path) -> Backend:
    """Give a backend with two sessions."""
    with writing(backend) as index:
        write_sessions(index, [rows_of(alpha(), tmp_path / "a"), rows_of(beta(), tmp_path / "b")])
    return backend


def test_a_session_is_written_replaced_and_deleted(backend: Backend, tmp_path: Path) -> None:
    grown = alpha().user("And the lexer?").assistant("That too.")
    with writing(backend) as index:
        database = index.database
        write_sessions(index, [rows_of(alpha(), tmp_path / "a"), rows_of(beta(), tmp_path / "b")])
        [before] = list_sessions(database, FilterSet(session=alpha().session_id), Order())
        beside = everything(database)

        write_sessions(index, [rows_of(grown, tmp_path / "c")])
        [after] = list_sessions(database, FilterSet(session=alpha().session_id), Order())
        assert (after.prompts, after.messages) == (before.prompts + 1, before.messages + 2)

        write_sessions(index, [rows_of(alpha(), tmp_path / "d")])
        assert everything(database) == beside

        with database.transaction():
            database.delete_session(alpha().session_id)
        assert listed(database) == ids(beta())


def test_the_number_of_written_rows_is_returned(backend: Backend, tmp_path: Path) -> None:
    rows = rows_of(beta(), tmp_path)
    expected = 1 + sum(map(len, rows.tables.values()))

    with writing(backend) as index, index.database.transaction():
        assert index.database.write_session(rows) == expected


def test_deleting_what_is_not_there_does_nothing(written: Backend) -> None:
    with writing(written) as index:
        with index.database.transaction():
            index.database.delete_session("unknown")

        assert len(listed(index.database)) == 2


def test_each_filter_selects_sessions(written: Backend) -> None:
    cases: list[tuple[FilterSet, list[SessionBuilder]]] = [
        (FilterSet(), [beta(), alpha()]),
        (FilterSet(project="alpha"), [alpha()]),
        (FilterSet(project="/home/dev"), [beta(), alpha()]),
        (FilterSet(branch="Fix/*"), [alpha()]),
        (FilterSet(model="haiku"), [beta()]),
        (FilterSet(tool="Bash"), [beta()]),
        (FilterSet(tool="E*"), [alpha()]),
        (FilterSet(agent="Explore"), [alpha()]),
        (FilterSet(session="unknown"), []),
        (FilterSet(since="2026-11-03T00:00:00.000Z"), [beta()]),
        (FilterSet(until="2026-11-03T00:00:00.000Z"), [alpha()]),
        (FilterSet(project="alpha", tool="Bash"), []),
    ]

    with reading(written) as reader:
        found = [(filters, listed(reader.database, filters)) for filters, _ in cases]

    assert found == [(filters, ids(*expected)) for filters, expected in cases]


@pytest.mark.parametrize("what", SORTS)
def test_each_sort_lists_the_same_in_some_order(written: Backend, what: str) -> None:
    def rows(order: Order) -> list[object]:
        return list(LISTS[what](reader.database, FilterSet(), order))

    with reading(written) as reader:
        everything = rows(Order())
        found = {sort: rows(Order(sort=sort)) for sort in SORTS[what]}
        first = {sort: rows(Order(sort=sort, limit=1)) for sort in SORTS[what]}

    same = sorted(map(repr, everything))
    assert {sort: sorted(map(repr, some)) for sort, some in found.items()} == dict.fromkeys(
        SORTS[what], same
    )
    assert first == {sort: some[:1] for sort, some in found.items()}
    assert everything


def test_lists_are_sorted_by_what_they_say(written: Backend) -> None:
    def order(sort: str) -> list[str]:
        return [one.id for one in list_sessions(reader.database, FilterSet(), Order(sort=sort))]

    with reading(written) as reader:
        assert order("when") == ids(beta(), alpha())
        assert order("title") == ids(alpha(), beta())
        assert order("calls") == ids(alpha(), beta())


def test_files_and_their_changes_are_listed(written: Backend) -> None:
    path = "/home/dev/alpha/a.py"
    with reading(written) as reader:
        [file] = list_touched_files(reader.database, FilterSet(), Order())
        [use] = list_file_uses(reader.database, FilterSet(), Order(), "a.py")
        [change] = list_file_edits(reader.database, path, 10)

    assert (file.path, file.reads, file.changes) == (path, 1, 1)
    assert (use.session_id, use.changes) == (alpha().session_id, 1)
    assert (change.session_id, change.tool) == (alpha().session_id, "Edit")


def test_sessions_are_counted(written: Backend) -> None:
    with reading(written) as reader:
        recent = read_recent(reader.database, NOW - dt.timedelta(days=12))
        shapes = read_shapes(reader.database, ids(alpha(), beta()), 4)

        assert (recent.sessions, recent.projects) == (2, 2)
        assert recent.model_calls == 3
        assert set(shapes) == {*ids(alpha(), beta())}
        assert count_hidden_sessions(reader.database, FilterSet()).total == 0


def used(reader: ArchiveReader, filters: FilterSet = EVERYTHING) -> dict[str, int]:
    """Give the output tokens of each session."""
    found: dict[str, int] = {}
    for calls in reader.counted_calls(filters, 10):
        found[calls.session_id] = found.get(calls.session_id, 0) + calls.output_tokens
    return found


def test_usage_is_summed_from_model_calls(written: Backend) -> None:
    with reading(written) as reader:
        found = used(reader)
        assert found == {
            one.id: one.usage.output_tokens
            for one in list_sessions(reader.database, FilterSet(), Order())
        }
        assert all(found.values())
        late = FilterSet(since="2026-11-03T00:00:00.000Z")
        assert list(used(reader, late)) == ids(beta())


@pytest.mark.parametrize("is_first", [True, False])
def test_a_copied_answer_belongs_to_the_session_that_made_it(
    backend: Backend,
    tmp_path: Path,
    is_first: bool,  # noqa: FBT001 (a parameter)
) -> None:
    session = SessionBuilder("elder").at("2026-11-01T09:00:00Z").user("hi")
    session.assistant("hello", usage=Usage(10, 7))
    fork = session.fork("fork").user("more").assistant("sure", usage=Usage(10, 5))
    rows = [rows_of(session, tmp_path / "a"), rows_of(fork, tmp_path / "b")]

    with writing(backend) as index:
        write_sessions(index, rows if is_first else reversed(rows))
    with reading(backend) as reader:
        assert used(reader) == {session.session_id: 7, fork.session_id: 5}
        [one] = list_sessions(reader.database, FilterSet(session=fork.session_id), Order())
        assert one.forked_from == session.session_id

    with writing(backend) as index, index.database.transaction():
        index.database.delete_session(session.session_id)
    with reading(backend) as reader:
        assert listed(reader.database) == [fork.session_id]


def fail_half_way(database: Database, rows: SessionRows) -> None:
    with database.transaction():
        database.write_session(rows)
        database.delete_session(beta().session_id)
        mark_stale(database, "x", "2026-11-15T00:00:00.000Z")
        raise ZeroDivisionError


def test_a_failed_transaction_leaves_nothing(written: Backend, tmp_path: Path) -> None:
    third = SessionBuilder("third").user("unforgettable").assistant("ok")
    with writing(written) as index:
        before = everything(index.database)
        with pytest.raises(ZeroDivisionError):
            fail_half_way(index.database, rows_of(third, tmp_path / "c"))

        assert everything(index.database) == before
        assert list(index.database.rows("stale_sessions")) == []
        with index.database.transaction():
            index.database.write_session(rows_of(third, tmp_path / "d"))
        assert len(listed(index.database)) == 3


def test_readers_see_whole_transactions(written: Backend, tmp_path: Path) -> None:
    rows = rows_of(SessionBuilder("third").user("new").assistant("ok"), tmp_path / "c")
    with writing(written) as index, reading(written) as one, reading(written) as other:
        versions = one.database.version(), other.database.version()
        with one.database.snapshot():
            assert len(listed(one.database)) == 2
            with index.database.transaction():
                index.database.write_session(rows)
                assert len(listed(other.database)) == 2
            assert len(listed(other.database)) == 3
            assert len(listed(one.database)) == 2
        assert len(listed(one.database)) == 3
        assert one.database.version() != versions[0]
        assert other.database.version() != versions[1]
        assert one.database.version() == one.database.version()


def test_statements_take_lists_and_name_their_columns(written: Backend) -> None:
    with reading(written) as reader:
        keys = [key for key, *_ in reader.database.rows("search_sessions")]
        tools = [tool for _, tool in reader.database.rows("tools_of_sessions", {"keys": keys})]
        none = list(reader.database.rows("tools_of_sessions", {"keys": []}))
        [named] = list(reader.database.records("session_of_key", {"key": keys[0]}))

    assert sorted(tools) == ["Agent", "Bash", "Edit", "Read"]
    assert none == []
    assert named == {"id": beta().session_id}


def test_a_sound_database_has_nothing_wrong(written: Backend) -> None:
    with reading(written) as reader:
        assert reader.database.check() == []
        assert reader.database.check(["session", "frame"]) == []


def test_sessions_whose_rows_are_behind_are_remembered(written: Backend) -> None:
    at = "2026-11-15T00:00:00.000Z"
    with writing(written) as index:
        for _ in range(2):
            with index.database.transaction():
                mark_stale(index.database, alpha().session_id, at)
    with reading(written) as reader:
        assert Deferral(reader.database, NOW).stale == {alpha().session_id: at}
    with writing(written) as index:
        with index.database.transaction():
            unmark_stale(index.database, alpha().session_id)
        assert Deferral(index.database, NOW).stale == {}


def test_versions_change_with_what_is_written(written: Backend, tmp_path: Path) -> None:
    with reading(written) as reader:
        before, all_before = reader.session_versions(), reader.version()
    with writing(written) as index:
        grown = alpha().user("more").assistant("sure")
        write_sessions(index, [rows_of(grown, tmp_path / "c")])
    with reading(written) as reader:
        after = reader.session_versions()
        assert reader.version() != all_before
    changed = [name for name in after if after[name] != before[name]]
    assert changed == ids(alpha())


def test_rows_are_the_same_in_any_order_of_writing(backend: Backend, tmp_path: Path) -> None:
    rows = [rows_of(alpha(), tmp_path / "a"), rows_of(beta(), tmp_path / "b")]
    with writing(backend) as index:
        write_sessions(index, rows)
        first = everything(index.database)
        write_sessions(index, reversed(rows))
        assert everything(index.database) == first

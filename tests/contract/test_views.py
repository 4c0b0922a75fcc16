"""The views of queries: the same rows on PostgreSQL as on SQLite, from the sample sessions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from clew.archive import Archive
from clew.samples import samples_root
from clew.store import Home, Order
from clew.store.postgres_location import PostgresLocation
from clew.store.view_names import VIEWS
from tests.build import Call, SessionBuilder, bash
from tests.contract.answers import NOW
from tests.postgres_server import PostgresServer
from tests.recordings import HERE

ROOTS: Final = (
    samples_root(),
    HERE / "2.1.325" / "tui-hooks" / "root",
)
# Numbers that each archive gives its own rows, and what only one of the two has.
_OWN: Final = frozenset({"id", "session_key"})
_OWN_OF_VIEW: Final = {"tool_call": {"cwd"}, "content_block": {"message_id", "is_cut"}}
_MOST_CHARACTERS: Final = 262_144


def odd_session() -> SessionBuilder:
    """Return a session with a to-do list, another directory, NUL and long texts."""
    todos = [{"id": "1", "content": "a\0b", "status": "pending"}, "no item", {"content": "c"}]
    session = SessionBuilder("odd", cwd="/home/dev/a").user("Plan" + " more" * 2_000)
    session.tools(Call("TodoWrite", {"todos": todos}, "ok"), Call("TodoWrite", {"todos": "x"}, ""))
    session.cwd("/home/dev/b").tools(bash("cat x", "long\n" * 5_000))
    session.tools(bash("cat y", "y" * _MOST_CHARACTERS), bash("z", "z" * (_MOST_CHARACTERS + 1)))
    session.tools(bash("ls", ""), think="So" + " so" * 2_000)
    return session.assistant("Done.")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a root with that session."""
    root = tmp_path_factory.mktemp("root")
    odd_session().write(root)
    return root


@pytest.fixture(scope="module")
def archive(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Give an archive in a folder."""
    with Archive(Home(tmp_path_factory.mktemp("archive"))) as archive:
        archive.sync([*ROOTS, root], now=NOW)
        yield archive


@pytest.fixture(scope="module")
def team(
    root: Path, postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Archive]:
    """Give an archive on a server."""
    url = postgres_server.make_database()
    with Archive(PostgresLocation(url, str(tmp_path_factory.mktemp("blobs")))) as archive:
        archive.sync([*ROOTS, root], now=NOW)
        yield archive
    postgres_server.drop_database(url)


def rows(archive: Archive, view: str) -> list[dict[str, Any]]:
    """Give the rows of a view by their columns, in one order; texts as long as both have them."""
    found = archive.query(f"SELECT * FROM {view}", 60)  # noqa: S608
    own = _OWN | _OWN_OF_VIEW.get(view, set())
    plain = [
        {
            name: plain_value(value)
            for name, value in zip(found.columns, row, strict=True)
            if name not in own
        }
        for row in found.rows
    ]
    return sorted(plain, key=repr)


def plain_value(value: Any) -> Any:
    """Make a value comparable."""
    match value:
        case float():
            return round(value, 9)
        case str():
            return value[:_MOST_CHARACTERS]
        case _:
            return value


@pytest.mark.parametrize("view", ["tool_call", *VIEWS])
def test_a_view_has_the_same_rows_on_both(archive: Archive, team: Archive, view: str) -> None:
    found = rows(team, view)

    assert found == rows(archive, view)
    assert found


def test_a_text_is_whole_up_to_its_limit(archive: Archive, team: Archive) -> None:
    query = "SELECT length(result), is_cut FROM content_block WHERE length(result) > 20000"

    assert sorted(team.query(f"{query} ORDER BY 1").rows) == [
        (25_000, 0),
        (_MOST_CHARACTERS, 0),
        (_MOST_CHARACTERS, 1),
    ]
    assert sorted(archive.query(query).rows) == [
        (25_000, 0),
        (_MOST_CHARACTERS, 0),
        (_MOST_CHARACTERS + 1, 0),
    ]


def test_the_line_of_a_message_is_in_its_blob(archive: Archive) -> None:
    reader = archive._reader  # noqa: SLF001
    files = {file.blob: file for file in archive.archived_files()}
    query = (
        "SELECT blob, offset_bytes, entry_bytes, raw_line(session_key, transcript, offset_bytes) "
        "FROM transcript_message WHERE blob IS NOT NULL"
    )
    lines = list(archive.query(query, 60).rows)

    for blob, offset, size, line in lines:
        assert isinstance(offset, int)
        assert isinstance(size, int)
        assert reader.read_bytes(files[str(blob)], offset, size) == str(line).encode()
    assert len(lines) > 500


def test_totals_are_those_of_lists(archive: Archive) -> None:
    found = {row["session_id"]: row for row in rows(archive, "session_total")}

    for session in archive.sessions(order=Order(with_hidden=True)):
        total, usage = found.pop(session.id), session.usage
        assert (total["message_count"], total["prompt_count"]) == (
            session.messages,
            session.prompts,
        )
        assert total["tool_call_count"] == session.tool_calls
        assert total["agent_run_count"] == session.agent_runs
        assert total["input_tokens"] == usage.input_tokens
        assert total["output_tokens"] == usage.output_tokens
        assert total["cache_read_tokens"] == usage.cache_read_tokens
        assert total["cost_usd"] == pytest.approx(usage.cost_usd)
        assert total["quality"] == usage.quality
    assert not found


def test_totals_are_sums_of_messages_and_blocks(archive: Archive) -> None:
    query = (
        "SELECT (SELECT sum(thinking_count) FROM session_total), "
        "(SELECT count(*) FROM content_block WHERE thinking IS NOT NULL), "
        "(SELECT sum(output_tokens) FROM session_total), "
        "(SELECT sum(output_tokens) FROM transcript_message WHERE is_inherited = 0)"
    )

    [(thinking, blocks, tokens, of_messages)] = archive.query(query, 60).rows

    assert thinking == blocks
    assert thinking
    assert tokens == of_messages

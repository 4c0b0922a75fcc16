"""SQL functions that read inputs, results and lines from the kept files."""

import datetime as dt
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.archive import Archive
from clew.store import Home, QueryTimeoutError
from clew.store.block_texts import line_inputs
from clew.store.text_functions import LONGEST_TEXT, TextFunctions
from tests.build import Agent, Call, SessionBuilder, bash
from tests.dump import home_of
from tests.recordings import HERE, recordings
from tests.unit.conversation.built import answer, prompt, use

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
LONG = "echo " + "wörd " * 4_000

Ask = Callable[[str], list[tuple[Any, ...]]]


def session() -> SessionBuilder:
    """Give a session with a short, a long and a failed call, and a call of an agent."""
    agent = Agent("Look", "Look around", lambda run: run.tools(bash("pwd", "/home/dev")))
    return (
        SessionBuilder("one")
        .user("Go")
        .tools(bash(LONG, "out " * 4_000), Call("Bash", {"command": "false"}, "no", error=True))
        .tools(agent)
        .assistant("JobResult.")
    )


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """Give an archive with that session."""
    session().write(tmp_path / "root")
    with Archive(Home(tmp_path / "home")) as archive:
        archive.sync([tmp_path / "root"], now=NOW)
        yield archive


@pytest.fixture
def ask(archive: Archive) -> Ask:
    """Ask, and give the rows; nothing may go wrong on the way."""

    def ask(query: str) -> list[tuple[Any, ...]]:
        answer = archive.query(query)
        rows = list(answer.rows)
        assert answer.faults == []
        return rows

    return ask


def blob(archive: Archive) -> Path:
    """Give the kept copy of the session's own transcript."""
    [file] = [kept for kept in archive.archived_files() if kept.kind == "session"]
    return home_of(archive).blobs / file.blob


def test_a_long_input_is_whole(ask: Ask) -> None:
    rows = ask("SELECT input ->> 'command', is_inherited FROM tool_call WHERE tool = 'Bash'")

    assert sorted(rows) == sorted([(LONG, 0), ("false", 0), ("pwd", 0)])


def test_a_call_without_an_id_has_its_input(tmp_path: Path) -> None:
    uses = [use("", command="ls"), use("", command="pwd"), use("c", command="id")]
    rows = [prompt("p", None, "Go"), answer("a", "p", uses)]
    file = tmp_path / "root/-home-dev/one.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with Archive(Home(tmp_path / "home")) as archive:
        archive.sync([tmp_path / "root"], now=NOW)
        answered = archive.query("SELECT call_id, input ->> 'command' FROM tool_call ORDER BY 1")

        assert list(answered.rows) == [("a", "ls"), ("a#1", "pwd"), ("c", "id")]
        assert answered.faults == []


def test_a_long_result_is_whole(ask: Ask) -> None:
    rows = ask(
        "SELECT tool_result(session_key, call_id) FROM tool_call "
        "WHERE input ->> 'command' LIKE 'echo%'"
    )

    assert rows == [("out " * 4_000,)]


def test_a_line_is_as_it_was_written(ask: Ask) -> None:
    rows = ask(
        "SELECT raw_line(session_key, transcript, offset_bytes) FROM entry "
        "WHERE transcript = 0 ORDER BY line"
    )

    assert [row[0].encode() for row in rows] == [line.rstrip(b"\n") for line in session().lines()]


def test_a_line_of_many_pieces_is_whole(tmp_path: Path) -> None:
    session = SessionBuilder("one").user("wörd " * 40_000)
    session.write(tmp_path / "root")
    with Archive(Home(tmp_path / "home")) as archive:
        archive.sync([tmp_path / "root"], now=NOW)
        answer = archive.query("SELECT raw_line(key, 0, 0) FROM session")

        assert list(answer.rows) == [(session.content().rstrip(b"\n").decode(),)]


def test_a_block_has_all_its_text(ask: Ask) -> None:
    rows = ask("SELECT length(block_text(id)), size_bytes FROM block WHERE is_cut = 1")

    assert rows
    assert all(length == size for length, size in rows)


@pytest.mark.parametrize(
    "call",
    [
        "tool_input(1, 'nobody')",
        "tool_input(99, 'nobody')",
        "tool_input(NULL, NULL)",
        "tool_input('one', 2)",
        "tool_result(1, 'nobody')",
        "tool_result(1, x'00')",
        "block_text(99999)",
        "block_text('a')",
        "raw_line(1, 0, 99999999)",
        "raw_line(1, 0, -1)",
        "raw_line(1, 7, 0)",
        "raw_line(1, 0, 0.5)",
    ],
)
def test_what_is_not_there_is_null(ask: Ask, call: str) -> None:
    assert ask(f"SELECT {call} IS NULL") == [(1,)]


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_damaged_file_gives_null_and_is_named(archive: Archive, damage: bytes | None) -> None:
    path = blob(archive)
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)

    answer = archive.query(
        "SELECT agent_run_id IS NULL, input, tool_result(session_key, call_id), "
        "raw_line(session_key, 0, 0) FROM tool_call"
    )
    rows = list(answer.rows)

    assert {row[1:] for row in rows if row[0]} >= {(None, "no", None)}
    assert [json.loads(str(row[1]))["command"] for row in rows if not row[0]] == ["pwd"]
    [named, *others] = answer.faults
    assert path.name in named
    # Of an empty file it is known that a text is missing, but not that the file is no zstd.
    assert [fault.partition(": ")[2] for fault in others] in (
        [],
        ["a text of its rows is not in its archived files"],
    )


def test_a_file_that_is_cut_short_gives_what_is_left(archive: Archive) -> None:
    path = blob(archive)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    answer = archive.query("SELECT raw_line(session_key, transcript, offset_bytes) FROM entry")
    lines = [text for (text,) in answer.rows]

    assert None in lines
    assert all(json.loads(str(text)) for text in lines if text is not None)
    assert answer.faults


def test_time_is_up_between_two_reads(archive: Archive) -> None:
    answer = archive.query("SELECT raw_line(session_key, transcript, offset_bytes) FROM entry", 60)
    next(answer.rows)
    with pytest.raises(QueryTimeoutError):
        list(archive.query("SELECT tool_input(session_key, call_id) FROM tool_call", 1e-9).rows)


def test_a_line_that_is_too_long_gives_null(archive: Archive, monkeypatch: Any) -> None:
    monkeypatch.setattr("clew.store.text_functions.LONGEST_TEXT", 70_000)
    lookup = TextFunctions(archive.location)

    assert lookup.raw_line(1, 0, 0) is not None
    monkeypatch.setattr("clew.store.text_functions.LONGEST_TEXT", 100)
    assert lookup.raw_line(1, 0, 50) is None
    assert "longer than" in lookup.faults[0]
    assert LONGEST_TEXT == 64 << 20
    lookup.close()


ODD = {
    "control": b'{"command":"a\x01b"}',
    "surrogate": b'{"command":"\\ud800"}',
    "bytes": b'{"command":"\xff"}',
    "nan": b'{"command":NaN}',
    "large": b'{"command":1e999}',
    "nul": b'{"command":"\\u0000"}',
    "string": b'"command"',
    "null": b"null",
    "list": b"[1]",
    "deep": b"[" * 1_200 + b"]" * 1_200,
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_no_input_is_too_odd_to_be_asked_for_a_key(tmp_path: Path, odd: bytes) -> None:
    builder = SessionBuilder("one").user("Go").tools(Call("Odd", {}, "ok"), bash("ls"))
    raw = builder.content().replace(b'"input":{}', b'"input":' + odd)
    builder.write(tmp_path / "root").write_bytes(raw)
    with Archive(Home(tmp_path / "home")) as archive:
        archive.sync([tmp_path / "root"], now=NOW)
        answer = archive.query("SELECT input ->> 'command' FROM tool_call")

        assert ("ls",) in list(answer.rows)


def test_every_input_and_result_of_the_recordings_is_what_the_conversation_has(
    tmp_path: Path,
) -> None:
    roots = [recording.root for recording in recordings(HERE)]
    with Archive(Home(tmp_path / "home")) as archive:
        archive.sync(roots, now=NOW)
        answer = archive.query(
            "SELECT session.id, call_id, input, tool_result(session_key, call_id) "
            "FROM tool_call JOIN session ON session.key = session_key"
        )
        found = {(row[0], row[1]): (row[2], row[3] or "") for row in answer.rows}
        expected = {
            (name, call.id): (bytes(call.input).decode(), call.result_text)
            for name in {str(key[0]) for key in found}
            for call in archive.conversation(name).tool_calls
        }

    assert found == expected
    assert answer.faults == []


def test_a_line_without_tool_uses_has_no_inputs() -> None:
    assert list(line_inputs(b'{"type":"user","message":{"role":"user","content":"hi"}}')) == []

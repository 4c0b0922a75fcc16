"""`clew export`: originals and rows, as files."""

import json
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from clew.cli import main
from tests.build import Call, SessionBuilder, bash
from tests.dump import tree


def session(name: str) -> SessionBuilder:
    """Give a session with a tool call, in a project of its own."""
    builder = SessionBuilder(name, cwd=f"/home/dev/code/{name}").at("2026-10-01T09:00:00Z")
    return builder.user(f"Do {name}").tools(bash("ls", "a")).assistant("Done.")


@pytest.fixture(autouse=True)
def root(machine: Path) -> Path:
    """Give a root with two sessions."""
    for name in ("alpha", "beta"):
        session(name).write(machine)
    return machine


def test_the_files_of_one_session_come_as_they_were_written(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = session("alpha").session_id
    main(["sync"])
    shutil.rmtree(root / "projects")
    capsys.readouterr()

    assert main(["export", "jsonl", name[:8], "-o", str(tmp_path / "out")]) == 0

    assert list(tree(tmp_path / "out").values()) == [session("alpha").content()]
    assert capsys.readouterr().out.startswith("Exported 1 session, 1 file, ")


def test_sessions_are_chosen_by_the_common_filters(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    words = ["--project", "beta", "-o", str(tmp_path / "out"), "--json"]

    assert main(["export", "jsonl", *words]) == 0

    found = json.loads(capsysbinary.readouterr().out)
    assert (found["sessions"], found["files"]) == (1, 1)
    assert list(tree(tmp_path / "out").values()) == [session("beta").content()]


def test_filters_that_choose_nothing_write_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "jsonl", "--project", "nowhere", "-o", str(tmp_path / "out")]) == 3
    assert "no sessions match these filters" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_names_and_filters_do_not_go_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["latest", "--project", "beta", "-o", str(tmp_path / "out")]

    assert main(["export", "jsonl", *words]) == 2
    assert "cannot be combined" in capsys.readouterr().err


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    """Read a table back."""
    parquet: Any = import_module("pyarrow.parquet")
    found: list[dict[str, Any]] = parquet.read_table(folder / f"{table}.parquet").to_pylist()
    return found


def test_rows_come_as_parquet_with_types(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["export", "parquet", "-o", str(tmp_path), "--json"]) == 0

    told = {
        each["table"]: each["rows"] for each in json.loads(capsysbinary.readouterr().out)["tables"]
    }
    assert (told["session"], told["tool_call"]) == (2, 2)
    [first, _] = sorted(rows(tmp_path, "session"), key=lambda row: row["title"])
    assert (first["title"], first["models"]) == ("Do alpha", ["claude-opus-5-5"])
    assert first["started_at"].isoformat() == "2026-10-01T09:00:00+00:00"
    assert {row["has_text"] for row in rows(tmp_path, "message")} == {True, False}
    uuids = {row["uuid"] for row in rows(tmp_path, "entry")}
    assert session("alpha").draft.last_uuid in uuids


def test_parquet_has_whole_inputs_as_json_and_the_views(machine: Path, tmp_path: Path) -> None:
    command = "echo " + "word " * 4_000
    todos = [{"content": "Test", "status": "pending", "activeForm": "Testing"}]
    SessionBuilder("long").user("Go").tools(
        bash(command), Call("TodoWrite", {"todos": todos}, "ok")
    ).write(machine)

    assert main(["export", "parquet", "-o", str(tmp_path / "out")]) == 0

    inputs = [json.loads(row["input"]) for row in rows(tmp_path / "out", "tool_call")]
    assert command in [value.get("command") for value in inputs]
    assert {"todos": todos} in inputs
    [found] = [row for row in rows(tmp_path / "out", "command") if row["command"] == command]
    assert (found["status"], found["exit_code"], found["is_background"]) == ("done", None, False)
    [item] = rows(tmp_path / "out", "todo")
    assert (item["number"], item["content"], item["status"]) == (1, "Test", "pending")
    assert all(isinstance(row["cost_usd"], float) for row in rows(tmp_path / "out", "daily_cost"))


def test_parquet_without_a_kept_file_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["sync"])
    for blob in (tmp_path / "home").rglob("*.jsonl.*"):
        blob.write_bytes(b"")

    assert main(["export", "parquet", "-o", str(tmp_path / "out"), "--no-sync"]) == 1

    assert "some values are NULL because an archived file cannot be read" in capsys.readouterr().err
    assert {row["input"] for row in rows(tmp_path / "out", "tool_call")} == {None}


def test_parquet_is_not_written_over_unasked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", "parquet", "-o", str(tmp_path / "out")]
    assert main(words) == 0

    assert main(words) == 1
    assert "already exists" in capsys.readouterr().err
    assert main([*words, "--overwrite"]) == 0


def test_without_the_library_it_is_said_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    assert main(["export", "parquet", "-o", str(tmp_path / "out")]) == 1
    assert "uv sync --extra parquet" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()

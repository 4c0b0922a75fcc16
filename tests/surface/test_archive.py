"""`clew archive`: what is kept, whether it is whole, and how it comes back."""

import datetime as dt
import json
import os
import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew.cli import main
from tests.build import SessionBuilder, bash
from tests.dump import tree
from tests.surface.running import on_terminal

DAY = 86_400


def age(path: Path, days: float) -> None:
    """Make a file as old as if nobody had written to it for so long."""
    then = dt.datetime.now(dt.UTC).timestamp() - days * DAY
    os.utime(path, (then, then))


@pytest.fixture
def root(machine: Path) -> Path:
    """Give a root with an old session, a fresh one with an agent run, and both in the archive."""
    old = SessionBuilder("old", cwd="/home/dev/code/alpha").user("Old things").assistant("Done.")
    age(old.write(machine), 25)
    new = SessionBuilder("new").user("New things").tools(bash("ls", "a"))
    new.agent("Look", "Look.", lambda run: run.assistant("Seen."), agent="Explore")
    new.assistant("Done.").write(machine)
    assert main(["sync"]) == 0
    return machine


@pytest.fixture
def told(capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    """Run a command of the archive with these words, and give its JSON."""

    def run(*words: str, code: int = 0) -> Any:
        capsysbinary.readouterr()
        assert main(["archive", *words, "--json"]) == code
        return json.loads(capsysbinary.readouterr().out)

    return run


def test_status_tells_what_is_kept_and_what_will_be_deleted(root: Path, told: Any) -> None:
    found = told("status")

    assert (found["schema"], found["sessions"]) == ("clew.archive/1", 2)
    assert found["source_bytes"] == sum(len(data) for data in tree(root).values())
    assert 0 < found["kept_bytes"] < found["source_bytes"]
    [expiring] = found["expiring"]
    assert (expiring["title"], expiring["project"]) == ("Old things", "/home/dev/code/alpha")
    days = dt.datetime.fromisoformat(expiring["deleted_at"]) - dt.datetime.now(dt.UTC)
    assert 4.9 < days.total_seconds() / DAY < 5.1


@pytest.mark.usefixtures("root")
def test_the_client_may_be_set_to_delete_at_another_time(told: Any) -> None:
    assert told("status", "--cleanup-days", "90")["expiring"] == []
    assert len(told("status", "--cleanup-days", "0")["expiring"]) == 2


def test_status_counts_what_is_gone_and_what_was_rewritten(root: Path, told: Any) -> None:
    gone, rewritten = (
        next(root.rglob(f"{SessionBuilder(n).session_id}.jsonl")) for n in ("old", "new")
    )
    size = gone.stat().st_size
    gone.unlink()
    rewritten.write_bytes(b'{"type":"user"}\n')

    found = told("status")

    assert (found["vanished_files"], found["vanished_bytes"]) == (1, size)
    assert (found["earlier_versions"], found["expiring"]) == (1, [])


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("columns", [80, 140])
def test_status_on_a_terminal_lists_the_sessions_that_will_be_deleted(columns: int) -> None:
    shown = on_terminal("archive", "status", columns=columns)

    assert "Content: 2 sessions, " in shown
    assert "Claude Code deletes within a week: 1 session (unchanged for 30 days)" in shown
    assert "Old things" in shown
    assert max(map(len, shown.splitlines()[1:])) <= columns


@pytest.mark.usefixtures("root")
def test_everything_is_proved_whole(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()

    assert main(["archive", "verify"]) == 0
    assert capsys.readouterr().out.startswith("Verified ")


def test_a_flipped_bit_is_found_and_named(root: Path, told: Any) -> None:
    name = f"{SessionBuilder('new').session_id}.jsonl.zst"
    blob = next((root.parent / "home").rglob(name))
    data = bytearray(blob.read_bytes())
    data[len(data) // 2] ^= 1
    blob.write_bytes(data)

    found = told("verify", code=4)

    [fault] = found["faults"]
    assert (found["files"], fault["path"].endswith(name.removesuffix(".zst"))) == (4, True)
    assert "is damaged" in fault["fault"]


def test_status_counts_damaged_files(
    root: Path, told: Any, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    blob = next((root.parent / "home").rglob("*.jsonl.zst"))
    blob.write_bytes(blob.read_bytes()[:-9])
    before = told("status", "--no-sync")
    told("verify", code=4)

    found = told("status", "--no-sync")

    assert (before["damaged_files"], found["damaged_files"]) == (0, 1)
    assert main(["archive", "status", "--no-sync"]) == 0
    assert b"Damaged: 1 file; " in capsysbinary.readouterr().out


def test_a_damaged_file_is_not_given_back_in_part(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blob = next((root.parent / "home").rglob(f"{SessionBuilder('new').session_id}.jsonl.zst"))
    blob.write_bytes(blob.read_bytes()[:-9])

    assert main(["archive", "restore", "-o", str(tmp_path / "back")]) == 4
    out, err = capsys.readouterr()
    assert "Restored 3 files" in out
    assert f"not restored: {tmp_path / 'back'}" in err
    assert "is damaged" in err
    assert not [name for name in tree(tmp_path / "back") if name.endswith(".part")]


def test_an_earlier_version_is_proved_too(root: Path, told: Any) -> None:
    path = next(root.rglob(f"{SessionBuilder('new').session_id}.jsonl"))
    path.write_bytes(b'{"type":"user"}\n')
    assert main(["sync"]) == 0
    next((root.parent / "home").rglob(f"{path.name}.zst")).unlink()

    [fault] = told("verify", code=4)["faults"]

    assert "No such file" in fault["fault"]


@pytest.mark.usefixtures("root")
def test_a_terminal_sees_how_far_the_proof_is() -> None:
    assert "Verifying" in on_terminal("archive", "verify")


def test_all_files_come_back_as_they_were(root: Path, tmp_path: Path, told: Any) -> None:
    source = tree(root)
    times = {path.name: path.stat().st_mtime_ns for path in root.rglob("*.jsonl")}
    shutil.rmtree(root)

    found = told("restore", "-o", str(tmp_path / "back"))

    back = tmp_path / "back"
    assert (found["files"], found["bytes"]) == (len(source), sum(map(len, source.values())))
    assert tree(back) == source
    assert {path.name: path.stat().st_mtime_ns for path in back.rglob("*.jsonl")} == times
    assert {path.stat().st_mode & 0o777 for path in back.rglob("*.jsonl")} == {0o600}


@pytest.mark.usefixtures("root")
def test_one_session_comes_back_with_all_its_files(tmp_path: Path, told: Any) -> None:
    name = SessionBuilder("new").session_id

    told("restore", name[:8], "-o", str(tmp_path / "back"))

    assert all(name in path for path in tree(tmp_path / "back"))
    assert len(tree(tmp_path / "back")) == 3


@pytest.mark.usefixtures("root")
def test_nothing_is_written_when_one_file_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["archive", "restore", "-o", str(tmp_path / "back")]
    assert main(words) == 0
    [kept, *others] = sorted((tmp_path / "back").rglob("*.jsonl"))
    kept.write_text("mine")
    for other in others:
        other.unlink()

    assert main(words) == 1
    assert "already exists" in capsys.readouterr().err
    assert list((tmp_path / "back").rglob("*.jsonl")) == [kept]
    assert main([*words, "--overwrite"]) == 0
    assert kept.read_text() != "mine"


def test_files_of_two_roots_with_one_name_come_into_a_folder_each(
    root: Path, tmp_path: Path, told: Any
) -> None:
    SessionBuilder("third").user("hi").assistant("ok").write(tmp_path / "other" / "claude")
    main(["sync", "--root", str(tmp_path / "other" / "claude")])

    told("restore", "-o", str(tmp_path / "back"))

    folders = sorted(path.name.rpartition("-")[0] for path in (tmp_path / "back").iterdir())
    assert folders == ["claude", "claude"]
    assert len(tree(tmp_path / "back")) == len(tree(root)) + 1


def test_files_of_two_roots_come_into_folders_named_after_them(
    root: Path, tmp_path: Path, told: Any
) -> None:
    SessionBuilder("third").user("hi").assistant("ok").write(tmp_path / "laptop")
    main(["sync", "--root", str(tmp_path / "laptop")])

    told("restore", "-o", str(tmp_path / "back"))

    folders = {path.name for path in (tmp_path / "back").iterdir()}
    assert folders == {"laptop", root.name.lstrip(".")}


def test_an_earlier_version_comes_back_beside_the_later_one(
    root: Path, tmp_path: Path, told: Any
) -> None:
    path = next(root.rglob(f"{SessionBuilder('old').session_id}.jsonl"))
    first = path.read_bytes()
    path.write_bytes(b'{"type":"user"}\n')
    assert main(["sync"]) == 0

    told("restore", "--earlier", "-o", str(tmp_path / "back"))

    back = next((tmp_path / "back").rglob(path.name))
    assert back.read_bytes() == b'{"type":"user"}\n'
    assert back.with_name(f"{path.name}.g1").read_bytes() == first


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("words", [["verify"], ["restore", "-o", "back"]])
def test_without_an_archive_it_is_said_how_to_make_one(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["archive", *words]) == 3
    assert "run `clew sync` to create it" in capsys.readouterr().err


@pytest.mark.usefixtures("root")
def test_a_session_that_nobody_has_is_not_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["archive", "restore", "zzz", "-o", str(tmp_path / "back")]) == 3
    assert "no session id starts with 'zzz'" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["verify"], ["restore", "-o", "back"]])
def test_an_archive_that_holds_nothing_is_none(
    words: list[str], machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert machine.exists()
    main(["sync"])
    capsys.readouterr()

    assert main(["archive", *words]) == 3
    assert "run `clew sync` to create it" in capsys.readouterr().err


@pytest.mark.usefixtures("root")
def test_status_of_a_small_archive_tells_no_share(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["archive", "status"]) == 0
    assert "%" not in capsys.readouterr().out


def test_a_broken_database_is_found_and_it_is_said_what_to_do(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    connection = apsw.Connection(str(root.parent / "home" / "archive.db"))
    connection.execute("PRAGMA writable_schema = 1")
    connection.execute("DELETE FROM sqlite_schema WHERE name = 'source_file_session'")
    connection.close()
    capsys.readouterr()

    assert main(["archive", "verify"]) == 4
    err = capsys.readouterr().err
    assert "damaged: archive.db: " in err
    assert "move archive.db out of the archive's directory and run `clew sync`" in err


def test_a_database_that_cannot_be_read_at_all_is_told_too(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = root.parent / "home" / "archive.db"
    database.write_bytes(database.read_bytes()[:4096] + b"\xff" * 60_000)
    capsys.readouterr()

    assert main(["archive", "verify"]) in (1, 4)
    assert "damaged" in capsys.readouterr().err


def test_files_that_cannot_be_restored_are_listed_as_json(
    root: Path, tmp_path: Path, told: Any
) -> None:
    name = f"{SessionBuilder('new').session_id}.jsonl"
    next((root.parent / "home").rglob(f"{name}.zst")).unlink()

    found = told("restore", "-o", str(tmp_path / "back"), code=4)

    [fault] = found["faults"]
    assert (found["files"], found["database_faults"]) == (3, [])
    assert fault["path"].endswith(name)


def test_kept_files_are_compared_with_their_sources(root: Path, told: Any) -> None:
    path = next(root.rglob(f"{SessionBuilder('old').session_id}.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"Done.", b"Gone."))

    assert told("verify")["faults"] == []
    [fault] = told("verify", "--sources", code=4)["faults"]

    assert "differs from its source; `clew sync` archives a new version" in fault["fault"]

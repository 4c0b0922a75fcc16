"""`clew sync`: what is kept, what is said, and what happens when it cannot be."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew.cli import main
from clew.cli.sync import describe, describe_change
from clew.store import SyncReport
from clew.store.lock import writer_lock
from tests.build import SessionBuilder, bash
from tests.surface.running import CLEW, on_terminal, read_only, run, small_disk, unreadable


def session(name: str = "one") -> SessionBuilder:
    """Give a small session with a tool call."""
    return SessionBuilder(name).user("Count the files").tools(bash("ls", "a\nb")).assistant("Two.")


@pytest.fixture
def root(machine: Path) -> Path:
    """Give a root with one session."""
    session().write(machine)
    return machine


@pytest.fixture
def report(capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., dict[str, Any]]:
    """Sync with these words, and give the report."""

    def sync(*words: str) -> dict[str, Any]:
        assert main(["sync", "--json", *words]) == 0
        value: dict[str, Any] = json.loads(capsysbinary.readouterr().out)
        return value

    return sync


def test_the_report_counts_the_work(root: Path, report: Callable[..., dict[str, Any]]) -> None:
    size = sum(path.stat().st_size for path in root.rglob("*.jsonl"))

    found = report()

    assert (found["schema"], found["roots"]) == ("clew.sync/1", [str(root)])
    assert (found["files_seen"], found["files_new"], found["bytes_read"]) == (1, 1, size)
    assert (found["sessions_written"], found["errors"]) == (1, [])
    assert found["rows_written"] > 5


@pytest.mark.usefixtures("root")
def test_a_second_sync_does_nothing_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    main(["sync"])
    first = capsys.readouterr().out

    main(["sync"])

    assert first.startswith("1 file: 1 new\n")
    assert "updated 1 of 1 session" in first
    assert capsys.readouterr() == ("1 file, no changes\n", "")


@pytest.mark.usefixtures("root")
def test_another_root_is_kept_too(tmp_path: Path, report: Callable[..., dict[str, Any]]) -> None:
    session("two").write(tmp_path / "backup")

    found = report("--root", str(tmp_path / "backup"))

    assert (found["files_new"], found["sessions_total"]) == (2, 2)


def test_rows_are_made_again_without_the_source(
    root: Path, report: Callable[..., dict[str, Any]]
) -> None:
    report()
    shutil.rmtree(root)

    found = report("--rebuild")

    assert (found["sessions_written"], found["bytes_read"]) == (1, 0)


@pytest.mark.parametrize("target", ["elsewhere.jsonl", "elsewhere"])
def test_a_link_that_leads_out_of_the_root_is_named_and_not_followed(
    root: Path, tmp_path: Path, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere.jsonl").write_text("words of somebody else", "utf-8")
    session = next(root.rglob("*.jsonl"))
    link = session.with_suffix("") / "tool-results" / "planted.txt"
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / target)

    main(["sync"])

    assert (
        f"clew: skipped: {link}: a symbolic link to a path outside the root"
        in capsys.readouterr().err
    )
    main(["check", "--json"])
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert [found["count"] for found in problems if found["kind"] == "link_outside"] == [1]
    main(["export", "jsonl", "-o", str(tmp_path / "out")])
    assert not list((tmp_path / "out").rglob("planted.txt"))


def test_a_file_that_cannot_be_read_is_named_and_passed_over(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = next(root.rglob("*.jsonl")).with_name("11111111-2222-4333-8444-555555555555.jsonl")

    with unreadable(bad):
        assert main(["sync"]) == 1

    out, err = capsys.readouterr()
    assert out.startswith("2 files: 1 new, 1 skipped\n")
    assert err.startswith(f"clew: skipped: projects/{bad.parent.name}/{bad.name}: ")


@pytest.mark.parametrize("words", [["list"], ["search", "files"], ["usage"], []])
def test_every_command_says_once_that_a_source_cannot_be_read(
    root: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("loop", "other"):
        (root / "projects" / name).symlink_to(name)

    assert main(words) == 0

    err = capsys.readouterr().err
    assert err.count("some files are not archived: ") == 1
    assert f"{root / 'projects' / 'loop'}: Too many levels" in err
    assert "and 1 more problem; run `clew sync` for details" in err


def test_a_root_that_is_not_there_does_not_keep_others_from_being_archived(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sync", "--root", str(tmp_path / "nowhere")]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("1 file: 1 new, 1 skipped\n")
    assert f"no such file or directory: {tmp_path / 'nowhere'}" in err

    assert main(["list", "--root", str(tmp_path / "nowhere")]) == 0
    assert f"no such file or directory: {tmp_path / 'nowhere'}" in capsys.readouterr().err
    assert root.exists()


def test_files_of_a_root_that_is_not_there_for_now_are_not_taken_for_gone(
    root: Path, tmp_path: Path, report: Any, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    other = tmp_path / "other"
    session("two").write(other)
    report("--root", str(other))
    other.rename(tmp_path / "away")

    assert main(["sync", "--root", str(other)]) == 1
    capsysbinary.readouterr()
    (tmp_path / "away").rename(other)

    assert report("--root", str(other))["files_unchanged"] == 2
    assert root.exists()


@pytest.mark.usefixtures("root")
def test_a_second_sync_at_once_is_told_who_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with writer_lock(tmp_path / "home" / "lock"):
        code = main(["sync"])

    assert code == 1
    assert capsys.readouterr().err == (
        f"clew: the archive is in use by process {os.getpid()}; run this again when it has "
        "finished\n"
    )


def test_readers_read_while_another_process_writes(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["sync"])
    session("two").write(root)
    writer = apsw.Connection(str(tmp_path / "home" / "archive.db"))
    capsys.readouterr()

    with writer_lock(tmp_path / "home" / "lock"), writer:
        writer.execute("DELETE FROM session")
        code = main(["list"])

    assert code == 0
    assert capsys.readouterr().out.count("Count the files") == 1
    writer.close()


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("size", [40_000, 200_000])
def test_a_full_disk_is_told_in_one_sentence(tmp_path: Path, size: int) -> None:
    with small_disk(tmp_path / "disk", size) as limit:
        done = run("sync", before=limit, CLEW_HOME=str(tmp_path / "disk" / "home"))

    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.startswith("clew: ")
    assert str(tmp_path / "disk" / "home") in done.err


def test_what_was_kept_before_the_disk_was_full_stays_readable(root: Path, tmp_path: Path) -> None:
    home = tmp_path / "disk" / "home"
    with small_disk(tmp_path / "disk", 2_000_000) as limit:
        run("sync", before=limit, CLEW_HOME=str(home))
        big = session("big").user("x").tools(bash("cat", os.urandom(2_000_000).hex()))
        big.write(root)
        failed = run("sync", before=limit, CLEW_HOME=str(home))
        listed = run("list", before=limit, CLEW_HOME=str(home))

    assert failed.code == 1
    assert (listed.code, listed.out.count("Count the files")) == (0, 1)
    assert listed.err.startswith("clew: not synced, showing the archive as it is: ")


@pytest.mark.usefixtures("root")
def test_a_folder_that_cannot_be_written_is_told_with_what_to_do(tmp_path: Path) -> None:
    with read_only(tmp_path / "locked"):
        done = run("sync", CLEW_HOME=str(tmp_path / "locked" / "home"))

    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert "cannot be written" in done.err
    assert "choose another with --archive" in done.err


def test_a_database_that_is_none_is_told(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "archive.db").write_bytes(b"no database at all, but long enough" * 99)

    code = main(["sync", "--root", str(root)])

    assert code == 1
    assert "archive.db is damaged" in capsys.readouterr().err


def test_a_database_that_is_damaged_in_the_middle_is_told(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["sync", "--root", str(root)])
    database = tmp_path / "home" / "archive.db"
    kept = database.read_bytes()
    database.write_bytes(kept[:8192] + b"\xff" * (len(kept) - 8192))

    code = main(["list", "--no-sync"])

    assert code == 1
    assert "archive.db is damaged" in capsys.readouterr().err


def test_without_any_root_nothing_is_made(
    machine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.rmdir()

    assert main(["sync"]) == 3
    assert "no transcripts found in" in capsys.readouterr().err
    assert not (tmp_path / "home").exists()


@pytest.mark.usefixtures("root")
def test_a_terminal_sees_how_far_it_is() -> None:
    shown = on_terminal("sync")

    assert "Archiving" in shown
    assert "1 file: 1 new" in shown


def test_watching_takes_in_what_comes_until_it_is_interrupted(root: Path) -> None:
    process = subprocess.Popen(  # noqa: S603 (our own module)
        [*CLEW, "sync", "--watch", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    path = next(root.rglob("*.jsonl"))
    with path.open("ab") as stream:
        stream.write(b'{"type":"ai-title","aiTitle":"Counting","sessionId":"x"}\n')
    second = json.loads(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()

    assert (first["files_new"], second["files_grown"]) == (1, 1)
    assert (process.returncode, out, err) == (0, b"", b"Watching for changes (Ctrl-C to stop)\n")


@pytest.mark.usefixtures("root")
def test_watching_waits_for_whoever_writes_first(tmp_path: Path) -> None:
    with writer_lock(tmp_path / "home" / "lock"):
        process = subprocess.Popen(  # noqa: S603 (our own module)
            [*CLEW, "sync", "--watch", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    process.communicate()

    assert (first["files_new"], process.returncode) == (1, 0)


def test_what_goes_away_while_watching_is_told_as_that() -> None:
    came = SyncReport(files_grown=1, bytes_read=2600, sessions_written=1)

    assert describe_change(came) == "1 file, 2.6 kB, 1 session updated"
    assert describe_change(SyncReport(files_vanished=1)) == ("1 file deleted from the source")
    assert describe_change(SyncReport(files_seen=3)) == ""


def test_sessions_that_another_sync_archives_are_counted() -> None:
    left = SyncReport(files_seen=3, sessions_busy=2, sessions_total=5)
    assert describe(left) == ["3 files, no changes", "Left 2 sessions to another sync"]
    assert left.is_unfinished
    assert not SyncReport(files_seen=3, sessions_total=5).is_unfinished


@pytest.mark.usefixtures("root")
def test_rebuilding_for_ever_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sync", "--watch", "--rebuild"]) == 2
    assert "--rebuild cannot be combined" in capsys.readouterr().err


def test_a_folder_without_transcripts_is_named(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sync"]) == 3
    assert f"no transcripts found in {machine}; " in capsys.readouterr().err


def test_what_was_never_kept_cannot_be_rebuilt(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert root.exists()
    assert main(["sync", "--rebuild"]) == 3
    assert "run `clew sync` to create it" in capsys.readouterr().err
    assert not (tmp_path / "home").exists()


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("words", [["list"], []])
@pytest.mark.parametrize("size", [200_000, 1_000_000])
def test_a_disk_that_is_full_from_the_start_is_no_lack_of_transcripts(
    tmp_path: Path, words: list[str], size: int
) -> None:
    home = tmp_path / "disk" / "home"
    session("big").tools(bash("cat", os.urandom(700_000).hex())).write(tmp_path / "claude")
    with small_disk(tmp_path / "disk", size) as limit:
        done = run(*words, before=limit, CLEW_HOME=str(home))

    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("clew: no space left")


@pytest.mark.usefixtures("root")
def test_a_first_sync_that_runs_elsewhere_is_told_of(
    machine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = machine.rename(tmp_path / "hidden")
    machine.mkdir()
    main(["sync"])
    machine.rmdir()
    hidden.rename(machine)
    capsys.readouterr()

    with writer_lock(tmp_path / "home" / "lock"):
        code = main(["list"])

    assert code == 1
    assert "is in use by process" in capsys.readouterr().err

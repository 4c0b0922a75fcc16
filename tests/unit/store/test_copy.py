"""One archive into another: whole, in parts, again, interrupted, and where both differ."""

import datetime as dt
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clew.archive import Archive, NoArchiveError
from clew.errors import UsageError
from clew.store import CopyReport, Home
from tests.build import SessionBuilder, bash
from tests.dump import dump, home_of, kept, tree

NOW = dt.datetime(2026, 11, 16, 12, tzinfo=dt.UTC)
SCRIPT = """
import sys
from pathlib import Path
import clew

with clew.open_archive(sys.argv[1]) as source, clew.open_archive(sys.argv[2]) as target:
    print("started", flush=True)
    source.copy_to(target, workers=2)
"""


def session(name: str) -> SessionBuilder:
    builder = SessionBuilder(name).user(f"Do {name}").tools(bash("ls", name))
    builder.agent("Look", "Look.", lambda run: run.assistant("Seen."))
    return builder.assistant("Done.")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a root with some sessions."""
    for number in range(4):
        session(f"s{number}").write(tmp_path / "root")
    return tmp_path / "root"


@pytest.fixture
def source(tmp_path: Path, root: Path) -> Archive:
    """Give an archive of the root."""
    archive = Archive(Home(tmp_path / "source"))
    archive.sync([root], now=NOW, workers=1)
    return archive


@pytest.fixture
def target(tmp_path: Path) -> Archive:
    """Give an archive that does not exist yet."""
    return Archive(Home(tmp_path / "target"))


def copy(source: Archive, target: Archive) -> CopyReport:
    return source.copy_to(target, now=NOW, workers=1)


def faults(archive: Archive) -> list[str]:
    with archive:
        return [
            found.fault for found in archive.verify() if found.fault
        ] + archive.verify_database()


def test_a_copy_has_the_same_files_rows_and_bytes(source: Archive, target: Archive) -> None:
    report = copy(source, target)

    files = len(source.archived_files())
    assert (report.files, report.files_copied, report.sessions) == (files, files, 4)
    assert (report.bytes_copied, report.sessions_written) == (report.bytes, 4)
    assert report.faults == []
    assert dump(home_of(target)) == dump(home_of(source))
    assert kept(home_of(target)) == kept(home_of(source))
    assert tree(home_of(target).blobs) == tree(home_of(source).blobs)
    assert faults(target) == []


def test_what_is_there_is_not_copied_again(source: Archive, target: Archive) -> None:
    copy(source, target)
    before = tree(home_of(target).blobs)

    report = copy(source, target)

    assert (report.files_copied, report.bytes_copied, report.sessions_written) == (0, 0, 0)
    assert tree(home_of(target).blobs) == before


def test_what_has_grown_is_added(source: Archive, target: Archive, root: Path) -> None:
    copy(source, target)
    grown = session("s1").user("More").assistant("Sure.").write(root)
    SessionBuilder("new").user("New").assistant("Yes.").write(root)
    source.sync([root], now=NOW, workers=1)

    report = copy(source, target)

    assert (report.files_copied, report.sessions_written) == (2, 2)
    assert report.bytes_copied < grown.stat().st_size + 2_000
    assert dump(home_of(target)) == dump(home_of(source))
    assert kept(home_of(target)) == kept(home_of(source))
    assert faults(target) == []


def test_earlier_versions_and_vanished_files_are_copied(
    source: Archive, target: Archive, root: Path
) -> None:
    path = next(root.rglob(f"{SessionBuilder('s0').session_id}.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"Done.", b"Over."))
    next(root.rglob(f"{SessionBuilder('s2').session_id}.jsonl")).unlink()
    source.sync([root], now=NOW + dt.timedelta(days=1), workers=1)

    assert copy(source, target).faults == []

    assert [
        file.generation for file in target.archived_files() if file.path.endswith(path.name)
    ] == [2]
    assert kept(home_of(target)) == kept(home_of(source))
    assert tree(home_of(target).blobs) == tree(home_of(source).blobs)
    with source, target:
        ours, theirs = (
            {row[1:] for row in archive._reader.database.rows("file_times")}  # noqa: SLF001
            for archive in (source, target)
        )
    first, later = "2026-11-16T12:00:00.000Z", "2026-11-17T12:00:00.000Z"
    assert ours == theirs == {(first, None), (first, later)}


def test_what_else_the_destination_has_stays(
    source: Archive, target: Archive, tmp_path: Path
) -> None:
    SessionBuilder("other").user("Mine").assistant("Yes.").write(tmp_path / "elsewhere")
    target.sync([tmp_path / "elsewhere"], now=NOW, workers=1)

    report = copy(source, target)

    assert (report.sessions, report.faults) == (4, [])
    assert target.count("sessions") == 5


def test_two_archives_of_one_root_agree_whatever_they_got_when(
    source: Archive, target: Archive, root: Path
) -> None:
    """Frames differ, bytes do not: nothing is copied that the destination has."""
    path = session("s3").user("More").assistant("Sure.").write(root)
    source.sync([root], now=NOW, workers=1)
    target.sync([root], now=NOW, workers=1)

    first = copy(source, target)
    with path.open("ab") as stream:
        stream.write(path.read_bytes().splitlines(keepends=True)[-1])
    target.sync([root], now=NOW, workers=1)
    second = copy(source, target)
    source.sync([root], now=NOW, workers=1)
    third = copy(target, source)

    assert (first.files_copied, second.files_copied, third.files_copied) == (0, 0, 0)
    assert first.faults + second.faults + third.faults == []


def test_a_longer_file_in_other_frames_is_copied_whole(
    source: Archive, target: Archive, root: Path
) -> None:
    target.sync([root], now=NOW, workers=1)
    path = session("s3").user("More").assistant("Sure.").write(root)
    target.sync([root], now=NOW, workers=1)
    session("s3").user("More").assistant("Sure.").user("And more").assistant("Yes.").write(root)
    shutil.rmtree(home_of(source).folder)
    source.close()
    source.sync([root], now=NOW, workers=1)

    report = copy(source, target)

    assert (report.files_copied, report.faults) == (1, [])
    [file] = [file for file in target.archived_files() if file.path.endswith(path.name)]
    assert b"".join(target.read_file(file)) == path.read_bytes()
    assert dump(home_of(target)) == dump(home_of(source))
    assert faults(target) == []


def test_another_file_of_the_same_name_is_not_overwritten(
    source: Archive, target: Archive, root: Path
) -> None:
    path = next(root.rglob(f"{SessionBuilder('s0').session_id}.jsonl"))
    other = path.read_bytes().replace(b"Done.", b"Over.")
    path.write_bytes(other)
    target.sync([root], now=NOW, workers=1)

    report = copy(source, target)

    [fault] = report.faults
    assert fault.path.endswith(path.name)
    assert "the destination has another version of" in fault.fault
    [file] = [file for file in target.archived_files() if file.path.endswith(path.name)]
    assert b"".join(target.read_file(file)) == other


def test_a_damaged_file_is_reported_and_the_rest_is_copied(
    source: Archive, target: Archive
) -> None:
    blob = next(home_of(source).blobs.rglob(f"{SessionBuilder('s0').session_id}.jsonl.zst"))
    data = bytearray(blob.read_bytes())
    data[len(data) // 2] ^= 1
    blob.write_bytes(data)

    report = copy(source, target)

    [fault] = report.faults
    assert "is damaged" in fault.fault
    assert report.files_copied == report.files - 1


def test_a_damaged_copy_is_made_again(source: Archive, target: Archive) -> None:
    copy(source, target)
    target.close()
    blob = next(home_of(target).blobs.rglob(f"{SessionBuilder('s0').session_id}.jsonl.zst"))
    whole = blob.read_bytes()
    blob.write_bytes(whole[:-9])

    report = copy(source, target)

    assert (report.files_copied, report.faults) == (1, [])
    assert blob.read_bytes() == whole
    assert faults(target) == []


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_copy_is_completed_by_the_next(
    source: Archive, target: Archive, root: Path, seed: int
) -> None:
    for number in range(60):
        session(f"k{number}").write(root)
    source.sync([root], now=NOW, workers=2)
    source.close()
    words = [sys.executable, "-c", SCRIPT]
    words += [str(home_of(source).folder), str(home_of(target).folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(random.Random(seed).uniform(0.05, 1.5))  # noqa: S311 (when to kill it)
        process.kill()
        process.stdout.read()

    report = copy(source, target)

    assert report.faults == []
    assert dump(home_of(target)) == dump(home_of(source))
    assert kept(home_of(target)) == kept(home_of(source))
    assert faults(target) == []


def test_an_archive_is_not_copied_to_itself(source: Archive, target: Archive) -> None:
    with pytest.raises(UsageError, match="cannot be copied to itself"):
        copy(source, Archive(source.location))
    with pytest.raises(NoArchiveError):
        copy(target, source)

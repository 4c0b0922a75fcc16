"""Damage to archived files and to the database: repaired or reported, never taken for truth."""

import datetime as dt
import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import msgspec
import pytest

from clew.archive import Archive
from clew.errors import ClewError
from clew.store import DAMAGE, Home, RestoredFile, SyncReport, sync
from clew.store.archived_files import load_files, load_frames
from clew.store.frames import OLD_HASH_BYTES
from clew.store.sqlite import SqliteDatabase
from tests.build import SessionBuilder
from tests.dump import dump, tree

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

NOW = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
FLIPS = int(os.environ.get("CLEW_FLIPS", "16"))
"""How many bytes are flipped, one at a time; set it to 200 or more after work on the archive."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a root with sessions, one of which has a sidecar and was rewritten, all archived."""
    place = tmp_path / "claude"
    for name in ("one", "two", "three"):
        session = SessionBuilder(name).user(f"hi, {name}").assistant("well " * 200)
        session.write(place)
    path = session_path(place, "one")
    sidecar = path.with_suffix("") / "tool-results" / "out.txt"
    sidecar.parent.mkdir(parents=True)
    sidecar.write_bytes(random.Random(7).randbytes(3000))  # noqa: S311 (a test's dice)
    keep(Home(tmp_path / "home"), place)
    with sidecar.open("ab") as stream:
        stream.write(b"more" * 100)
    path.write_bytes(path.read_bytes()[:-1] + b" \n")
    keep(Home(tmp_path / "home"), place)
    return place


@pytest.fixture
def home(root: Path) -> Home:
    return Home(root.with_name("home"))


def keep(home: Home, *roots: Path) -> SyncReport:
    return sync(home, roots, now=NOW, workers=1)


def session_path(root: Path, name: str) -> Path:
    return next(root.rglob(f"{SessionBuilder(name).session_id}.jsonl"))


def blob_of(home: Home, path: Path) -> Path:
    return max(home.blobs.rglob(f"{path.name}*.zst"))


def flip(path: Path, at: int | None = None) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2 if at is None else at] ^= 1
    path.write_bytes(data)


def faults(home: Home, *, sources: bool = False) -> list[str]:
    with Archive(home) as archive:
        return [found.fault for found in archive.verify(sources=sources) if found.fault]


def restore(home: Home, folder: Path) -> list[RestoredFile]:
    with Archive(home) as archive:
        return list(archive.restore(folder, earlier=True))


def lose_database(home: Home) -> None:
    for path in home.folder.glob("archive.db*"):
        path.unlink()


@pytest.mark.parametrize("harm", ["cut", "gone"])
def test_a_copy_that_is_too_short_is_repaired_while_its_source_is_there(
    root: Path, home: Home, harm: str
) -> None:
    before = dump(home)
    blob = blob_of(home, session_path(root, "two"))
    blob.write_bytes(blob.read_bytes()[:-1]) if harm == "cut" else blob.unlink()

    report = keep(home, root)

    assert (report.files_repaired, report.files_grown, report.faults) == (1, 0, [])
    assert faults(home) == []
    assert dump(home) == before
    assert keep(home, root).bytes_read == 0


def read_all(archive: Archive) -> object:
    return [list(archive.read_file(file)) for file in archive.archived_files()]


@pytest.mark.parametrize("meet", [lambda archive: list(archive.verify()), read_all])
def test_a_damaged_copy_that_anybody_met_is_repaired_by_the_next_sync(
    root: Path, home: Home, meet: Callable[[Archive], object]
) -> None:
    flip(blob_of(home, session_path(root, "two")))
    with Archive(home) as archive:
        try:
            meet(archive)
        except ClewError as error:
            assert "is damaged" in str(error)  # noqa: PT017 (only one of them raises)

    report = keep(home, root)

    assert (report.files_repaired, report.faults) == (1, [])
    assert faults(home) == []


def test_a_damaged_copy_that_rows_are_to_be_made_from_is_repaired_by_the_next_sync(
    root: Path, home: Home
) -> None:
    flip(blob_of(home, session_path(root, "two")))
    broken = sync(home, [], now=NOW, rebuild=True)

    report = keep(home, root)

    assert len(broken.faults) == 1
    assert (report.files_repaired, report.faults) == (1, [])
    assert faults(home) == []


def test_a_damaged_copy_without_a_source_is_reported_once_and_verified_every_time(
    root: Path, home: Home
) -> None:
    path = session_path(root, "two")
    blob_of(home, path).unlink()
    path.unlink()

    first, second = keep(home, root), keep(home, root)

    assert (len(first.faults), second.faults) == (1, [])
    assert len(faults(home)) == len(faults(home)) == 1


def test_a_copy_that_was_put_back_is_whole_again(root: Path, home: Home) -> None:
    path = session_path(root, "two")
    blob = blob_of(home, path)
    whole = blob.read_bytes()
    path.unlink()
    flip(blob)
    assert len(faults(home)) == 1
    blob.write_bytes(whole)

    assert faults(home) == []
    assert keep(home, root).faults == []


def test_one_damaged_copy_does_not_keep_others_from_being_restored(
    root: Path, home: Home, tmp_path: Path
) -> None:
    path = session_path(root, "two")
    flip(blob_of(home, path))

    done = restore(home, tmp_path / "back")

    [faulty] = [file for file in done if file.fault]
    assert (faulty.path.name, faulty.size_bytes) == (path.name, 0)
    assert "is damaged" in faulty.fault
    name = path.relative_to(root).as_posix()
    assert {*tree(tmp_path / "back")} >= {*tree(root)} - {name}
    assert name not in tree(tmp_path / "back")


def test_an_earlier_version_and_a_file_of_that_name_are_both_restored(
    root: Path, home: Home, tmp_path: Path
) -> None:
    path = session_path(root, "one")
    path.with_name(f"{path.name}.g1").write_bytes(b"something else\n")
    keep(home, root)

    assert not [file.fault for file in restore(home, tmp_path / "back") if file.fault]

    back = tree(tmp_path / "back")
    assert tree(root).items() <= back.items()
    assert len(back) == len(tree(root)) + 1


def test_a_name_that_cannot_be_written_does_not_stop_a_restore(
    root: Path, home: Home, tmp_path: Path
) -> None:
    connection = apsw.Connection(str(home.database))
    connection.execute("UPDATE source_file SET path = '../' || path WHERE path LIKE '%out.txt'")
    connection.close()

    done = restore(home, tmp_path / "back" / "here")

    assert len([file for file in done if file.fault]) == 1
    assert len(tree(tmp_path / "back")) == len(done) - 1 == len(tree(tmp_path / "back" / "here"))
    assert root.exists()


def test_verifying_compares_with_the_sources_and_the_next_sync_keeps_them(
    root: Path, home: Home, tmp_path: Path
) -> None:
    path = session_path(root, "two")
    status = path.stat()
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert keep(home, root).files_unchanged == len(tree(root))

    assert faults(home) == []
    [fault] = faults(home, sources=True)
    report = keep(home, root)

    assert "differs from its source" in fault
    assert report.files_rewritten == 1
    assert faults(home, sources=True) == []
    restore(home, tmp_path / "back")
    assert tree(root).items() <= tree(tmp_path / "back").items()


def test_what_is_left_of_a_damaged_copy_is_known_again_and_reported(
    root: Path, home: Home, tmp_path: Path
) -> None:
    path = next(root.rglob("out.txt"))
    blob = blob_of(home, path)
    whole = blob.read_bytes()
    flip(blob, len(whole) - 8)
    shutil.rmtree(root)
    lose_database(home)

    report = keep(home)

    assert [fault for fault in report.faults if "bytes are unreadable" in fault]
    assert len(faults(home)) == 1
    assert [file.path.name for file in restore(home, tmp_path / "back") if file.fault] == [
        path.name
    ]
    with Archive(home) as archive:
        [file] = [file for file in archive.archived_files() if file.path.endswith(path.name)]
        assert b"".join(archive.read_file(file)) == zstd.decompress(whole)[:3000]

    blob.write_bytes(whole)
    assert keep(home).faults == []
    assert faults(home) == []


def test_after_a_lost_database_damage_is_repaired_from_the_source(root: Path, home: Home) -> None:
    path = next(root.rglob("out.txt"))
    flip(blob_of(home, path), -8)
    lose_database(home)

    report = keep(home, root)

    assert report.faults == []
    assert faults(home, sources=True) == []


def test_a_copy_that_cannot_be_opened_without_a_database_is_reported(
    root: Path, home: Home
) -> None:
    blob = blob_of(home, next(root.rglob("out.txt")))
    blob.unlink()
    blob.symlink_to(home.folder / "nowhere")
    shutil.rmtree(root)
    lose_database(home)

    report = keep(home)

    assert [fault for fault in report.faults if blob.name in fault]
    assert len(report.faults) == 1


def age(home: Home) -> None:
    """Give an archive the frames that it had before they had checksums."""
    connection = apsw.Connection(str(home.database))
    database = SqliteDatabase(connection)
    for file in load_files(database).values():
        at = 0
        packed = []
        frames = load_frames(database, file.id, file.generation)
        blob = home.blobs / file.blob
        for number, frame in enumerate(frames):
            data = zstd.decompress(blob.read_bytes()[frame.blob_start :][: frame.blob_bytes])
            packed.append(zstd.compress(data))
            old = frame.hash[:OLD_HASH_BYTES]
            values = (at, len(packed[-1]), old, file.id, file.generation, number)
            connection.execute(
                "UPDATE frame SET blob_start = ?, blob_bytes = ?, hash = ? "
                "WHERE file_id = ? AND generation = ? AND number = ?",
                values,
            )
            at += len(packed[-1])
        blob.write_bytes(b"".join(packed))
    connection.close()


def test_blobs_without_checksums_are_sealed_and_go_on_growing(
    root: Path, home: Home, tmp_path: Path
) -> None:
    age(home)
    assert keep(home, root).bytes_read == 0
    path = next(root.rglob("out.txt"))
    with path.open("ab") as stream:
        stream.write(b"and more")

    assert keep(home, root).files_grown == 1

    assert faults(home, sources=True) == []
    assert zstd.decompress(blob_of(home, path).read_bytes()) == path.read_bytes()
    lose_database(home)
    assert keep(home, root).faults == []
    restore(home, tmp_path / "back")
    assert tree(root).items() <= tree(tmp_path / "back").items()


def test_a_blob_that_is_damaged_before_it_is_sealed_is_repaired(root: Path, home: Home) -> None:
    age(home)
    flip(blob_of(home, session_path(root, "two")))
    keep(home, root)

    report = keep(home, root)

    assert (report.files_repaired, report.faults) == (1, [])
    assert faults(home, sources=True) == []


def test_a_damaged_database_is_found_by_its_own_check_and_by_the_files(
    root: Path, home: Home
) -> None:
    connection = apsw.Connection(str(home.database))
    connection.execute("DELETE FROM frame WHERE file_id = (SELECT max(id) FROM source_file)")
    connection.execute("DELETE FROM source_file WHERE id = (SELECT max(id) FROM source_file)")
    connection.execute("PRAGMA writable_schema = 1")
    connection.execute("DELETE FROM sqlite_schema WHERE name = 'source_file_session'")
    connection.close()

    with Archive(home) as archive:
        found = archive.verify_database()

    assert [fault for fault in found if "never used" in fault]
    assert [fault for fault in found if "is not in it" in fault]
    assert root.exists()


class Trial(msgspec.Struct):
    """One flipped byte: what was restored after it, and whether anything was reported."""

    restored: dict[str, bytes]
    is_reported: bool


def try_out(home: Home, roots: list[Path], back: Path) -> Trial:
    """Sync if there is anything to sync, and restore all."""
    try:
        if roots or not home.database.exists():
            keep(home, *roots)
        with Archive(home) as archive:
            done = list(archive.restore(back, earlier=True))
            wrong = archive.verify_database(kept_only=True)
    except (ClewError, *DAMAGE):
        return Trial(tree(back), is_reported=True)
    return Trial(tree(back), bool(wrong) or any(file.fault for file in done))


@pytest.mark.parametrize("with_sources", [True, False])
@pytest.mark.parametrize("with_database", [True, False])
def test_whichever_byte_is_flipped_what_is_restored_is_right_or_reported(
    root: Path, home: Home, tmp_path: Path, *, with_sources: bool, with_database: bool
) -> None:
    chance = random.Random(f"{with_sources} {with_database}")  # noqa: S311 (a test's dice)
    restore(home, tmp_path / "back")
    truth = tree(tmp_path / "back")
    files = sorted(path for path in home.blobs.rglob("*.zst") if path.stat().st_size)
    files += [home.database] * len(files) if with_database else []
    for number in range(FLIPS // 4):
        damaged = Home(tmp_path / f"home {number}")
        shutil.copytree(home.folder, damaged.folder)
        harmed = chance.choice(files).relative_to(home.folder)
        at = chance.randrange((home.folder / harmed).stat().st_size)
        flip_byte(damaged.folder / harmed, at, chance.randrange(1, 256))
        if not with_database:
            lose_database(damaged)

        back = tmp_path / f"back {number}"
        trial = try_out(damaged, [root] if with_sources else [], back)

        # Where the database forgot what it knew of a file, that is kept once more as a version.
        wrong = [data for data in trial.restored.values() if data not in truth.values()]
        is_right = not wrong and truth.items() <= trial.restored.items()
        assert is_right or trial.is_reported, (harmed, at)
        shutil.rmtree(damaged.folder)


def flip_byte(path: Path, at: int, mask: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= mask
    path.write_bytes(data)

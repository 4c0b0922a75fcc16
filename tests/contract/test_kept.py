"""What stays of the kept bytes, whatever happens to their sources and to the database."""

import datetime as dt
import errno
import io
import os
import random
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from clew.archive import Archive
from clew.source import to_name
from clew.store import (
    Frame,
    Home,
    Location,
    SyncReport,
    frame_writer,
    frames,
    open_any_version,
    open_reader,
    sync,
)
from clew.store.compare import COMPARED_BYTES, windows
from tests.build import SessionBuilder
from tests.dump import dump, kept, tree

# Before any file of a test was written, so that none of them is idle.
NOW = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
LONG = 3 * 4096


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "claude"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def write(root: Path, name: str = "talk") -> Path:
    """Write a session."""
    session = SessionBuilder(name).user("hi").assistant("middle " * LONG).user("so long")
    return session.write(root)


def write_long(root: Path) -> Path:
    """Write a sidecar that is longer than what is compared of a file that grew."""
    path = write(root).with_suffix("") / "tool-results" / "long.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(random.Random(7).randbytes(3 << 20))  # noqa: S311 (a test's dice)
    return path


def edit_middle(location: Location, path: Path, *, is_seen: bool = False) -> bytes:
    """Give a file's bytes with one of them changed, in none of the windows or in one of them."""
    data = bytearray(path.read_bytes())
    [frames] = [
        frames_of(location, name) for name, *_ in kept(location) if name.endswith(path.name)
    ]
    looked = [range(start, start + size) for start, size in windows(len(data), frames)]
    seen = looked[len(looked) // 2][0]
    unseen = next(at for at in range(len(data) // 2, 0, -1) if not any(at in w for w in looked))
    data[seen if is_seen else unseen] ^= 1
    return bytes(data)


def frames_of(location: Location, path: str) -> list[Frame]:
    reader = open_any_version(location)
    [file] = [file for file in reader.files() if file.path == path]
    frames = reader.frames(file)
    reader.close()
    return frames


def write_over(path: Path, data: bytes) -> None:
    """Write to a file as it is, so that it stays the same file."""
    with path.open("r+b") as stream:
        stream.write(data)


def keep(location: Location, root: Path, *, later: bool = False) -> SyncReport:
    """Sync now, or when nobody has written to any file for an hour."""
    now = dt.datetime.now(dt.UTC) + dt.timedelta(hours=1) if later else NOW
    return sync(location, [root], now=now, workers=1)


def give_back(location: Location, folder: Path, *, earlier: bool = False) -> dict[str, bytes]:
    archive = Archive(location)
    assert not [found.fault for found in archive.verify() if found.fault]
    assert archive.verify_database() == []
    assert not [file.fault for file in archive.restore(folder, earlier=earlier) if file.fault]
    archive.close()
    return tree(folder)


def test_debug_logs_are_kept_with_their_sessions_and_make_none(
    root: Path, location: Location, tmp_path: Path
) -> None:
    name = write(root).stem
    (root / "debug").mkdir()
    for log in (name, "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", "other"):
        (root / "debug" / f"{log}.txt").write_bytes(b"2026-11-01T09:00:00Z [DEBUG] started\n")

    keep(location, root)

    logs = {path: session for path, kind, session, *_ in kept(location) if kind == "debug"}
    assert logs[f"debug/{name}.txt"] == name
    assert logs["debug/other.txt"] is None
    assert [row[1] for row in dump(location)["session"]] == [name]
    assert give_back(location, tmp_path / "back") == tree(root)


def test_a_change_in_the_middle_that_leaves_the_size_is_kept(
    root: Path, location: Location, tmp_path: Path
) -> None:
    path = write_long(root)
    keep(location, root)
    path.write_bytes(edit_middle(location, path))

    report = keep(location, root)

    assert report.files_rewritten == 1
    assert give_back(location, tmp_path / "back") == tree(root)


def test_a_file_that_was_emptied_is_whole_in_its_earlier_version(
    root: Path, location: Location
) -> None:
    path = SessionBuilder("emptied").user("hello").write(root)
    before = path.read_bytes()
    keep(location, root)
    path.write_bytes(b"")
    keep(location, root)

    with Archive(location) as archive:
        assert [found.fault for found in archive.verify()] == [""]
    reader = open_reader(location)
    assert reader is not None
    with closing(reader):
        (file,) = reader.files()
        assert (file.generation, file.kept_bytes) == (2, 0)
        assert b"".join(reader.read_file(file, 1)) == before


def test_a_file_in_the_place_of_another_is_compared_with_all_of_it(
    root: Path, location: Location, tmp_path: Path
) -> None:
    path = write_long(root)
    keep(location, root)
    other = path.with_suffix(".new")
    other.write_bytes(edit_middle(location, path) + b"{}\n")
    other.replace(path)

    report = keep(location, root)

    assert report.files_rewritten == 1
    assert give_back(location, tmp_path / "back") == tree(root)


def test_a_copy_in_the_place_of_a_file_that_grew_is_its_growth(
    root: Path, location: Location
) -> None:
    path = write(root)
    keep(location, root)
    other = path.with_suffix(".new")
    other.write_bytes(path.read_bytes() + b"{}\n")
    other.replace(path)

    report = keep(location, root)

    assert (report.files_grown, report.files_rewritten) == (1, 0)


def test_a_long_file_that_grew_is_read_from_its_end_and_in_windows(
    root: Path, location: Location
) -> None:
    path = write_long(root)
    keep(location, root)
    with path.open("ab") as stream:
        stream.write(b"more")

    report = keep(location, root)

    assert (report.files_grown, report.files_rewritten) == (1, 0)
    assert report.bytes_read <= COMPARED_BYTES + len(b"more")
    assert keep(location, root).bytes_read == 0


def test_a_file_that_was_edited_in_a_window_and_grew_begins_a_generation(
    root: Path, location: Location, tmp_path: Path
) -> None:
    path = write_long(root)
    keep(location, root)
    write_over(path, edit_middle(location, path, is_seen=True) + b"more")

    report = keep(location, root)

    assert (report.files_grown, report.files_rewritten) == (0, 1)
    assert give_back(location, tmp_path / "back") == tree(root)


def test_a_short_file_that_was_edited_anywhere_and_grew_begins_a_generation(
    root: Path, location: Location, tmp_path: Path
) -> None:
    path = write(root)
    keep(location, root)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    write_over(path, bytes(data) + b"{}\n")

    report = keep(location, root)

    assert (report.files_grown, report.files_rewritten) == (0, 1)
    assert give_back(location, tmp_path / "back") == tree(root)


def test_an_edit_that_no_window_shows_is_found_once_nobody_writes_any_more(
    root: Path, location: Location, tmp_path: Path
) -> None:
    path = write_long(root)
    keep(location, root)
    write_over(path, edit_middle(location, path) + b"more")
    assert keep(location, root).files_rewritten == 0

    report = keep(location, root, later=True)

    assert report.files_rewritten == 1
    assert give_back(location, tmp_path / "back") == tree(root)


def test_a_file_that_grew_is_compared_with_all_of_it_once(root: Path, location: Location) -> None:
    path = write_long(root)
    keep(location, root)
    assert keep(location, root, later=True).bytes_read == 0
    with path.open("ab") as stream:
        stream.write(b"more")
    keep(location, root)

    first, second = keep(location, root, later=True), keep(location, root, later=True)

    assert (first.bytes_read, second.bytes_read) == (path.stat().st_size, 0)
    assert first.sessions_written == first.files_rewritten == 0


def test_names_that_are_no_text_are_kept_and_given_back(
    root: Path, location: Location, tmp_path: Path
) -> None:
    path = write(root)
    odd = path.parent.with_name(os.fsdecode(b"-caf\xe9\n"))
    odd.mkdir()
    shutil.copy(path, odd / os.fsdecode(b"\xff.jsonl"))

    report = keep(location, root)

    assert (report.files_new, report.sessions_total) == (2, 2)
    assert keep(location, root).bytes_read == 0
    assert give_back(location, tmp_path / "back") == tree(root)


def test_a_root_whose_name_is_no_text_is_kept(
    root: Path, location: Location, tmp_path: Path
) -> None:
    write(root)
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    root.rename(odd)

    report = keep(location, odd)

    assert [Path(to_name(name)) for name in report.roots] == [odd]
    assert give_back(location, tmp_path / "back") == tree(odd)


def test_names_as_long_as_the_system_allows_are_kept(
    root: Path, location: Location, tmp_path: Path
) -> None:
    deep = root.joinpath("-" + "f" * 254, *["d" * 100] * 3)
    write(deep).with_name("n" * 255).write_bytes(b"long")

    keep(location, deep)

    assert give_back(location, tmp_path / "back") == tree(deep)


def test_a_name_and_another_that_is_its_shortened_form_are_kept_apart(
    root: Path, home: Home, tmp_path: Path
) -> None:
    path = write(root)
    long = "n" * 255
    path.with_name(long).write_bytes(b"long")
    keep(home, root)
    blob = next(home.blobs.rglob("n*.zst"))
    path.with_name(blob.stem).write_bytes(b"short")

    keep(home, root)

    assert len(list(home.blobs.rglob("n*.zst"))) == 2
    assert give_back(home, tmp_path / "back") == tree(root)


def test_a_byte_that_is_no_text_and_the_sign_that_it_becomes_are_kept_apart(
    root: Path, location: Location, tmp_path: Path
) -> None:
    folder = write(root).with_suffix("") / "tool-results"
    folder.mkdir(parents=True)
    for name in (b"x\xff.txt", "x\U0010fcff.txt".encode(), "x\U0010f801.txt".encode()):
        (folder / os.fsdecode(name)).write_bytes(name)

    report = keep(location, root)

    assert (report.files_new, report.errors) == (4, [])
    assert give_back(location, tmp_path / "back") == tree(root)


def test_a_file_named_like_a_generation_of_another_is_kept_apart(
    root: Path, location: Location, tmp_path: Path
) -> None:
    path = write(root, "8c7ddd6a-6d6f-4b8c-9d6e-0f6a3c8f5a11")
    path.with_name(f"{path.name}.g2").write_bytes(b"something else\n")
    keep(location, root)
    path.write_bytes(b"{}\n")

    keep(location, root)

    assert give_back(location, tmp_path / "back") == tree(root)


def test_what_cannot_be_looked_at_is_not_taken_for_gone(root: Path, location: Location) -> None:
    project = write(root).parent
    keep(location, root)
    project.rename(root / "aside")
    project.symlink_to(project)

    report = keep(location, root)

    assert (len(report.errors), report.files_vanished) == (1, 0)


def test_copies_count_for_their_sessions_once_the_original_is_gone(
    root: Path, location: Location
) -> None:
    session = SessionBuilder().user("hi").assistant("hello")
    session.fork("other").write(root)
    path = session.write(root)
    keep(location, root)
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])

    keep(location, root)

    assert dump(location)["model_call"]
    assert [row for row in dump(location)["model_call"] if row[20]] == []


@pytest.mark.parametrize("harm", ["flipped", "cut", "gone"])
def test_a_damaged_copy_is_kept_again_when_its_source_grows(
    root: Path, home: Home, tmp_path: Path, harm: str
) -> None:
    path = write(root)
    keep(home, root)
    damage(next(home.blobs.rglob(f"{path.name}.zst")), harm)
    with path.open("ab") as stream:
        stream.write(b'{"type":"custom-title","customTitle":"Later"}\n')

    report = keep(home, root)

    assert (report.faults, report.files_rewritten) == ([], 0)
    assert [session[2] for session in dump(home)["session"]] == ["Later"]
    assert give_back(home, tmp_path / "back") == tree(root)


def test_a_source_that_cannot_be_read_to_its_end_leaves_its_copy_as_it_was(
    root: Path, location: Location, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(root)
    keep(location, root)
    before = give_back(location, tmp_path / "before")
    with path.open("ab") as stream:
        stream.write(b'{"type":"custom-title","customTitle":"Later"}\n')

    def read_one(stream: io.FileIO) -> Iterator[bytes]:
        yield stream.read(10)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(frame_writer, "read_pieces", read_one)
        report = keep(location, root)
    after = give_back(location, tmp_path / "after")
    repaired = keep(location, root)

    assert (len(report.errors), report.faults) == (1, [])
    assert after == before
    assert (repaired.files_grown, repaired.errors) == (1, [])
    assert give_back(location, tmp_path / "back") == tree(root)


def test_rows_are_the_same_whether_new_bytes_stay_in_memory_or_are_read_again(
    root: Path, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Home(tmp_path / "other")
    path = write(root)
    data = path.read_bytes()
    steps = (data[:-9], data, data + data[:40], data[5:], data)

    for step in steps:
        path.write_bytes(step)
        keep(home, root)
        with monkeypatch.context() as patch:
            patch.setattr(frame_writer, "MAX_HELD_BYTES", 0)
            patch.setattr(frames, "FRAME_BYTES", 1000)
            keep(other, root)
        assert (kept(other), dump(other)) == (kept(home), dump(home))

    assert give_back(other, tmp_path / "back") == tree(root)


def test_a_lost_database_is_made_again_from_the_kept_files(root: Path, home: Home) -> None:
    write(root)
    write(root, "other")
    keep(home, root)
    before = dump(home)
    shutil.rmtree(root)
    lose_database(home)

    report = sync(home, [], now=NOW)

    assert report.errors == []
    assert dump(home) == before


def test_after_a_lost_database_nothing_kept_is_written_over(
    root: Path, home: Home, tmp_path: Path
) -> None:
    path = write(root)
    keep(home, root)
    first = path.read_bytes()
    path.write_bytes(b"{}\n")
    keep(home, root)
    lose_database(home)
    path.write_bytes(b'{"type":"mode"}\n')

    keep(home, root)

    back = give_back(home, tmp_path / "back", earlier=True)
    assert sorted(back.values()) == sorted([first, b"{}\n", b'{"type":"mode"}\n'])
    assert keep(home, root).bytes_read == 0


def test_an_agent_file_beside_its_session_is_known_again(root: Path, home: Home) -> None:
    path = write(root)
    line = path.read_bytes().splitlines(keepends=True)[0]
    path.with_name("agent-1a2b3c4d.jsonl").write_bytes(line)
    keep(home, root)
    before = [row[:5] for row in kept(home)]
    lose_database(home)

    sync(home, [], now=NOW)

    assert [row[:5] for row in kept(home)] == before
    assert {row[2] for row in before} == {path.stem}


def test_kept_files_of_a_folder_that_nobody_knows_are_told(home: Home) -> None:
    folder = home.blobs / "some-where-00000000"
    folder.mkdir(parents=True)
    (folder / "talk.jsonl.zst").write_bytes(b"")

    report = sync(home, [], now=NOW)

    assert report.faults == [
        f"{folder.name}: archived from an unknown directory; use --root to name it"
    ]


def damage(blob: Path, harm: str) -> None:
    raw = blob.read_bytes()
    match harm:
        case "flipped":
            blob.write_bytes(raw[:50] + bytes([raw[50] ^ 1]) + raw[51:])
        case "cut":
            blob.write_bytes(raw[:-1])
        case _:
            blob.unlink()


def lose_database(home: Home) -> None:
    for path in home.folder.glob("archive.db*"):
        path.unlink()

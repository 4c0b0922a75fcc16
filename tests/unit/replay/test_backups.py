"""Copies of files that the client made, as a source of the replay."""

from pathlib import Path

import pytest

from clew.archive import open_archive
from clew.backups import read_backups
from clew.replay import Certainty, ReplayIndex, replay_session
from clew.sessions import find, load
from tests.build import SessionBuilder, bash, edit
from tests.unit.replay.replayed import FILE


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with a session that ran a command, after which the client copied a file."""
    builder = SessionBuilder().at("2026-11-01T09:00:00Z").user("Go.")
    builder.tools(edit(FILE, "a\n", "a", "b")).tools(bash("make"))
    copy = {"backupFileName": "f1@v2", "version": 2, "backupTime": "2026-11-01T09:05:00.000Z"}
    lost = {"backupFileName": "f2@v1", "version": 1, "backupTime": "2026-11-01T09:05:00.000Z"}
    tracked = {"a.py": copy, "b.py": lost, "c.py": copy | {"backupFileName": None}}
    snapshot = {"messageId": "m", "trackedFileBackups": tracked}
    for _ in range(2):
        builder.row({"type": "file-history-snapshot", "messageId": "m", "snapshot": snapshot})
    builder.write(tmp_path)
    folder = tmp_path / "file-history" / builder.session_id
    folder.mkdir(parents=True)
    (folder / "f1@v2").write_bytes(b"made\r\n")
    return tmp_path


def test_a_copy_shows_what_a_command_left(root: Path) -> None:
    session, _ = find("latest", [root])
    backups = read_backups(session)

    replay = replay_session(load(session.session_id, [root]), backups)

    assert [(backup.path, backup.text) for backup in backups] == [("a.py", "made\n")]
    state = ReplayIndex(replay).last_state(FILE)
    assert (state.state, state.text) == (Certainty.EXACT, "made\n")
    assert not replay.versions[-1].is_change
    assert replay.versions[-1].expected.state is Certainty.STALE


def test_archived_copies_count_too(root: Path, tmp_path: Path) -> None:
    session, _ = find("latest", [root])
    with open_archive(tmp_path / "home") as archive:
        archive.sync([root])

        (replay,) = archive.file_replays(FILE)

        assert ReplayIndex(replay).last_state(FILE).text == "made\n"
        assert archive.replay(session.session_id) == replay
        assert archive.backups(session.session_id, [root]) == read_backups(session)
        assert len(list((tmp_path / "home" / "replays").iterdir())) == 1


def test_a_session_without_copies_has_none(tmp_path: Path) -> None:
    SessionBuilder().user("Go.").assistant("Done.").write(tmp_path)

    assert read_backups(find("latest", [tmp_path])[0]) == ()

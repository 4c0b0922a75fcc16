"""Opening an archive, and finding sessions in it."""

import datetime as dt
from pathlib import Path

import apsw
import pytest

from clew.archive import Archive, NoArchiveError
from clew.errors import SessionNotFoundError
from clew.store import Home, NewerArchiveError, OlderArchiveError, open_reader
from clew.store.reader import require_version
from clew.store.sqlite import migrations
from tests.build import SessionBuilder

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """Give an archive with an older and a newer session."""
    for name, day in (("older", "01"), ("newer", "02")):
        session = SessionBuilder(name).at(f"2026-10-{day}T09:00:00Z").user(name).assistant("ok")
        session.write(tmp_path / "root")
    archive = Archive(Home(tmp_path / "home"))
    archive.sync([tmp_path / "root"], now=NOW)
    return archive


def test_a_file_that_grew_after_it_was_fetched_ahead_is_read_whole(
    archive: Archive, tmp_path: Path
) -> None:
    reader = open_reader(archive.location)
    assert reader is not None
    session = SessionBuilder("newer").at("2026-10-02T09:00:00Z").user("newer").assistant("ok")
    [before] = reader.session_files(session.session_id)
    reader.prefetch([before])
    session.user("More").write(tmp_path / "root")
    archive.sync([tmp_path / "root"], now=NOW)

    [after] = reader.session_files(session.session_id)

    assert after.kept_bytes > before.kept_bytes
    assert b"".join(reader.read_file(after)) == session.content()
    reader.close()


def test_without_a_database_there_is_no_archive(tmp_path: Path) -> None:
    archive = Archive(Home(tmp_path))

    assert not archive.exists
    with pytest.raises(NoArchiveError, match="run `clew sync` to create it"):
        next(archive.sessions())


def set_version(home: Home, number: int) -> None:
    """Pretend that another version of clew wrote the database."""
    home.folder.mkdir()
    connection = apsw.Connection(str(home.database))
    connection.execute(f"PRAGMA user_version = {number}")
    connection.close()


def test_a_database_that_is_only_begun_is_no_archive_yet(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    set_version(home, 0)

    assert open_reader(home) is None


def test_an_archive_of_a_newer_clew_is_refused(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    set_version(home, len(migrations()) + 1)

    with pytest.raises(NewerArchiveError, match="upgrade clew"):
        open_reader(home)


def test_an_archive_of_an_older_clew_asks_for_a_sync() -> None:
    with pytest.raises(OlderArchiveError, match="`clew sync`"):
        require_version(1, known=2)


def test_a_session_is_found_by_its_id_the_beginning_of_it_or_as_the_latest(
    archive: Archive,
) -> None:
    newer = SessionBuilder("newer").session_id

    assert archive.find_session(newer) == newer
    assert archive.find_session(newer[:8]) == newer
    assert archive.find_session("latest") == newer


@pytest.mark.parametrize("name", ["", "zzz"])
def test_what_means_no_session_or_several_is_refused(archive: Archive, name: str) -> None:
    with pytest.raises(SessionNotFoundError):
        archive.find_session(name)

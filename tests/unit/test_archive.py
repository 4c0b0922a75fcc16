"""The archive: one session, from the disk or from what was kept."""

import datetime as dt
import os
from pathlib import Path

import pytest

import clew
from clew.analytics import bill_messages
from clew.archive import Archive, open_archive
from clew.errors import PathNotFoundError, SessionNotFoundError
from clew.store import Home
from tests.build import SessionBuilder

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)


def session(name: str, day: int) -> SessionBuilder:
    """Give a session of some day in October."""
    return SessionBuilder(name).at(f"2026-10-{day:02}T09:00:00Z").user(name).assistant("ok")


def write(root: Path, name: str, day: int) -> Path:
    """Write a session as if that day were today."""
    path = session(name, day).write(root)
    then = dt.datetime(2026, 10, day, 10, tzinfo=dt.UTC).timestamp()
    os.utime(path, (then, then))
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a root with two sessions, of which the newer one is gone again."""
    root = tmp_path / "root"
    write(root, "older", 1)
    gone = write(root, "newer", 20)
    Archive(Home(tmp_path / "home")).sync([root], now=NOW)
    gone.unlink()
    return root


@pytest.fixture
def archive(root: Path, tmp_path: Path) -> Archive:
    """Give the archive in which both are."""
    assert root.exists()
    return Archive(Home(tmp_path / "home"))


def title(archive: Archive, target: str, root: Path) -> str:
    """Load a session and give its title."""
    return archive.load(target, [root]).session.title


def test_a_session_that_is_gone_comes_from_the_archive(archive: Archive, root: Path) -> None:
    name = session("newer", 20).session_id

    assert title(archive, name, root) == "newer"
    assert title(archive, name[:8], root) == "newer"


def test_a_session_on_the_disk_comes_as_it_stands_there(archive: Archive, root: Path) -> None:
    path = write(root, "older", 1)
    with path.open("ab") as stream:
        stream.write(b'{"type":"custom-title","customTitle":"Renamed","sessionId":"x"}\n')

    assert title(archive, session("older", 1).session_id, root) == "Renamed"


def test_the_latest_is_looked_for_in_both_places(archive: Archive, root: Path) -> None:
    assert title(archive, "latest", root) == "newer"

    write(root, "third", 25)

    assert title(archive, "latest", root) == "third"


def test_the_latest_comes_from_the_archive_when_the_disk_has_none(
    archive: Archive, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()

    assert title(archive, "latest", empty) == "newer"


def test_a_beginning_that_means_one_here_and_one_there_is_refused(
    archive: Archive, root: Path
) -> None:
    gone, here = session("newer", 20).session_id, root / "projects" / "x"
    here.mkdir()
    twin = f"{gone[:8]}-0000-4000-8000-000000000000"
    (here / f"{twin}.jsonl").write_bytes(session("twin", 3).content())

    with pytest.raises(SessionNotFoundError, match="2 session ids start with") as refused:
        archive.load(gone[:8], [root])
    assert set(refused.value.matches) == {gone, twin}
    assert archive.load(twin, [root]).session.id == twin


def test_what_is_nowhere_is_not_found(archive: Archive, root: Path, tmp_path: Path) -> None:
    with pytest.raises(SessionNotFoundError, match="no session id starts with"):
        archive.load("zzz", [root])
    with pytest.raises(SessionNotFoundError, match="no session id starts with"):
        Archive(Home(tmp_path / "none")).load("zzz", [root])
    with pytest.raises(PathNotFoundError):
        archive.load(tmp_path / "gone.jsonl", [root])


def test_the_package_s_load_looks_in_the_archive_too(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(root))
    monkeypatch.setenv("HOME", str(tmp_path))

    assert clew.load(session("newer", 20).session_id).session.title == "newer"
    with clew.open_archive() as archive:
        assert len(list(archive.sessions())) == 2


def test_an_archive_is_opened_in_any_folder(tmp_path: Path) -> None:
    with open_archive(tmp_path / "mine") as archive:
        report = archive.sync([])

    assert report.sessions_total == 0
    assert (tmp_path / "mine" / "archive.db").exists()


def test_a_call_without_a_time_costs_the_same_in_rows_and_on_the_page(tmp_path: Path) -> None:
    line = (
        '{"type":"assistant","uuid":"a","sessionId":"lone","message":{"id":"m","role":"assistant",'
        '"model":"claude-sonnet-4-5","content":[{"type":"text","text":"hi"}],'
        '"stop_reason":"end_turn","usage":{"input_tokens":1000000,"output_tokens":7}}}\n'
    )
    transcript = tmp_path / "claude" / "projects" / "-p" / "lone.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text(line, "utf-8")

    with open_archive(tmp_path / "home") as archive:
        archive.sync([tmp_path / "claude"], now=NOW)
        (listed,) = archive.sessions()
        bill = bill_messages(archive.conversation("lone"))["m"]

    assert bill.nano_dollars
    assert listed.cost_usd == pytest.approx(bill.nano_dollars / 1e9)


def test_a_search_needs_nothing_but_its_words(archive: Archive) -> None:
    assert archive.search("older").total == 1
    assert archive.search("older after:0d").total == 0

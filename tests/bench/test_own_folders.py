from pathlib import Path

import pytest

from bench.own_folders import SCALE, one_conversation, one_session, small_files
from clew.archive import open_archive


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLEW_BENCH_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_small_files_are_sessions_of_their_own_that_share_nothing(tmp_path: Path) -> None:
    folder = small_files(7)

    with open_archive(tmp_path / "home") as archive:
        report = archive.sync([folder])
        calls = archive.usage().totals.model_calls

    assert (report.files_seen, report.sessions_total, report.errors) == (7, 7, [])
    assert calls == 14


def test_newer_sessions_are_in_newer_files() -> None:
    paths = sorted(small_files(5).rglob("*.jsonl"), key=lambda path: path.stem)

    times = [path.stat().st_mtime for path in paths]
    assert times == sorted(times, reverse=True)
    assert len(set(times)) == 5


def test_a_session_has_the_size_asked_for() -> None:
    (path,) = one_session(1_000_000).rglob("*.jsonl")

    assert path.stat().st_size == pytest.approx(1_000_000, rel=0.1)


def test_a_conversation_has_the_messages_asked_for(tmp_path: Path) -> None:
    with open_archive(tmp_path / "home") as archive:
        archive.sync([one_conversation(600)])
        (session,) = archive.sessions()

    assert len(archive.conversation(session.id).messages) == pytest.approx(600, rel=0.1)


def test_a_smoke_test_makes_all_of_them_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SCALE, "0.001")

    assert len(list(small_files(5_000).rglob("*.jsonl"))) == 5


def test_a_folder_is_made_once(cache: Path) -> None:
    (small_files(3) / "mark").touch()

    assert (small_files(3) / "mark").exists()
    assert [path.name for path in cache.iterdir()] == [small_files(3).name]

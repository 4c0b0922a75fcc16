import datetime as dt
import os
from pathlib import Path

import pytest

from clew.store import Home, SyncReport, deferral, sync
from tests.build import SessionBuilder
from tests.dump import dump

NOW = dt.datetime(2026, 11, 15, 12, tzinfo=dt.UTC)
SECOND = dt.timedelta(seconds=1)


@pytest.fixture(autouse=True)
def every_session_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deferral, "LONG_BYTES", 1)


class Growing:
    """A session that grows, and an archive that follows it."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = Home(folder / "home"), folder / "claude"
        self.session = SessionBuilder().user("Look around").assistant("Yes.")
        self.grow(NOW - 10 * SECOND)
        self.follow(NOW - 9 * SECOND)

    def grow(self, at: dt.datetime) -> None:
        self.session.user("More").assistant("JobResult.").write(self.root)
        for path in self.root.rglob("*.jsonl"):
            os.utime(path, (at.timestamp(), at.timestamp()))

    def follow(self, now: dt.datetime) -> SyncReport:
        return sync(self.home, [self.root], now=now, may_defer=True)


def test_a_long_session_that_still_grows_is_kept_at_once_and_derived_later(tmp_path: Path) -> None:
    growing = Growing(tmp_path)
    before = dump(growing.home)

    growing.grow(NOW)
    report = growing.follow(NOW + SECOND)

    assert (report.files_grown, report.sessions_deferred, report.sessions_written) == (1, 1, 0)
    assert report.bytes_kept
    assert dump(growing.home) == before


def test_it_is_derived_once_it_pauses(tmp_path: Path) -> None:
    growing = Growing(tmp_path)
    growing.grow(NOW)
    growing.follow(NOW + SECOND)

    still = growing.follow(NOW + 1.9 * SECOND)
    paused = growing.follow(NOW + 2.1 * SECOND)
    later = growing.follow(NOW + 3 * SECOND)

    assert (still.sessions_deferred, still.sessions_written) == (1, 0)
    assert (paused.sessions_deferred, paused.sessions_written) == (0, 1)
    assert (later.sessions_deferred, later.sessions_written, later.bytes_read) == (0, 0, 0)


def test_it_is_derived_after_half_a_minute_even_if_it_never_pauses(tmp_path: Path) -> None:
    growing = Growing(tmp_path)
    written = []

    for second in range(70):
        growing.grow(NOW + second * SECOND)
        report = growing.follow(NOW + (second + 0.5) * SECOND)
        written.append(report.sessions_written)

    assert [second for second, count in enumerate(written) if count] == [30, 61]


def test_a_sync_that_nobody_repeats_derives_at_once(tmp_path: Path) -> None:
    growing = Growing(tmp_path)
    growing.grow(NOW)

    report = sync(growing.home, [growing.root], now=NOW + SECOND)

    assert (report.sessions_deferred, report.sessions_written) == (0, 1)


def test_a_session_without_rows_does_not_wait_for_them(tmp_path: Path) -> None:
    home, root = Home(tmp_path / "home"), tmp_path / "claude"
    SessionBuilder().user("Hi").assistant("Hello").write(root)

    report = sync(home, [root], now=dt.datetime.now(dt.UTC), may_defer=True)

    assert (report.sessions_deferred, report.sessions_written) == (0, 1)


def test_short_sessions_never_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    growing = Growing(tmp_path)
    growing.grow(NOW)
    monkeypatch.setattr(deferral, "LONG_BYTES", 20 << 20)

    report = growing.follow(NOW + SECOND)

    assert (report.sessions_deferred, report.sessions_written) == (0, 1)


def test_what_was_deferred_when_following_ended_is_derived_by_the_next_sync(tmp_path: Path) -> None:
    growing = Growing(tmp_path)
    growing.grow(NOW)
    growing.follow(NOW + SECOND)

    report = sync(growing.home, [growing.root], now=NOW + SECOND)

    assert (report.files_grown, report.sessions_written) == (0, 1)

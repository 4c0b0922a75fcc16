"""The follower: takes in what is new, says so, and ends when told."""

import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import pytest

from clew.archive import open_archive
from clew.store import ArchiveAddress
from clew.web import follower
from clew.web.follower import follow, write_report
from clew.web.follower_messages import Change, FollowerReport, FollowerSettings
from tests.build import SessionBuilder
from tests.postgres_server import PostgresServer


@pytest.fixture
def root(tmp_path: Path) -> Path:
    SessionBuilder("first").user("hello").assistant("yes").write(tmp_path / "claude")
    return tmp_path / "claude"


def orders(tmp_path: Path, root: Path) -> FollowerSettings:
    return FollowerSettings(ArchiveAddress(str(tmp_path / "archive")), (str(root),))


def reports_of(tmp_path: Path, root: Path) -> list[FollowerReport]:
    """Follow a root until the first sync has ended; give all that was reported."""
    end, told = threading.Event(), list[FollowerReport]()

    def tell(report: FollowerReport) -> None:
        told.append(report)
        if report.is_synced:
            end.set()

    follow(orders(tmp_path, root), end, tell)
    return told


def changes(told: list[FollowerReport]) -> list[Change]:
    return [report.change for report in told if report.change is not None]


def test_what_is_there_is_taken_in_at_once(root: Path, tmp_path: Path) -> None:
    [change] = changes(reports_of(tmp_path, root))

    assert change.sessions == (SessionBuilder("first").session_id,)
    assert change.version
    with open_archive(tmp_path / "archive") as archive:
        assert len(list(archive.sessions())) == 1


def test_a_trouble_is_told(root: Path, tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("no folder")

    [change] = changes(reports_of(tmp_path, root))

    assert change.trouble
    assert change.sessions == ()


def test_a_long_sync_reports_how_far_it_is(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SessionBuilder("second").user("more").write(root)
    monkeypatch.setattr("clew.web.follower._LONG_SYNC", 1)

    told = reports_of(tmp_path, root)

    progress = [report.archiving for report in told if report.archiving is not None]
    assert (progress[0].sessions, progress[0].bytes) == (0, 0)
    assert (progress[-1].sessions, progress[-1].total_sessions) == (2, 2)
    assert progress[-1].percent == 100
    assert (told[-1].archiving, told[-1].is_synced) == (None, True)


def test_each_session_is_reported_by_the_commit_that_brought_it(root: Path, tmp_path: Path) -> None:
    SessionBuilder("second").user("more").write(root)

    named = [name for change in changes(reports_of(tmp_path, root)) for name in change.sessions]

    assert sorted(named) == sorted(SessionBuilder(name).session_id for name in ("first", "second"))


def test_a_follower_that_is_stopped_ends_in_the_middle_of_a_sync(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.web.follower._LONG_SYNC", 1)
    end, told = threading.Event(), list[FollowerReport]()

    def stop(report: FollowerReport) -> None:
        told.append(report)
        end.set()

    follow(orders(tmp_path, root), end, stop)

    assert [report.is_synced for report in told] == [False]


def test_reports_are_lines_of_json(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    report = FollowerReport(Change("1", ("a",)))
    write_report(report)

    line = capfdbinary.readouterr().out
    assert msgspec.json.decode(line, type=FollowerReport) == report


def test_the_follower_runs_without_the_application() -> None:
    code = "import sys, clew.web.follower; print('litestar' in sys.modules)"
    found = subprocess.run(  # noqa: S603
        [sys.executable, "-W", "error", "-c", code], capture_output=True, check=True, text=True
    )

    assert found.stdout == "False\n"


def test_a_server_that_is_back_gets_what_was_written_meanwhile(
    root: Path,
    tmp_path: Path,
    postgres_server: PostgresServer,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follower, "_TROUBLE_PAUSE", 0.05)
    name = postgres_url.partition("@/")[2].partition("?")[0]
    allow = f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS '
    postgres_server.execute(postgres_server.url(), f"{allow} false")
    end, told = threading.Event(), list[FollowerReport]()

    def tell(report: FollowerReport) -> None:
        told.append(report)
        if report.change is not None and report.change.trouble:
            postgres_server.execute(postgres_server.url(), f"{allow} true")
        elif report.is_synced:
            end.set()

    address = ArchiveAddress(postgres_url, str(tmp_path / "blobs"))
    follow(FollowerSettings(address, (str(root),)), end, tell)

    first, *_, last = changes(told)
    assert "is not currently accepting connections" in first.trouble
    found = {name for change in changes(told) for name in change.sessions}
    assert (last.trouble, found) == ("", {SessionBuilder("first").session_id})

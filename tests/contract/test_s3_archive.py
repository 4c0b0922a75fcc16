"""An archive on PostgreSQL and S3: what a sync, readers and owners do with objects."""

import datetime as dt
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.archive import Archive
from clew.store.postgres_location import PostgresLocation
from clew.store.s3 import open_bucket
from tests.build import SessionBuilder
from tests.postgres_server import PostgresServer
from tests.recordings import HERE
from tests.s3_servers import S3Server
from tests.slow_proxy import slow_proxy
from tests.surface.running import run

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
_HOUR = 60 * 60


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with agent runs and workflows, to which nobody has written for two hours."""
    root = tmp_path / "root"
    for name in ("2.1.325/subagent-nested", "2.1.325/workflow"):
        shutil.copytree(HERE / name / "root", root, dirs_exist_ok=True)
    age(root, 2 * _HOUR)
    return root


def age(root: Path, seconds: int) -> None:
    """Let all files below a root have been written so long ago."""
    written = NOW.timestamp() - seconds
    for path in root.rglob("*"):
        os.utime(path, (written, written))


@pytest.fixture
def team(postgres_url: str, s3_address: str) -> Iterator[Archive]:
    """An empty archive of a team."""
    with Archive(PostgresLocation(postgres_url, s3_address)) as archive:
        yield archive


def objects(address: str) -> list[str]:
    return [each.key for each in open_bucket(address).objects()]


def contents(archive: Archive) -> dict[str, bytes]:
    files = archive.archived_files()
    return {file.path: b"".join(archive.read_file(file)) for file in files}


def test_a_sync_seals_the_blobs_of_idle_files(root: Path, team: Archive, s3_address: str) -> None:
    team.sync([root], now=NOW)
    before = contents(team)
    assert not any("/sealed-" in key for key in objects(s3_address))
    recent = SessionBuilder("recent").user("hi").assistant("hello")
    recent.write(root)

    team.sync([root], now=NOW)
    team.sync([root], now=NOW)

    sealed = [key for key in objects(s3_address) if "/sealed-" in key]
    assert len(sealed) == len(before)
    others = set(objects(s3_address)) - set(sealed)
    assert others
    assert all(recent.session_id in key for key in others)
    open_bucket(s3_address).cache.clear()
    assert before.items() <= contents(team).items()


def test_a_sync_that_finds_all_blobs_sealed_writes_nothing(
    root: Path, team: Archive, s3_address: str
) -> None:
    for _ in range(2):
        team.sync([root], now=NOW)
    before = {each.key: each.modified for each in open_bucket(s3_address).objects()}

    team.sync([root], now=NOW)

    assert {each.key: each.modified for each in open_bucket(s3_address).objects()} == before


def test_the_same_files_of_two_owners_are_different_blobs(
    root: Path, postgres_url: str, s3_address: str
) -> None:
    first = Archive(PostgresLocation(postgres_url, s3_address, 1))
    second = Archive(PostgresLocation(postgres_url, s3_address, 2))
    with first, second:
        for _ in range(2):
            first.sync([root], now=NOW)
        before = contents(first)
        for path in root.rglob("*.jsonl"):
            path.write_bytes(path.read_bytes().replace(b"user", b"USER"))
        age(root, 3 * _HOUR)

        assert second.sync([root], now=NOW).faults == []
        for archive in (second, first, second):
            archive.verify()
        second.sync([root], now=NOW)

        open_bucket(s3_address).cache.clear()
        assert contents(first) == before
        assert contents(second).keys() == before.keys()
        assert contents(second) != before


def test_blobs_of_a_sync_that_goes_on_elsewhere_are_not_recovered(
    root: Path, team: Archive, postgres_server: PostgresServer, s3_address: str, tmp_path: Path
) -> None:
    team.sync([root], now=NOW)
    before = contents(team)
    other = tmp_path / "other"
    SessionBuilder("other").user("hi").assistant("hello").write(other)
    today = dt.datetime.now(dt.UTC)
    with Archive(PostgresLocation(postgres_server.make_database(), s3_address)) as lost:
        report = lost.sync([other], now=today)

        assert (report.faults, len(contents(lost))) == ([], 1)

        shutil.rmtree(root)
        root.mkdir()
        lost.sync([other, root], now=today + dt.timedelta(hours=2))
        assert before.items() <= contents(lost).items()


def test_the_files_of_a_session_are_fetched_at_the_same_time(
    root: Path, team: Archive, rclone_server: S3Server, s3_address: str, postgres_url: str
) -> None:
    team.sync([root], now=NOW)
    session = max(team.session_versions(), key=lambda name: len(team.session_files(name)))
    count = len(team.session_files(session))
    assert count >= 4
    with slow_proxy(rclone_server.port, 0.05) as proxy:
        far = PostgresLocation(postgres_url, f"{s3_address}?endpoint={proxy.endpoint}")
        with Archive(far) as archive:
            archive.conversation(session)

        assert proxy.requests >= count
        assert proxy.most_waiting >= 4


@pytest.mark.parametrize(
    ("blobs", "told"),
    [
        ("s3://no-such-bucket/x?retries=0", "there is no bucket 'no-such-bucket'"),
        ("s3://bucket/x?retries=0&endpoint=http://127.0.0.1:9", "cannot be reached"),
        ("s3://", "is not the address of a bucket"),
    ],
)
def test_what_goes_wrong_is_one_sentence(
    root: Path, postgres_url: str, s3_address: str, blobs: str, told: str
) -> None:
    done = run("sync", "--root", str(root), CLEW_ARCHIVE=postgres_url, CLEW_BLOBS=blobs)

    assert s3_address
    assert done.code == (2 if blobs == "s3://" else 1)
    assert told in done.err
    assert done.err.count("\n") == 1


def test_wrong_keys_are_one_sentence(root: Path, postgres_url: str, s3_address: str) -> None:
    done = run(
        "sync",
        *("--root", str(root)),
        CLEW_ARCHIVE=postgres_url,
        CLEW_BLOBS=s3_address,
        AWS_SECRET_ACCESS_KEY="other",  # noqa: S106 (a wrong one)
    )

    assert done.code == 1
    assert "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY" in done.err
    assert done.err.count("\n") == 1

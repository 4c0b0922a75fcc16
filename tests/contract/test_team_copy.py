"""An archive goes to PostgreSQL and S3 and comes back: nothing is lost, whatever interrupts it."""

import datetime as dt
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.archive import Archive
from clew.store import Home, find_location
from clew.store.location import ArchiveAddress
from tests.build import SessionBuilder, bash
from tests.contract.answers import NOW, compare_answers
from tests.dump import dump, home_of, kept, tree

pytestmark = pytest.mark.slow

KILLS = 3
SCRIPT = """
import sys
import clew

with clew.open_archive(sys.argv[1]) as source, clew.open_archive(*sys.argv[2:]) as target:
    source.copy_to(target, on_copied=lambda size: print(size, flush=True), workers=1)
"""


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Archive]:
    """Give an archive in a folder, with files that have grown, were rewritten and are gone."""
    root = tmp_path / "root"
    for number in range(5):
        _session(number).write(root)
    with Archive(Home(tmp_path / "source")) as archive:
        archive.sync([root], now=NOW, workers=1)
        _session(1).user("More").assistant("Sure.").write(root)
        path = next(root.rglob(f"{_session(2).session_id}.jsonl"))
        path.write_bytes(path.read_bytes().replace(b"Done.", b"Over."))
        next(root.rglob(f"{_session(3).session_id}.jsonl")).unlink()
        archive.sync([root], now=NOW + dt.timedelta(hours=1), workers=1)
        yield archive


def _session(number: int) -> SessionBuilder:
    builder = SessionBuilder(f"s{number}").cwd(f"/home/dev/p{number % 2}")
    builder.user(f"Do {number}: naïve 日本語").tools(bash("ls", "wörd " * 2_000))
    builder.agent("Look", "Look.", lambda run: run.assistant("Seen."))
    return builder.user("Go on").assistant("Done.")


@pytest.fixture
def team(postgres_url: str, s3_address: str) -> Iterator[Archive]:
    """Give an archive on servers that nobody has written to."""
    with Archive(find_location(ArchiveAddress(postgres_url, s3_address))) as archive:
        yield archive


def test_there_and_back(source: Archive, team: Archive, tmp_path: Path) -> None:
    back = Archive(Home(tmp_path / "back"))
    before = (dump(home_of(source)), tree(home_of(source).folder / "files"))

    there = source.copy_to(team, now=NOW, workers=1)
    version = team.version()
    again = source.copy_to(team, now=NOW, workers=1)
    home = team.copy_to(back, now=NOW, workers=1)

    assert there.faults + again.faults + home.faults == []
    assert (there.files_copied, again.files_copied) == (there.files, 0)
    assert (home.files_copied, home.bytes_copied) == (there.files, there.bytes_copied)
    assert team.version() == version
    assert (dump(home_of(source)), tree(home_of(source).folder / "files")) == before
    assert (dump(home_of(back)), tree(home_of(back).folder / "files")) == before
    assert kept(home_of(back)) == kept(home_of(source))
    compare_answers(source, team, tmp_path)


def test_a_copy_that_is_killed_again_and_again_goes_on(
    source: Archive, team: Archive, postgres_url: str, s3_address: str, tmp_path: Path
) -> None:
    chance = random.Random(16)  # noqa: S311 (when to kill it)
    words = [sys.executable, "-c", SCRIPT, source.location.name, postgres_url, s3_address]
    for number in range(KILLS):
        with subprocess.Popen(words, stdout=subprocess.PIPE) as process:  # noqa: S603 (our own)
            if number == KILLS - 1 and process.stdout is not None:
                # All files are there, and their rows are not.
                process.stdout.readline()
            else:
                time.sleep(chance.uniform(0.4, 1.6))
            process.kill()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 (our own)

    report = source.copy_to(team, now=NOW, workers=1)

    assert (report.files_copied, report.sessions_written, report.faults) == (0, 0, [])
    compare_answers(source, team, tmp_path)
    assert [each for each in team.verify() if each.fault] == []

"""The follower: takes in what is new, says so, and ends when told."""

import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import pytest

from clew.archive import open_archive
from clew.web.follower import Change, FollowerSettings, follow, write_change
from tests.build import SessionBuilder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    SessionBuilder("first").user("hello").assistant("yes").write(tmp_path / "claude")
    return tmp_path / "claude"


def orders(tmp_path: Path, root: Path) -> FollowerSettings:
    return FollowerSettings(str(tmp_path / "archive"), (str(root),))


def test_what_is_there_is_taken_in_at_once(root: Path, tmp_path: Path) -> None:
    end, told = threading.Event(), list[Change]()

    def tell(change: Change) -> None:
        told.append(change)
        end.set()

    follow(orders(tmp_path, root), end, tell)

    assert told[0].sessions == (SessionBuilder("first").session_id,)
    assert told[0].version
    with open_archive(tmp_path / "archive") as archive:
        assert len(list(archive.sessions())) == 1


def test_a_trouble_is_told(root: Path, tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("no folder")
    end, told = threading.Event(), list[Change]()

    def tell(change: Change) -> None:
        told.append(change)
        end.set()

    follow(orders(tmp_path, root), end, tell)

    assert told[0].trouble
    assert told[0].sessions == ()


def test_changes_are_lines_of_json(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    change = Change("1", ("a",))
    write_change(change)

    line = capfdbinary.readouterr().out
    assert msgspec.json.decode(line, type=Change) == change


def test_the_follower_runs_without_the_application() -> None:
    code = "import sys, clew.web.follower; print('litestar' in sys.modules)"
    found = subprocess.run(  # noqa: S603
        [sys.executable, "-W", "error", "-c", code], capture_output=True, check=True, text=True
    )

    assert found.stdout == "False\n"

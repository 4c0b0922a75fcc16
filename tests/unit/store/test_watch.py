"""When to look again."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from clew.store import watch
from clew.store.watch import PAUSE, follow, snapshot, watched_places
from tests.build import SessionBuilder


@pytest.fixture(autouse=True)
def without_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look without the system's help."""
    monkeypatch.setattr(watch, "_EVENTS", "no_such_library")


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """Give the transcript of a session below the root `claude`."""
    return SessionBuilder().user("hi").assistant("ok").write(tmp_path / "claude")


class Clock:
    """Instead of waiting, does one thing after the other, and then says to end."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        self.steps: Iterable[Callable[[], object]] = iter(steps)
        self.waited: list[float] = []

    def wait(self, seconds: float) -> bool:
        self.waited.append(seconds)
        step = next(iter(self.steps), None)
        if step is None:
            return True
        step()
        return False


def nothing() -> None:
    """Let a moment pass."""


def grow(path: Path) -> None:
    """Write another line."""
    with path.open("ab") as stream:
        stream.write(b"{}\n")


def test_the_first_sign_comes_at_once(transcript: Path) -> None:
    clock = Clock()

    next(follow([transcript.parents[2]], clock.wait))

    assert clock.waited == []


def test_a_sign_comes_for_each_change_and_none_without(transcript: Path) -> None:
    other = transcript.with_name("other.jsonl")
    clock = Clock(
        nothing,
        lambda: grow(transcript),
        nothing,
        lambda: other.write_bytes(b"{}\n"),
        nothing,
        transcript.unlink,
    )

    assert len(list(follow([transcript.parents[2]], clock.wait))) == 1 + 3


def test_a_change_while_the_first_sign_is_answered_is_told_by_the_system(
    transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_EVENTS", "watchfiles")
    monkeypatch.setattr(watch, "_EVENTS_PAUSE_MS", 600_000)
    clock = Clock(*[nothing] * 50)
    signs = follow([transcript.parents[2]], clock.wait)

    next(signs)
    grow(transcript)

    assert next(signs, "the end") is None


def test_a_file_of_the_same_size_that_was_replaced_is_a_change(transcript: Path) -> None:
    before = snapshot([transcript.parent])
    stat = transcript.stat()
    twin = transcript.with_name("twin")
    twin.write_bytes(transcript.read_bytes())
    os.utime(twin, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    twin.replace(transcript)

    assert snapshot([transcript.parent]) != before


def test_looking_is_no_more_often_than_every_two_seconds(transcript: Path) -> None:
    clock = Clock(nothing, nothing)

    list(follow([transcript.parents[2]], clock.wait))

    assert min(clock.waited) >= PAUSE


def test_what_takes_long_is_looked_at_seldom(
    transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(range(0, 1000, 3))
    monkeypatch.setattr("clew.store.watch.time.monotonic", lambda: next(times))
    clock = Clock(nothing)

    list(follow([transcript.parents[2]], clock.wait))

    assert clock.waited == [PAUSE, 150]


def test_only_folders_with_something_to_keep_are_watched(transcript: Path) -> None:
    root = transcript.parents[2]
    (root / "debug").mkdir()
    (root / "debug" / "log.txt").write_text("x")

    assert watched_places(root) == [root / "projects"]


def test_a_root_without_anything_is_watched_in_whole(tmp_path: Path) -> None:
    assert watched_places(tmp_path) == [tmp_path]


def test_a_folder_that_goes_away_is_no_failure(tmp_path: Path) -> None:
    assert snapshot([tmp_path / "gone"]) == {}

"""What requests share: made once, kept while it holds, old where that will do."""

import threading
from pathlib import Path

import pytest

from clew.archive import open_archive
from clew.web.keeping import Kept
from clew.web.settings import Settings
from clew.web.shelf import Shelf
from tests.build import SessionBuilder


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(Settings(home=tmp_path / "archive"))


def fill(tmp_path: Path, name: str) -> str:
    builder = SessionBuilder(name).user("hello").assistant("yes")
    builder.write(tmp_path / "claude")
    with open_archive(tmp_path / "archive") as archive:
        archive.sync([tmp_path / "claude"])
    return builder.session_id


def test_without_an_archive_there_is_nothing(shelf: Shelf) -> None:
    assert shelf.is_empty
    assert shelf.version() == "empty"
    assert shelf.catalogue().sessions == ()


def test_a_thing_is_made_once_for_each_version(shelf: Shelf) -> None:
    made: list[str] = []

    def make() -> str:
        made.append("x")
        return "thing"

    for version in ("1", "1", "2"):
        assert shelf.share("key", version, make) == "thing"

    assert len(made) == 2


def test_what_was_asked_for_longest_ago_goes_first(shelf: Shelf) -> None:
    for number in range(40):
        shelf.share(number, "1", lambda: bytes(1_000_000))
        shelf.share(0, "1", lambda: b"another")

    assert len(shelf.share(39, "1", lambda: b"another")) == 1_000_000
    assert len(shelf.share(0, "1", lambda: b"another")) == 1_000_000
    assert shelf.share(1, "1", lambda: b"another") == b"another"


def test_large_sessions_make_room_for_one_another(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [fill(tmp_path, name) for name in ("first", "second", "third")]
    size = shelf.catalogue().by_id[names[0]].size_bytes
    monkeypatch.setattr(shelf, "_sessions", Kept(round(size * 3.5)))

    first, second, third = (shelf.index(name) for name in names)

    assert shelf.index(names[2]) is third
    assert shelf.index(names[1]) is second
    assert shelf.index(names[0]) is not first


def test_while_one_makes_it_again_others_take_the_old(shelf: Shelf) -> None:
    shelf.share("key", "1", lambda: "old")
    begun, go_on = threading.Event(), threading.Event()

    def make() -> str:
        begun.set()
        go_on.wait(10)
        return "new"

    maker = threading.Thread(target=shelf.share, args=("key", "2", make))
    maker.start()
    begun.wait(10)
    found = shelf.share("key", "2", make, may_be_old=True)
    go_on.set()
    maker.join()

    assert found == "old"
    assert shelf.share("key", "2", make, may_be_old=True) == "new"


def test_what_fails_is_tried_again(shelf: Shelf) -> None:
    def fail() -> str:
        raise ValueError("not now")

    with pytest.raises(ValueError, match="not now"):
        shelf.share("key", "1", fail)

    assert shelf.share("key", "1", lambda: "thing") == "thing"


def test_all_sessions_are_held_until_told_to_look_again(shelf: Shelf, tmp_path: Path) -> None:
    first = fill(tmp_path, "first")
    before = shelf.catalogue()
    second = fill(tmp_path, "second")
    held = shelf.catalogue()
    shelf.look_again()

    assert set(before.by_id) == set(held.by_id) == {first}
    assert set(shelf.catalogue().by_id) == {first, second}
    assert shelf.held_version() == shelf.version()


def test_a_session_is_laid_out_once_for_each_version(shelf: Shelf, tmp_path: Path) -> None:
    name = fill(tmp_path, "first")

    assert shelf.layout(name, "1") is shelf.layout(name, "1")
    assert shelf.layout(name, "2") is not shelf.layout(name, "1")


def test_the_shape_of_a_session_is_read_once(shelf: Shelf, tmp_path: Path) -> None:
    name = fill(tmp_path, "first")
    sessions = shelf.catalogue().sessions
    first = shelf.shapes(sessions)
    shelf.close()

    assert first[name]
    assert shelf.shapes(sessions) == first

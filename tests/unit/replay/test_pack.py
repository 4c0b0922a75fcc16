"""Replays as bytes, and the cache of them."""

from pathlib import Path

import msgspec

from clew.replay import SessionReplay, pack_replay, unpack_replay
from clew.store import Home, cached_replay, replay_path
from tests.build import SessionBuilder, bash, edit, write
from tests.unit.replay.replayed import FILE, replay_of


def some(folder: Path) -> SessionReplay:
    builder = SessionBuilder().user("Go.").tools(write(FILE, "a\n" * 9)).tools(bash("make"))
    return replay_of(builder.tools(edit(FILE, "a\n" * 9, "a", "b")), folder)


def test_a_replay_survives_packing(tmp_path: Path) -> None:
    replay = some(tmp_path)

    packed = pack_replay(replay)

    assert unpack_replay(packed) == replay
    assert packed.count(b"a\n" * 9) == 1


def test_damaged_and_older_bytes_are_none(tmp_path: Path) -> None:
    packed = pack_replay(some(tmp_path))
    older = msgspec.msgpack.encode([0, *msgspec.msgpack.decode(packed)[1:]])

    assert unpack_replay(packed[:-5]) is None
    assert unpack_replay(b"\xc1") is None
    assert unpack_replay(older) is None


def test_a_cached_replay_is_made_once_for_a_receipt(tmp_path: Path) -> None:
    home, replay, made = Home(tmp_path / "home"), some(tmp_path), list[str]()

    def find(receipt: str) -> SessionReplay:
        def make() -> SessionReplay:
            made.append(receipt)
            return replay

        return cached_replay(home, replay.session_id, receipt, make)

    assert [find(word) for word in ("1", "1", "2", "2")] == [replay] * 4
    assert made == ["1", "2"]
    path = replay_path(home, replay.session_id)
    assert path.stat().st_mode & 0o777 == 0o600

    path.write_bytes(path.read_bytes()[:-9])
    assert find("2") == replay
    assert made == ["1", "2", "2"]


def test_without_a_place_for_the_cache_replays_are_made_anyway(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    replay = some(tmp_path)

    assert cached_replay(Home(tmp_path / "home"), "x", "1", lambda: replay) == replay

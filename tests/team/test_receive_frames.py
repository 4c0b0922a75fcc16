"""Frames on the server: checked before they are stored, and each for its member alone."""

import resource
import struct
import sys
from pathlib import Path

import msgspec
import pytest

from clew.protocol import MAX_FRAME_BYTES, MAX_PACKED_BYTES
from clew.server import receive_frames
from clew.server.accounts import get_member, require_organisation, set_organisation, set_quota
from clew.server.receive_frames import find_missing, receive_frame, storage_left
from clew.server.refusals import (
    FrameTooLargeError,
    QuotaExceededError,
    RefusedPushError,
    UncommittedLimitError,
    UnusableFrameError,
)
from clew.store.objects import FolderObjects
from clew.store.postgres.team import TeamDatabase
from tests.team.pushing import allow, join, pack, push, sha256

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


@pytest.fixture
def objects(tmp_path: Path) -> FolderObjects:
    return FolderObjects(tmp_path / "objects")


def stored(team: TeamDatabase) -> dict[str, tuple[int, bool]]:
    rows = team.connection.execute(
        b"SELECT encode(hash, 'hex'), member_id, lost_at IS NOT NULL FROM pushed_frame"
    ).fetchall()
    return {row[0]: (row[1], bool(row[2])) for row in rows}


def doomed(team: TeamDatabase) -> set[str]:
    found = team.connection.execute(b"SELECT object_key FROM doomed_object").fetchall()
    return {row[0] for row in found}


def test_a_frame_is_stored_once_for_each_member(team: TeamDatabase, objects: FolderObjects) -> None:
    ada, bob = join(team, "acme", "ada"), join(team, "acme", "bob")
    content, packed = b"some lines\n", pack(b"some lines\n")
    name = sha256(content)

    assert find_missing(team, ada, [name, name, sha256(b"other")]) == [name, sha256(b"other")]
    for _ in range(2):
        receive_frame(team, objects, ada, name, packed)

    (key,) = objects.keys("pushed/")
    assert key.startswith(f"pushed/{ada.member_id}/")
    assert objects.get(key) == packed
    assert find_missing(team, ada, [name]) == []
    # Nobody learns of it by its hash, and whoever has the same sends it as if it were the first.
    assert find_missing(team, bob, [name]) == [name]
    receive_frame(team, objects, bob, name, packed)
    assert len(list(objects.keys("pushed/"))) == 2
    assert len(list(objects.keys(f"pushed/{bob.member_id}/"))) == 1
    assert doomed(team) == set()


def two_frames() -> bytes:
    return pack(b"one") + pack(b"two")


def skipped(content: bytes) -> bytes:
    return struct.pack("<II", 0x184D2A50, len(content)) + content


def bomb() -> bytes:
    options: dict[int, int] = {zstd.CompressionParameter.window_log: 22}
    packer = zstd.ZstdCompressor(options=options)
    piece = bytes(1 << 20)
    return b"".join(packer.compress(piece) for _ in range(1 << 10)) + packer.flush()


def wide_window() -> bytes:
    options: dict[int, int] = {zstd.CompressionParameter.window_log: 27}
    packer = zstd.ZstdCompressor(options=options)
    return packer.compress(b"a") + packer.flush()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"plain text",
        two_frames(),
        pack(b"content") + b"x",
        pack(b"content") + skipped(b"hidden"),
        skipped(b"hidden") + pack(b"content"),
        skipped(b"content"),
        pack(b"content")[:-1],
        pack(b""),
        wide_window(),
        zstd.compress(b"content", zstd_dict=zstd.ZstdDict(b"0123456789abcdef", is_raw=True))
        + b"\0",
    ],
)
def test_what_is_not_one_frame_is_refused(
    team: TeamDatabase, objects: FolderObjects, body: bytes
) -> None:
    ada = join(team, "acme", "ada")

    for name in (sha256(b"content"), sha256(b"one"), sha256(b"")):
        with pytest.raises(UnusableFrameError):
            receive_frame(team, objects, ada, name, body)

    assert (stored(team), doomed(team), list(objects.keys("pushed/"))) == ({}, set(), [])


def test_another_hash_and_other_spellings_are_refused(
    team: TeamDatabase, objects: FolderObjects
) -> None:
    ada = join(team, "acme", "ada")
    name, packed = sha256(b"content"), pack(b"content")

    with pytest.raises(UnusableFrameError, match="SHA-256 differs"):
        receive_frame(team, objects, ada, sha256(b"other"), packed)
    for odd in (
        name.upper(),
        name[:-1],
        name + "0",
        f"{name}\n",
        "../" + name,
        "\0" * 64,
        "' OR 1",
    ):
        with pytest.raises(RefusedPushError):
            receive_frame(team, objects, ada, odd, packed)
        with pytest.raises(RefusedPushError):
            find_missing(team, ada, [odd])
    with pytest.raises(RefusedPushError, match="at most 1,000"):
        find_missing(team, ada, [name] * 1_001)
    assert stored(team) == {}


def test_a_frame_is_as_long_as_it_may_be_and_no_longer(
    team: TeamDatabase, objects: FolderObjects
) -> None:
    ada = join(team, "acme", "ada")
    longest = bytes(MAX_FRAME_BYTES)

    receive_frame(team, objects, ada, sha256(longest), pack(longest))

    longer = longest + b"\0"
    with pytest.raises(FrameTooLargeError):
        receive_frame(team, objects, ada, sha256(longer), pack(longer))
    with pytest.raises(FrameTooLargeError):
        receive_frame(team, objects, ada, sha256(longest), bytes(MAX_PACKED_BYTES + 1))
    assert list(stored(team)) == [sha256(longest)]


def test_a_bomb_takes_no_memory(team: TeamDatabase, objects: FolderObjects) -> None:
    ada = join(team, "acme", "ada")
    packed = bomb()
    assert len(packed) < 40_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with pytest.raises(FrameTooLargeError):
        receive_frame(team, objects, ada, sha256(b""), packed)

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10


def test_what_no_manifest_names_is_limited(
    team: TeamDatabase, objects: FolderObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = join(team, "acme", "ada")
    epoch = allow(team, ada)
    packed = pack(b"first")
    monkeypatch.setattr(receive_frames, "MAX_UNCOMMITTED_BYTES", len(packed))

    receive_frame(team, objects, ada, sha256(b"first"), packed)
    with pytest.raises(UncommittedLimitError):
        receive_frame(team, objects, ada, sha256(b"other"), pack(b"other"))

    push(team, objects, ada, [b"first"], epoch=epoch)
    receive_frame(team, objects, ada, sha256(b"other"), pack(b"other"))


def test_the_quota_is_a_members_own_or_that_of_each_member(
    team: TeamDatabase, objects: FolderObjects
) -> None:
    ada, bob = join(team, "acme", "ada"), join(team, "acme", "bob")
    acme = require_organisation(team, "acme")
    assert storage_left(team, ada) is None

    set_quota(team, get_member(team, ada.member_id), 10)
    receive_frame(team, objects, ada, sha256(b"12345678"), pack(b"12345678"))
    assert (storage_left(team, ada), storage_left(team, bob)) == (2, None)
    with pytest.raises(QuotaExceededError):
        receive_frame(team, objects, ada, sha256(b"123"), pack(b"123"))
    receive_frame(team, objects, ada, sha256(b"12345678"), pack(b"12345678"))

    set_organisation(team, msgspec.structs.replace(acme, quota_bytes=9))
    assert (storage_left(team, ada), storage_left(team, bob)) == (2, 9)
    receive_frame(team, objects, bob, sha256(b"12345"), pack(b"12345"))
    assert storage_left(team, bob) == 4
    with pytest.raises(QuotaExceededError):
        receive_frame(team, objects, bob, sha256(b"67890"), pack(b"67890"))
    set_quota(team, get_member(team, ada.member_id), None)
    assert storage_left(team, ada) == 1

    team.connection.execute(b"DELETE FROM pushed_frame")
    assert (storage_left(team, ada), storage_left(team, bob)) == (9, 9)


def test_a_lost_frame_is_stored_again_and_its_sessions_are_derived_again(
    team: TeamDatabase, objects: FolderObjects
) -> None:
    ada = join(team, "acme", "ada")
    push(team, objects, ada, [b"lines"], epoch=allow(team, ada))
    (first,) = objects.keys("pushed/")
    team.connection.execute(b"UPDATE pushed_frame SET lost_at = now(), object_key = NULL")
    team.connection.execute(b"UPDATE session_state SET failed_reason = 'lost', attempts = 5")

    assert find_missing(team, ada, [sha256(b"lines")]) == [sha256(b"lines")]
    receive_frame(team, objects, ada, sha256(b"lines"), pack(b"lines"))

    assert find_missing(team, ada, [sha256(b"lines")]) == []
    (key,) = set(objects.keys("pushed/")) - {first}
    assert team.connection.execute(b"SELECT object_key FROM pushed_frame").fetchall() == [(key,)]
    state = b"SELECT head_seq, attempts, failed_reason FROM session_state"
    assert team.connection.execute(state).fetchall() == [(2, 0, None)]


class FailingObjects(FolderObjects):
    """A disk that is full."""

    def put(self, key: str, data: bytes) -> None:  # type: ignore[explicit-override]
        super().put(key, data[:1])
        raise OSError("no space left on device")


def test_nothing_remains_of_an_interrupted_upload(team: TeamDatabase, tmp_path: Path) -> None:
    ada = join(team, "acme", "ada")
    failing = FailingObjects(tmp_path / "objects")

    with pytest.raises(OSError, match="no space"):
        receive_frame(team, failing, ada, sha256(b"lines"), pack(b"lines"))

    assert set(failing.keys("pushed/")) == doomed(team)
    assert find_missing(team, ada, [sha256(b"lines")]) == [sha256(b"lines")]
    working = FolderObjects(tmp_path / "objects")
    receive_frame(team, working, ada, sha256(b"lines"), pack(b"lines"))
    # The key of the failed upload is not used again.
    assert len(set(working.keys("pushed/")) - doomed(team)) == 1

"""Requests that meet: on connections of their own, at the worst moment, and many at once."""

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from typing import Any, Final, TypeVar

import msgspec
import pytest

from clew.protocol import Commit, ConsentChange, FileHead, Hello, Tier
from clew.server.collect import collect_forgotten, delete_doomed, sweep_frames
from clew.server.commit import commit
from clew.server.consents import set_consent
from clew.server.hello import answer_hello
from clew.server.own_sessions import delete_own_session
from clew.server.principal import Principal
from clew.server.receive_frames import find_missing, receive_frame
from clew.server.refusals import (
    DeletedSessionError,
    MissingFramesError,
    OldEpochError,
    StaleParentError,
    UnusableFrameError,
)
from clew.server.release import releasing_frames
from clew.server.worker import Worker
from clew.store import open_reader
from clew.store.frames import unpack_foreign
from clew.store.objects import Objects, open_objects
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation
from tests.team.pushing import (
    PROJECT,
    ROOT,
    SESSION,
    allow,
    another_device,
    join,
    manifest_of,
    pack,
    push,
    sha256,
)

T = TypeVar("T")
# Far longer than anything takes, however busy the machine is.
PATIENCE: Final = 60
IS_LONG: Final = bool(os.environ.get("CLEW_TEST_ALL"))


@pytest.fixture
def objects(team_location: PostgresLocation) -> Objects:
    return open_objects(team_location.blobs)


@pytest.fixture
def ada(team: TeamDatabase) -> Principal:
    principal = join(team, "acme", "ada")
    allow(team, principal)
    return principal


@contextmanager
def meanwhile(location: PostgresLocation, do: Callable[[TeamDatabase], T]) -> Iterator[Future[T]]:
    """Do something on another connection, which soon waits for this one."""

    def run() -> T:
        with open_team(location) as other:
            return do(other)

    with ThreadPoolExecutor(1) as pool, open_team(location) as watching:
        waiting = pool.submit(run)
        until = time.monotonic() + PATIENCE
        while not watching.connection.execute(
            b"SELECT 1 FROM pg_stat_activity"
            b" WHERE datname = current_database() AND wait_event_type = 'Lock'"
        ).fetchall():
            assert not waiting.done(), waiting.result()
            assert time.monotonic() < until
            time.sleep(0.01)
        yield waiting


def count_frames(team: TeamDatabase) -> int:
    found = team.connection.execute(b"SELECT count(*) FROM pushed_frame").fetchone()
    return int(found[0]) if found else 0


def test_a_frame_that_is_being_collected_is_missing(
    team: TeamDatabase, team_location: PostgresLocation, objects: Objects, ada: Principal
) -> None:
    receive_frame(team, objects, ada, sha256(b"a"), pack(b"a"))
    assert find_missing(team, ada, [sha256(b"a")]) == []

    team.connection.execute(b"BEGIN")
    found = team.rows("lock_forgotten_frames", {"hours": -1, "most": 10})
    with meanwhile(team_location, lambda other: commit(other, ada, manifest_of([b"a"]))) as later:
        team.run("delete_unused_frames", {"ids": [row[0] for row in found]})
        team.connection.execute(b"COMMIT")
        with pytest.raises(MissingFramesError):
            later.result(PATIENCE)

    assert push(team, objects, ada, [b"a"]).change == "created"


def test_a_frame_that_is_being_committed_is_not_collected(
    team: TeamDatabase, team_location: PostgresLocation, objects: Objects, ada: Principal
) -> None:
    receive_frame(team, objects, ada, sha256(b"a"), pack(b"a"))

    with team.transaction():
        commit(team, ada, manifest_of([b"a"]))
        assert collect_forgotten(team_location, hours=-1) == 0
        sweep_frames(team_location, hours=-1)
    assert collect_forgotten(team_location, hours=-1) == 0
    sweep_frames(team_location, hours=-1)

    assert count_frames(team) == 1


def test_a_frame_whose_last_copy_is_given_up_is_missing(
    team: TeamDatabase, team_location: PostgresLocation, objects: Objects, ada: Principal
) -> None:
    push(team, objects, ada, [b"a"])
    # It is archived with its file, which is deleted at this moment.
    team.connection.execute(b"UPDATE pushed_frame SET object_key = NULL")
    delete_own_session(team, ada, SESSION)
    frames = [row[0] for row in team.connection.execute(b"SELECT id FROM pushed_frame").fetchall()]
    other = manifest_of([b"a"], file="other.jsonl", session="other")

    team.connection.execute(b"BEGIN")
    with ExitStack() as stack:
        with releasing_frames(team, frames):
            team.run("purge_received", {"owner": ada.member_id, "session": SESSION})
            waiting = meanwhile(team_location, lambda opened: commit(opened, ada, other))
            later = stack.enter_context(waiting)
        team.connection.execute(b"COMMIT")
        with pytest.raises(MissingFramesError):
            later.result(PATIENCE)

    assert count_frames(team) == 0


def derive_all(team: TeamDatabase, location: PostgresLocation) -> None:
    team.connection.execute(b"UPDATE session_state SET due_at = now()")
    Worker(location).run_once()


@pytest.mark.parametrize("tier", [Tier.EVERYTHING, Tier.REDACTED])
def test_what_is_deleted_takes_nothing_from_other_sessions(
    team: TeamDatabase,
    team_location: PostgresLocation,
    objects: Objects,
    ada: Principal,
    tier: Tier,
) -> None:
    """A frame that is archived with a file alone may be needed by another that is not yet."""
    line = b'{"type":"user","uuid":"1","message":{"role":"user","content":"hi"}}\n'
    head = push(team, objects, ada, [line], tier=tier).head
    derive_all(team, team_location)
    delete_doomed(team_location, days=-1)
    assert list(objects.keys("pushed/")) == []

    push(team, objects, ada, [line], file="p/other.jsonl", session="other", tier=tier)
    if tier is Tier.EVERYTHING:
        delete_own_session(team, ada, SESSION)
    else:
        # Its generations before the last are deleted as well.
        push(team, objects, ada, [b"{}\n"], parent=head.receipt, tier=tier)
        team.connection.execute(
            b"UPDATE session_state SET due_at = now() + interval '1 day' WHERE session_id = 'other'"
        )
        team.connection.execute(
            b"UPDATE session_state SET due_at = now() WHERE session_id <> 'other'"
        )
    Worker(team_location).run_once()
    sweep_frames(team_location, hours=-1)
    delete_doomed(team_location, days=-1)
    derive_all(team, team_location)

    found = team.connection.execute(
        b"SELECT head_seq = derived_seq, waiting_reason, failed_reason FROM session_state"
        b" WHERE session_id = 'other'"
    )
    assert found.fetchall() == [(1, None, None)]
    own = msgspec.structs.replace(team_location, owner=ada.member_id)
    reader = open_reader(own)
    assert reader is not None
    with closing(reader):
        contents = {file.path: b"".join(reader.read_file(file)) for file in reader.files()}
    assert contents["p/other.jsonl"] == line


def lower(team: TeamDatabase, principal: Principal) -> int:
    return set_consent(team, principal, PROJECT, ConsentChange(tier=Tier.REDACTED)).epoch


def test_consent_changes_before_or_after_a_commit(
    team: TeamDatabase, team_location: PostgresLocation, objects: Objects, ada: Principal
) -> None:
    for content in (b"a", b"b"):
        receive_frame(team, objects, ada, sha256(content), pack(content))

    team.connection.execute(b"BEGIN")
    head = commit(team, ada, manifest_of([b"a"])).head
    with meanwhile(team_location, lambda other: lower(other, ada)) as later:
        team.connection.execute(b"COMMIT")
        assert later.result(PATIENCE) == 2
    with pytest.raises(OldEpochError):
        commit(team, ada, manifest_of([b"a", b"b"], parent=head.receipt))

    team.connection.execute(b"BEGIN")
    values = {"member_id": ada.member_id, "project_key": PROJECT}
    team.record("lock_consent", values)
    team.run(
        "change_consent",
        {**values, "tier": "everything", "visibility": "private", "project_id": None},
    )
    manifest = manifest_of([b"a", b"b"], parent=head.receipt, epoch=2, tier=Tier.REDACTED)
    with meanwhile(team_location, lambda other: commit(other, ada, manifest)) as refused:
        team.connection.execute(b"COMMIT")
        with pytest.raises(OldEpochError):
            refused.result(PATIENCE)


def test_a_session_is_deleted_while_it_grows(
    team: TeamDatabase, team_location: PostgresLocation, objects: Objects, ada: Principal
) -> None:
    head = push(team, objects, ada, [b"a"]).head
    receive_frame(team, objects, ada, sha256(b"b"), pack(b"b"))
    grown = manifest_of([b"a", b"b"], parent=head.receipt)

    team.connection.execute(b"BEGIN")
    delete_own_session(team, ada, SESSION)
    with meanwhile(team_location, lambda other: commit(other, ada, grown)) as later:
        team.connection.execute(b"COMMIT")
        with pytest.raises(DeletedSessionError):
            later.result(PATIENCE)


def test_one_of_two_devices_is_late(
    team: TeamDatabase, team_location: PostgresLocation, objects: Objects, ada: Principal
) -> None:
    other = another_device(team, ada.organisation_id, ada.member_id)
    for content in (b"a", b"b"):
        receive_frame(team, objects, ada, sha256(content), pack(content))

    team.connection.execute(b"BEGIN")
    head = commit(team, ada, manifest_of([b"a"])).head
    longer = manifest_of([b"a", b"b"])
    with meanwhile(team_location, lambda opened: commit(opened, other, longer)) as later:
        team.connection.execute(b"COMMIT")
        with pytest.raises(StaleParentError) as error:
            later.result(PATIENCE)
        assert error.value.head == head
    # With the same bytes nothing was lost.
    assert commit(team, other, manifest_of([b"a"])) == Commit(head=head, change="same")


class Laptop:
    """A device that pushes at random, and remembers what the server acknowledged."""

    def __init__(self, location: PostgresLocation, principal: Principal, seed: int) -> None:
        self.location = location
        self.principal = principal
        self.random = random.Random(seed)  # noqa: S311 (not for secrets)
        self.acknowledged: list[tuple[str | None, Commit, list[bytes]]] = []

    def push_often(self, times: int) -> None:
        objects = open_objects(self.location.blobs)
        with open_team(self.location) as team:
            for _ in range(times):
                self._push(team, objects, f"{self.random.randrange(2)}.jsonl")

    def _push(self, team: TeamDatabase, objects: Objects, file: str) -> None:
        """Push something new behind what others have pushed, until the server takes it."""
        until = time.monotonic() + PATIENCE
        known: list[bytes] = []
        contents = [b"%d" % self.random.randrange(30) for _ in range(self.random.randint(1, 3))]
        while time.monotonic() < until:
            head = self._learn(team, file)
            if head is not None and self.random.random() < 0.8:
                known = self._read(team, head)
            frames = [*known, *contents]
            parent = head.receipt if head else None
            manifest = manifest_of(frames, file=file, session="shared", parent=parent)
            try:
                for content in frames:
                    receive_frame(team, objects, self.principal, sha256(content), pack(content))
                done = commit(team, self.principal, manifest)
            except (StaleParentError, MissingFramesError, UnusableFrameError):
                continue
            self.acknowledged.append((parent, done, frames))
            return
        raise AssertionError("the server never took it")

    def _learn(self, team: TeamDatabase, file: str) -> FileHead | None:
        answer = answer_hello(team, self.principal, Hello(protocol=1, roots=[ROOT]))
        return {head.file: head for head in answer.heads}.get(file)

    def _read(self, team: TeamDatabase, head: FileHead) -> list[bytes]:
        """Return the frames of a file, of whose hashes there are few."""
        contents = {sha256(b"%d" % number): b"%d" % number for number in range(30)}
        rows = team.connection.execute(
            b"SELECT p.hash FROM received_file AS f JOIN received_frame AS r ON r.file_id = f.id"
            b" AND r.generation = f.generation JOIN pushed_frame AS p ON p.id = r.frame_id"
            b" WHERE f.file = %s ORDER BY r.number",
            (head.file,),
        ).fetchall()
        return [contents[row[0].hex()] for row in rows][:40]


def work_until(location: PostgresLocation, done: threading.Event) -> None:
    """Derive and collect garbage, as if all of it had waited for long."""
    with open_team(location) as team:
        while not done.wait(0.05):
            team.connection.execute(b"UPDATE session_state SET due_at = now()")
            Worker(location).run_once()
            collect_forgotten(location, hours=-1)
            sweep_frames(location, hours=-1)
            delete_doomed(location, days=-1)


def test_many_devices_push_the_same_files_while_garbage_is_collected(
    team: TeamDatabase, team_location: PostgresLocation, objects: Objects, ada: Principal
) -> None:
    laptops = [
        Laptop(team_location, another_device(team, ada.organisation_id, ada.member_id), seed)
        for seed in range(4)
    ]
    done = threading.Event()

    with ThreadPoolExecutor(len(laptops) + 1) as pool:
        working = pool.submit(work_until, team_location, done)
        try:
            pushing = [pool.submit(one.push_often, 200 if IS_LONG else 8) for one in laptops]
            for one in pushing:
                one.result()
        finally:
            done.set()
        working.result()

    acknowledged = [one for laptop in laptops for one in laptop.acknowledged]
    changes = [one for one in acknowledged if one[1].change not in {"same", "ignored"}]
    # Nobody has overwritten what they did not know.
    parents = [(one[1].head.file, one[0]) for one in changes]
    assert len(set(parents)) == len(parents)
    found = team.connection.execute(b"SELECT head_seq FROM session_state").fetchall()
    assert found == [(len(changes),)]
    check_files(team, objects, {one[1].head.receipt: one[2] for one in changes})


def check_files(team: TeamDatabase, objects: Objects, known: dict[str, list[bytes]]) -> None:
    """Make sure that each file is what was acknowledged for its receipt, and all of it is there."""
    files: Any = team.connection.execute(b"SELECT id, generation, receipt FROM received_file")
    for number, generation, receipt in files.fetchall():
        frames = team.connection.execute(
            b"SELECT p.hash, p.object_key, p.lost_at, EXISTS (SELECT 1 FROM frame AS a"
            b" WHERE a.hash = p.hash) FROM received_frame AS r JOIN pushed_frame AS p"
            b" ON p.id = r.frame_id WHERE file_id = %s AND generation = %s ORDER BY number",
            (number, generation),
        ).fetchall()
        assert [row[0].hex() for row in frames] == list(map(sha256, known[receipt]))
        for digest, key, lost_at, is_archived in frames:
            assert lost_at is None
            assert key is not None or is_archived
            if key is not None:
                assert sha256(unpack_foreign(objects.get(key))) == digest.hex()


def test_a_project_is_created_once(team: TeamDatabase, team_location: PostgresLocation) -> None:
    members = [join(team, "acme", f"member{number}") for number in range(4)]
    change = ConsentChange(tier=Tier.EVERYTHING, project="github.com/acme/app")

    def decide(principal: Principal) -> str:
        with open_team(team_location) as other:
            return set_consent(other, principal, PROJECT, change).visibility

    with ThreadPoolExecutor(len(members)) as pool:
        assert set(pool.map(decide, members)) == {"private"}
    counts = team.connection.execute(
        b"SELECT (SELECT count(*) FROM team_project), (SELECT count(*) FROM project_member),"
        b" (SELECT count(*) FROM scope WHERE kind = 'project'), (SELECT count(*) FROM consent)"
    ).fetchall()
    assert counts == [(1, 1, 1, 4)]

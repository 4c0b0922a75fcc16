"""The rules of a push, checked against a model: whatever happens in whichever order.

A member has two devices and two sessions, which share frames. Devices send, learn what the server
has and commit; the owner changes consent, deletes and revives; workers derive, delete and collect
garbage between any two of these steps. Objects vanish from the bucket, and must come back by a
verification and the next push. A colleague has sent every frame there is, which must make no
difference. With `CLEW_TEST_ALL=1` it takes minutes.
"""

import os
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from typing import Any, ClassVar, Final

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from clew.protocol import FileHead, Hello, Tier, make_receipt
from clew.server.collect import collect_forgotten, delete_doomed, sweep_frames
from clew.server.commit import commit
from clew.server.deletion import purge_deleted
from clew.server.hello import answer_hello
from clew.server.own_sessions import delete_own_session, revive_own_session
from clew.server.receive_frames import find_missing, receive_frame
from clew.server.refusals import (
    DeletedSessionError,
    DeletionPendingError,
    MissingFramesError,
    NoConsentError,
    OldEpochError,
    StaleParentError,
)
from clew.server.verify_team import verify_team
from clew.server.worker import Worker
from clew.store import open_reader
from clew.store.frames import unpack_foreign
from clew.store.objects import Objects, open_objects
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer
from tests.team.pushing import ROOT, allow, another_device, join, manifest_of, pack, sha256

pytestmark = pytest.mark.slow

IS_LONG: Final = bool(os.environ.get("CLEW_TEST_ALL"))
_numbers: Final = count(1)
CONTENTS: Final = [
    b'{"type":"user","uuid":"%d","sessionId":"s","message":{"role":"user","content":"hi"}}\n' % one
    for one in range(4)
]
# Two files of one session, and one of another, which may have the same frames.
SESSIONS: Final = ("first", "second")
FILES: Final = {
    "projects/p/first.jsonl": "first",
    "projects/p/first/subagents/agent-a1.jsonl": "first",
    "projects/p/second.jsonl": "second",
}
LISTS: Final = st.lists(st.sampled_from(CONTENTS), max_size=4)
TIERS: Final = st.sampled_from([Tier.STRUCTURE, Tier.REDACTED, Tier.EVERYTHING])


DEVICES: Final = st.integers(0, 1)
ACTIONS: Final[dict[str, tuple[int, dict[str, st.SearchStrategy[Any]]]]] = {
    "push": (
        6,
        {
            "device": DEVICES,
            "file": st.sampled_from(sorted(FILES)),
            "stays": st.sampled_from([0, 1, 9, 9]),
            "more": LISTS,
        },
    ),
    "commit": (
        3,
        {
            "device": DEVICES,
            "file": st.sampled_from(sorted(FILES)),
            "contents": LISTS,
            "tier": TIERS,
            "is_old": st.sampled_from([False, False, False, True]),
        },
    ),
    "send": (1, {"device": DEVICES, "contents": LISTS}),
    "learn": (1, {"device": DEVICES}),
    "change_consent": (
        1,
        {
            "tier": st.sampled_from([*Tier, Tier.EVERYTHING, Tier.EVERYTHING]),
            "purge": st.booleans(),
        },
    ),
    "delete": (2, {"session": st.sampled_from(SESSIONS)}),
    "revive": (1, {"session": st.sampled_from(SESSIONS)}),
    "purge": (1, {}),
    "collect": (2, {}),
    "derive": (2, {}),
    "lose": (1, {"number": st.integers(0, 30)}),
    "heal": (1, {"device": DEVICES}),
}
# Rules of their own would each be left out of half of all runs.
STEPS: Final = st.one_of(
    *(
        st.tuples(st.just(name), st.fixed_dictionaries(values))
        for name, (weight, values) in ACTIONS.items()
        for _ in range(weight)
    )
)


class ModelFile(msgspec.Struct):
    """What the server must have of a file."""

    frames: list[bytes]
    generation: int
    tier: Tier
    epoch: int

    def head(self, file: str) -> FileHead:
        receipt = make_receipt(ROOT, file, self.generation, map(sha256, self.frames))
        return FileHead(ROOT, file, receipt, self.generation)


def compare(old: list[bytes], new: list[bytes]) -> str:
    """Return what becomes of a file, by the rules in words: growth begins with all there was."""
    before, after = [
        b"".join([b"%d," % CONTENTS.index(one) for one in all_]) for all_ in (old, new)
    ]
    if after == before:
        return "same"
    if after.startswith(before):
        return "grown"
    return "ignored" if before.startswith(after) else "replaced"


class PushModel(RuleBasedStateMachine):
    """The server beside what it must be like."""

    location: ClassVar[PostgresLocation]
    team: ClassVar[TeamDatabase]
    objects: ClassVar[Objects]

    @initialize()
    def begin(self) -> None:
        number = next(_numbers)
        self.ada = join(self.team, "acme", f"ada{number}")
        other = another_device(self.team, self.ada.organisation_id, self.ada.member_id)
        self.devices = [self.ada, other]
        self.bob = join(self.team, "acme", f"bob{number}")
        for content in CONTENTS:
            receive_frame(self.team, self.objects, self.bob, sha256(content), pack(content))
        self.files: dict[str, ModelFile] = {}
        self.deleted: dict[str, bool] = {}
        self.unpurged: set[str] = set()
        self.commits = dict.fromkeys(SESSIONS, 0)
        self.heads: list[dict[str, FileHead]] = [{}, {}]
        self.vanished: set[str] = set()
        self.was_lost = False
        self.tier = Tier.EVERYTHING
        self.epoch = allow(self.team, self.ada)

    @rule(step=STEPS)
    def do(self, step: tuple[str, dict[str, Any]]) -> None:
        name, values = step
        getattr(self, name)(**values)

    def send(self, device: int, contents: list[bytes]) -> None:
        for content in contents:
            principal = self.devices[device]
            receive_frame(self.team, self.objects, principal, sha256(content), pack(content))
        assert find_missing(self.team, self.ada, list(map(sha256, contents))) == []

    def learn(self, device: int) -> None:
        """Say hello, and send at once what the server has lost."""
        hello = Hello(protocol=1, roots=[ROOT])
        if self.vanished:
            lost = answer_hello(self.team, self.devices[device], hello).lost
            self.send(device, [content for content in CONTENTS if sha256(content) in lost])
        answer = answer_hello(self.team, self.devices[device], hello)
        assert answer.lost == []
        self.heads[device] = {head.file: head for head in answer.heads}
        expected = {file: known.head(file) for file, known in self.files.items()}
        assert self.heads[device] == expected

    def commit(
        self, device: int, file: str, contents: list[bytes], tier: Tier, *, is_old: bool
    ) -> None:
        self._commit(device, file, contents, tier, self.epoch - is_old)

    def push(self, device: int, file: str, stays: int, more: list[bytes]) -> None:
        """Do all that a laptop does, so that much is committed whatever else happens."""
        known = self.files.get(file)
        contents = [*(known.frames if known else ())[:stays], *more]
        self.learn(device)
        self.send(device, contents)
        if self.tier is Tier.NOTHING:
            self.change_consent(Tier.EVERYTHING, purge=False)
        self._commit(device, file, contents, self.tier, self.epoch)

    def _commit(
        self, device: int, file: str, contents: list[bytes], tier: Tier, epoch: int
    ) -> None:
        known_head = self.heads[device].get(file)
        parent = known_head.receipt if known_head else None
        manifest = manifest_of(
            contents,
            file=file,
            session=FILES[file],
            tier=tier,
            epoch=epoch,
            parent=parent,
        )
        expected = self._expect(file, contents, tier, epoch, parent)
        if isinstance(expected, type):
            with pytest.raises(expected):
                commit(self.team, self.devices[device], manifest)
            return
        done = commit(self.team, self.devices[device], manifest)
        assert done.change == expected
        self._apply(file, contents, tier, str(done.change))
        assert done.head == self.files[file].head(file)
        self.heads[device][file] = done.head

    def _expect(
        self, file: str, contents: list[bytes], tier: Tier, epoch: int, parent: str | None
    ) -> type[Exception] | str:
        """Return what a manifest comes to."""
        if epoch != self.epoch:
            return OldEpochError
        if tier.rank > self.tier.rank:
            return NoConsentError
        session, known = FILES[file], self.files.get(file)
        if session in self.deleted:
            if not self.deleted[session]:
                return DeletedSessionError
            if session in self.unpurged:
                return DeletionPendingError
        change = "created"
        if known is not None:
            change = compare(known.frames, contents)
            if change == "ignored" and tier.rank < known.tier.rank:
                change = "replaced"
        if change in {"same", "ignored"}:
            return change
        head = known.head(file) if known else None
        if parent != (head.receipt if head else None):
            return StaleParentError
        if find_missing(self.team, self.ada, list(map(sha256, contents))):
            return MissingFramesError
        return change

    def _apply(self, file: str, contents: list[bytes], tier: Tier, change: str) -> None:
        known, session = self.files.get(file), FILES[file]
        if change == "ignored":
            return
        is_repeated = known is not None and (known.tier, known.epoch) == (tier, self.epoch)
        self.commits[session] += change != "same" or not is_repeated
        generation = known.generation + (change == "replaced") if known else 1
        self.files[file] = ModelFile(contents, generation, tier, self.epoch)
        self.deleted.pop(session, None)

    def change_consent(self, tier: Tier, *, purge: bool) -> None:
        epoch = allow(self.team, self.ada, tier, purge=purge)
        assert epoch == self.epoch + (tier is not self.tier)
        self.tier, self.epoch = tier, epoch
        if purge:
            for session in SESSIONS:
                files = [known for file, known in self.files.items() if FILES[file] == session]
                is_beyond = any(known.tier.rank > tier.rank for known in files)
                if is_beyond and session not in self.deleted:
                    self.deleted[session] = True
                    self.unpurged.add(session)

    def delete(self, session: str) -> None:
        if self.commits[session]:
            delete_own_session(self.team, self.ada, session)
            if session not in self.deleted:
                self.unpurged.add(session)
            self.deleted[session] = False

    def revive(self, session: str) -> None:
        if session in self.deleted:
            revive_own_session(self.team, self.ada, session)
            del self.deleted[session]
            self.unpurged.discard(session)

    def purge(self) -> None:
        """Let workers delete what is deleted."""
        while purge_deleted(self.location):
            pass
        self._forget_purged()

    def _forget_purged(self) -> None:
        for session in self.unpurged:
            for file in [file for file in self.files if FILES[file] == session]:
                del self.files[file]
        self.unpurged.clear()

    def collect(self) -> None:
        """Let workers collect garbage, as if all of it had waited for long."""
        collect_forgotten(self.location, hours=-1)
        sweep_frames(self.location, hours=-1)
        delete_doomed(self.location, days=-1)

    def derive(self) -> None:
        """Let workers do all that is due, which includes what is deleted."""
        self.team.connection.execute(
            b"UPDATE session_state SET due_at = now() WHERE owner = %s", (self.ada.member_id,)
        )
        Worker(self.location).run_once()
        self._forget_purged()
        rows = self.team.connection.execute(
            b"SELECT failed_reason, waiting_reason FROM session_state"
            b" WHERE owner = %s AND (failed_reason IS NOT NULL OR waiting_reason IS NOT NULL)",
            (self.ada.member_id,),
        ).fetchall()
        # A session of which something has vanished waits for a device, and does not fail.
        assert [row for row in rows if row[0] is not None or not self.vanished] == []

    def lose(self, number: int) -> None:
        """Let an object vanish: one that waits to be archived, or an archived one."""
        member = self.ada.member_id
        rows = self.team.connection.execute(
            b"SELECT object_key FROM pushed_frame WHERE member_id = %s AND object_key IS NOT NULL"
            b" ORDER BY hash",
            (member,),
        )
        keys = [*(row[0] for row in rows), *sorted(self.objects.keys(f"{member}/"))]
        if keys:
            lost = keys[number % len(keys)]
            self.objects.delete([lost])
            self.vanished.add(lost)
            self.was_lost = True

    def heal(self, device: int) -> None:
        """Verify the server; what has vanished comes back with the next push."""
        if not self.vanished:
            return
        verify_team(self.location)
        self.derive()
        self.learn(device)
        self.vanished.clear()
        self.derive()
        found = verify_team(self.location)
        assert (found.frames_lost, found.damaged) == (0, [])

    def _head_seq(self, session: str) -> int:
        found = self.team.connection.execute(
            b"SELECT head_seq FROM session_state WHERE owner = %s AND session_id = %s",
            (self.ada.member_id, session),
        ).fetchone()
        return int(found[0]) if found else 0

    @invariant()
    def every_acknowledged_byte_is_there(self) -> None:
        """Each frame of each receipt is the member's own, and is in its object or archived."""
        if not hasattr(self, "files"):
            return
        rows = self.team.connection.execute(
            b"SELECT f.file, f.generation, p.hash, p.object_key, p.member_id, p.lost_at,"
            b" EXISTS (SELECT 1 FROM source_file AS s JOIN frame AS a ON a.file_id = s.id"
            b" JOIN received_frame AS o ON o.generation = a.generation"
            b" JOIN received_file AS g ON g.id = o.file_id AND g.member_id = s.owner"
            b" AND g.root_id = s.root AND g.file = s.path"
            b" WHERE o.frame_id = p.id AND a.hash = p.hash)"
            b" FROM received_file AS f"
            b" LEFT JOIN received_frame AS r ON r.file_id = f.id AND r.generation = f.generation"
            b" LEFT JOIN pushed_frame AS p ON p.id = r.frame_id"
            b" WHERE f.member_id = %s ORDER BY f.file, r.number",
            (self.ada.member_id,),
        ).fetchall()
        found: dict[str, tuple[int, list[str]]] = {}
        for file, generation, digest, key, member, lost_at, is_archived in rows:
            frames = found.setdefault(file, (generation, []))[1]
            if digest is None:
                continue
            frames.append(digest.hex())
            assert member == self.ada.member_id
            assert lost_at is None or self.vanished
            assert key is not None or is_archived or lost_at is not None
            if key is not None and key not in self.vanished:
                assert sha256(unpack_foreign(self.objects.get(key))) == digest.hex()
        assert found == {
            file: (known.generation, list(map(sha256, known.frames)))
            for file, known in self.files.items()
        }

    @invariant()
    def the_tables_agree(self) -> None:
        if not hasattr(self, "files"):
            return
        for name, text in DISAGREEMENTS.items():
            assert self.team.connection.execute(text).fetchone() == (0,), name
        for session, commits in self.commits.items():
            head_seq = self._head_seq(session)
            # What came back after a loss is derived once more.
            assert head_seq == commits or (self.was_lost and head_seq > commits)
            self.commits[session] = head_seq

    # typing.override comes with Python 3.12
    def teardown(self) -> None:  # type: ignore[explicit-override]
        """What is left is derived and read: byte by byte what the receipts say."""
        if not hasattr(self, "files"):
            return
        self.heal(0)
        self.derive()
        own = msgspec.structs.replace(self.location, owner=self.ada.member_id)
        visible = {
            file: b"".join(known.frames)
            for file, known in self.files.items()
            if FILES[file] not in self.deleted and known.frames
        }
        reader = open_reader(own)
        assert reader is not None
        with closing(reader):
            archived = {
                file.path: b"".join(reader.read_file(file))
                for file in reader.files()
                if file.path in visible
            }
        assert archived == visible
        self._leave_nothing()

    def _leave_nothing(self) -> None:
        """Delete all, which leaves no object."""
        for session in SESSIONS:
            self.delete(session)
        self.purge()
        self.collect()
        member = self.ada.member_id
        left = [key for place in ("pushed/", "") for key in self.objects.keys(f"{place}{member}/")]
        assert left == []


DISAGREEMENTS: Final[dict[str, bytes]] = {
    "a file has another member's frame": (
        b"SELECT count(*) FROM received_frame AS r JOIN received_file AS f ON f.id = r.file_id"
        b" JOIN pushed_frame AS p ON p.id = r.frame_id WHERE p.member_id <> f.member_id"
    ),
    "an object is used and doomed": (
        b"SELECT count(*) FROM pushed_frame JOIN doomed_object USING (object_key)"
    ),
    "frames are not numbered from 0 on": (
        b"SELECT count(*) FROM (SELECT 1 FROM received_frame GROUP BY file_id, generation"
        b" HAVING min(number) <> 0 OR max(number) <> count(*) - 1) AS gaps"
    ),
    "a file has frames of a later generation": (
        b"SELECT count(*) FROM received_frame AS r JOIN received_file AS f ON f.id = r.file_id"
        b" WHERE r.generation > f.generation"
    ),
    "storage is counted wrongly": (
        b"SELECT count(*) FROM member_storage AS s WHERE s.content_bytes <> (SELECT"
        b" coalesce(sum(size_bytes), 0) FROM pushed_frame AS p WHERE p.member_id = s.member_id)"
    ),
    "more is derived than there is": (
        b"SELECT count(*) FROM session_state WHERE derived_seq > head_seq"
    ),
    "a session's tier is not the lowest of its files": (
        b"SELECT count(*) FROM session_state AS s WHERE EXISTS (SELECT 1 FROM received_file AS f"
        b" WHERE f.member_id = s.owner AND f.session_id = s.session_id AND array_position("
        b"ARRAY['nothing', 'structure', 'redacted', 'everything'] COLLATE \"C\", f.tier) <"
        b" array_position(ARRAY['nothing', 'structure', 'redacted', 'everything'] COLLATE \"C\","
        b" s.tier))"
    ),
}


@pytest.fixture(scope="module")
def model_location(
    postgres_server: PostgresServer,
    prepared_database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[PostgresLocation]:
    url = postgres_server.make_database(like=prepared_database)
    yield PostgresLocation(url, str(tmp_path_factory.mktemp("blobs")))
    postgres_server.drop_database(url)


def test_the_server_is_as_its_model(model_location: PostgresLocation) -> None:
    with open_team(model_location) as opened:

        class Machine(PushModel):
            location = model_location
            team = opened
            objects = open_objects(model_location.blobs)

        run_state_machine_as_test(
            Machine,
            settings=settings(
                max_examples=400 if IS_LONG else 15,
                stateful_step_count=40 if IS_LONG else 30,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )

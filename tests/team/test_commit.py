"""Manifests on the server: what grows, what is replaced, and what is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.protocol import (
    PROTOCOL_VERSION,
    ConsentChange,
    FrameReference,
    Hello,
    Tier,
    Visibility,
    bucket_of,
    digest_bucket,
    make_receipt,
)
from clew.server.accounts import get_member, scopes_of
from clew.server.audit import list_audit
from clew.server.commit import commit
from clew.server.consents import list_consents, set_consent
from clew.server.hello import answer_hello
from clew.server.manifest_fields import BadFieldError
from clew.server.names import BadNameError
from clew.server.own_sessions import delete_own_session, revive_own_session
from clew.server.principal import Principal
from clew.server.projects import add_project_member, require_project
from clew.server.receive_frames import receive_frame
from clew.server.refusals import (
    DeletedSessionError,
    DeletionPendingError,
    HeldSessionError,
    MissingFramesError,
    NoConsentError,
    OldEpochError,
    RefusedPushError,
    StaleParentError,
    UnknownSessionError,
    UnknownVersionError,
)
from clew.store.objects import FolderObjects
from clew.store.postgres.team import TeamDatabase
from tests.team.pushing import (
    FILE,
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


@pytest.fixture
def objects(tmp_path: Path) -> FolderObjects:
    return FolderObjects(tmp_path / "objects")


@pytest.fixture
def ada(team: TeamDatabase) -> Principal:
    return join(team, "acme", "ada")


def state(team: TeamDatabase, *columns: str) -> tuple[Any, ...]:
    found = team.connection.execute(f"SELECT {', '.join(columns)} FROM session_state".encode())  # noqa: S608
    (row,) = found.fetchall()
    return row


def generations(team: TeamDatabase) -> dict[int, list[str]]:
    """Return the frames of each generation of the only file."""
    found = team.connection.execute(
        b"SELECT generation, encode(hash, 'hex') FROM received_frame"
        b" JOIN pushed_frame ON pushed_frame.id = frame_id ORDER BY generation, number"
    ).fetchall()
    return {number: [name for known, name in found if known == number] for number, _ in found}


def hashes(*contents: bytes) -> list[str]:
    return list(map(sha256, contents))


def test_the_server_decides_what_a_file_becomes(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    allow(team, ada)

    first = push(team, objects, ada, [b"a"])
    assert (first.change, first.head.generation) == ("created", 1)
    assert first.head.receipt == make_receipt(ROOT, FILE, 1, hashes(b"a"))
    grown = push(team, objects, ada, [b"a", b"b", b"b"], parent=first.head.receipt)
    assert (grown.change, grown.head.generation) == ("grown", 1)
    # An answer that was lost: the same manifest comes again.
    again = push(team, objects, ada, [b"a", b"b", b"b"], parent=first.head.receipt)
    assert (again.change, again.head) == ("same", grown.head)
    less = push(team, objects, ada, [b"a"], parent=grown.head.receipt)
    assert (less.change, less.head) == ("ignored", grown.head)
    assert push(team, objects, ada, [], parent=grown.head.receipt).change == "ignored"
    assert state(team, "head_seq") == (2,)
    replaced = push(team, objects, ada, [b"c", b"b"], parent=grown.head.receipt)
    assert (replaced.change, replaced.head.generation) == ("replaced", 2)

    assert generations(team) == {1: hashes(b"a", b"b", b"b"), 2: hashes(b"c", b"b")}
    assert state(team, "head_seq", "tier", "attempts") == (3, "everything", 0)


def test_a_stale_parent_gets_the_current_head(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    allow(team, ada)
    other = another_device(team, ada.organisation_id, ada.member_id)

    with pytest.raises(StaleParentError) as unknown:
        push(team, objects, ada, [b"a"], parent="0" * 64)
    assert unknown.value.head is None
    head = push(team, objects, ada, [b"a"]).head
    with pytest.raises(StaleParentError) as stale:
        push(team, objects, other, [b"a", b"b"])
    assert stale.value.refusal().head == head
    assert push(team, objects, other, [b"a", b"b"], parent=head.receipt).change == "grown"
    with pytest.raises(StaleParentError):
        push(team, objects, ada, [b"c"], parent=head.receipt)
    assert state(team, "head_seq") == (2,)


def test_a_manifest_needs_all_of_its_frames(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    bob = join(team, "acme", "bob")
    allow(team, ada)
    receive_frame(team, objects, ada, sha256(b"mine"), pack(b"mine"))
    receive_frame(team, objects, bob, sha256(b"his"), pack(b"his"))

    refusals = []
    # A colleague's frame and one that nobody has are the same.
    for name in (b"his", b"hers"):
        with pytest.raises(MissingFramesError) as error:
            commit(team, ada, manifest_of([b"mine", name, name]))
        assert error.value.missing == hashes(name)
        refusals.append(str(error.value))
    assert refusals[0] == refusals[1]
    with pytest.raises(BadFieldError, match="frames"):
        commit(team, ada, manifest_of([], frames=[FrameReference(sha256(b"mine"), 5)], size=5))
    # Nothing remains of what was refused.
    for table in ("received_file", "received_frame", "session_state"):
        found = team.connection.execute(f"SELECT count(*) FROM {table}".encode())  # noqa: S608
        assert found.fetchone() == (0,)


def test_a_frame_without_object_and_file_is_missing(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    """What was archived with a file that is deleted since has to be sent again."""
    allow(team, ada)
    head = push(team, objects, ada, [b"a"]).head
    team.connection.execute(b"UPDATE pushed_frame SET object_key = NULL")
    grown = push(team, objects, ada, [b"a", b"b"], parent=head.receipt)
    assert grown.change == "grown"

    delete_rows(team, ada)
    with pytest.raises(MissingFramesError) as error:
        commit(team, ada, manifest_of([b"b", b"a"]))
    assert error.value.missing == hashes(b"a")
    assert push(team, objects, ada, [b"b", b"a"]).change == "created"


def test_derivation_waits_for_more_but_not_for_long(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    allow(team, ada)
    waits = "round(extract(epoch FROM due_at - grown_at))"

    head = push(team, objects, ada, [b"a"]).head
    assert state(team, waits, "has_ended") == (30, 0)
    team.connection.execute(
        b"UPDATE session_state SET waiting_since = now() - interval '290 seconds', attempts = 5,"
        b" failed_reason = 'broken'"
    )
    head = push(team, objects, ada, [b"a", b"b"], parent=head.receipt).head
    assert state(team, waits, "attempts", "failed_reason") == (10, 0, None)
    team.connection.execute(b"UPDATE session_state SET due_at = now() + interval '1 hour'")
    push(team, objects, ada, [b"a", b"b"], parent=head.receipt, has_ended=True)
    assert state(team, "due_at < now() + interval '3 seconds'", "has_ended", "head_seq") == (
        1,
        1,
        2,
    )
    head = push(team, objects, ada, [b"a", b"b", b"c"], parent=head.receipt, has_ended=True).head
    assert state(team, waits, "has_ended") == (2, 1)
    push(team, objects, ada, [b"a", b"b", b"c", b"d"], parent=head.receipt)
    assert state(team, "has_ended") == (0,)


def test_consent_is_required_in_its_latest_epoch(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    with pytest.raises(NoConsentError):
        push(team, objects, ada, [b"a"], epoch=1)
    assert allow(team, ada, Tier.REDACTED) == 1
    with pytest.raises(NoConsentError):
        push(team, objects, ada, [b"a"], epoch=1)
    head = push(team, objects, ada, [b"a"], epoch=1, tier=Tier.STRUCTURE).head
    assert allow(team, ada, Tier.REDACTED) == 1
    assert allow(team, ada, Tier.EVERYTHING) == 2
    for epoch in (0, 1, 3):
        with pytest.raises(OldEpochError) as error:
            push(team, objects, ada, [b"b"], epoch=epoch, parent=head.receipt)
        consent = error.value.refusal().consent
        assert consent is not None
        assert (consent.epoch, consent.tier) == (2, Tier.EVERYTHING)
    with pytest.raises(NoConsentError):
        push(team, objects, ada, [b"b"], epoch=2, project_key="another", parent=head.receipt)
    assert push(team, objects, ada, [b"b"], epoch=2, parent=head.receipt).change == "replaced"
    assert allow(team, ada, Tier.NOTHING) == 3
    with pytest.raises(NoConsentError):
        push(team, objects, ada, [b"b", b"c"], epoch=3, tier=Tier.STRUCTURE)


def test_a_session_has_the_lowest_tier_of_its_files(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    allow(team, ada)
    push(team, objects, ada, [b"a"])
    agent = {"file": f"projects/x/{SESSION}/subagents/agent-1.jsonl", "kind": "agent"}

    head = push(team, objects, ada, [b"b", b"c"], tier=Tier.REDACTED, **agent).head
    assert state(team, "tier", "head_seq") == ("redacted", 2)
    # Less that is allowed takes the place of more that was.
    lowered = push(team, objects, ada, [b"b"], tier=Tier.STRUCTURE, parent=head.receipt, **agent)
    assert (lowered.change, lowered.head.generation) == ("replaced", 2)
    assert state(team, "tier") == ("structure",)
    assert push(team, objects, ada, [b"a"], tier=Tier.REDACTED).change == "same"
    assert state(team, "tier", "head_seq") == ("structure", 4)
    raised = push(team, objects, ada, [b"b", b"c"], parent=lowered.head.receipt, **agent)
    assert raised.change == "grown"
    assert state(team, "tier") == ("redacted",)


def scope_kind(team: TeamDatabase) -> str:
    (row,) = team.connection.execute(
        b"SELECT kind, scope.project_id IS NOT DISTINCT FROM session_state.project_id"
        b" FROM session_state JOIN scope ON scope.id = scope_id"
    ).fetchall()
    assert row[0] != "project" or row[1]
    return str(row[0])


def test_consent_decides_who_sees_a_session(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    bob = join(team, "acme", "bob")
    name = "github.com/acme/app"
    epoch = allow(team, ada, visibility=Visibility.PROJECT, project=name)
    head = push(team, objects, ada, [b"a"], epoch=epoch).head
    assert scope_kind(team) == "project"
    assert state(team, "scope_id")[0] in scopes_of(team, ada)
    assert state(team, "scope_id")[0] not in scopes_of(team, bob)

    # Naming a project lets nobody into it.
    change = ConsentChange(tier=Tier.EVERYTHING, visibility=Visibility.PROJECT, project=name)
    asked = set_consent(team, bob, PROJECT, change)
    assert (asked.visibility, asked.project) == (Visibility.PRIVATE, name)
    assert "not a member" in asked.note
    assert [one.visibility for one in list_consents(team, bob)] == [Visibility.PRIVATE]
    project = require_project(team, ada.organisation_id, name)
    add_project_member(team, project, get_member(team, bob.member_id))
    assert set_consent(team, bob, PROJECT, change).visibility is Visibility.PROJECT

    # What was pushed before is shown to whom the consent allows now.
    epoch = allow(team, ada, visibility=Visibility.ORGANISATION, project=name)
    assert scope_kind(team) == "organisation"
    epoch = allow(team, ada)
    assert scope_kind(team) == "private"
    assert state(team, "project_id") == (None,)
    # What the owner has shared themselves stays shared.
    team.connection.execute(
        b"UPDATE session_state SET scope_chosen = true, scope_id ="
        b" (SELECT id FROM scope WHERE kind = 'organisation')"
    )
    push(team, objects, ada, [b"a", b"b"], epoch=epoch, parent=head.receipt)
    allow(team, ada, Tier.REDACTED)
    assert scope_kind(team) == "organisation"


def test_files_under_different_consents_are_shown_to_their_owner_alone(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    epoch = allow(team, ada, visibility=Visibility.ORGANISATION)
    push(team, objects, ada, [b"a"], epoch=epoch)
    assert scope_kind(team) == "organisation"
    set_consent(team, ada, "other", ConsentChange(tier=Tier.EVERYTHING))

    push(team, objects, ada, [b"b"], file="b.jsonl", project_key="other")

    assert scope_kind(team) == "private"


def test_bad_consents_are_refused(team: TeamDatabase, ada: Principal) -> None:
    everything = ConsentChange(tier=Tier.EVERYTHING)
    for key in ("", "a/b", "a" * 129, "é", "a\0"):
        with pytest.raises(BadFieldError):
            set_consent(team, ada, key, everything)
    with pytest.raises(BadFieldError, match="project"):
        allow(team, ada, visibility=Visibility.PROJECT)
    for name in (" ", "a" * 300, "a\nb", "a\0b", "\u202eevil"):
        with pytest.raises(BadNameError):
            allow(team, ada, project=name)
    assert list_consents(team, ada) == []


def test_a_deleted_session_is_refused_until_its_owner_revives_it(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    bob = join(team, "acme", "bob")
    allow(team, ada)
    allow(team, bob)
    head = push(team, objects, ada, [b"a"]).head
    for call in (delete_own_session, revive_own_session):
        with pytest.raises(UnknownSessionError):
            call(team, bob, SESSION)

    for _ in range(2):
        delete_own_session(team, ada, SESSION)
    for fields in ({"parent": head.receipt}, {}, {"file": "other.jsonl"}):
        with pytest.raises(DeletedSessionError):
            push(team, objects, ada, [b"a", b"b"], **fields)
    # Another member's session of the same id is another session.
    push(team, objects, bob, [b"a"])
    delete_rows(team, ada)
    with pytest.raises(DeletedSessionError):
        push(team, objects, ada, [b"a", b"b"])

    for _ in range(2):
        revive_own_session(team, ada, SESSION)
    assert push(team, objects, ada, [b"a", b"b"]).change == "created"
    actions = [event.action for event in list_audit(team, ada.organisation_id)]
    assert actions.count("session.delete") == actions.count("session.revive") == 1


def delete_rows(team: TeamDatabase, principal: Principal) -> None:
    """Delete what was pushed of the files of a member, as workers do."""
    team.connection.execute(
        b"DELETE FROM received_frame WHERE file_id IN"
        b" (SELECT id FROM received_file WHERE member_id = %s)",
        (principal.member_id,),
    )
    team.connection.execute(
        b"DELETE FROM received_file WHERE member_id = %s", (principal.member_id,)
    )


def test_a_held_session_is_not_deleted(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    allow(team, ada)
    push(team, objects, ada, [b"a"])
    team.connection.execute(b"UPDATE session_state SET held = true")

    with pytest.raises(HeldSessionError):
        delete_own_session(team, ada, SESSION)
    purge = ConsentChange(tier=Tier.NOTHING, purge=True)
    purged = set_consent(team, ada, PROJECT, purge)

    assert state(team, "deleted_at") == (None,)
    assert purged.note == (
        "an administrator holds 1 session of this project, so it stays on the server; ask them to "
        "release it, then purge again"
    )
    team.connection.execute(b"UPDATE session_state SET held = false")
    assert set_consent(team, ada, PROJECT, purge).note == ""
    assert state(team, "deleted_at") != (None,)


def test_a_lowered_tier_may_delete_what_has_more(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    allow(team, ada)
    push(team, objects, ada, [b"a"])
    allow(team, ada, Tier.REDACTED)
    assert state(team, "deleted_at") == (None,)

    epoch = allow(team, ada, Tier.REDACTED, purge=True)
    assert state(team, "deleted_at IS NOT NULL", "may_return") == (1, 1)
    with pytest.raises(DeletionPendingError):
        push(team, objects, ada, [b"masked"], tier=Tier.REDACTED, epoch=epoch)
    delete_rows(team, ada)
    push(team, objects, ada, [b"masked"], tier=Tier.REDACTED, epoch=epoch)
    assert state(team, "deleted_at", "may_return", "tier") == (None, 0, "redacted")

    # It is within what is allowed now.
    allow(team, ada, Tier.REDACTED, purge=True)
    assert state(team, "deleted_at") == (None,)
    allow(team, ada, Tier.NOTHING, purge=True)
    delete_own_session(team, ada, SESSION)
    delete_rows(team, ada)
    with pytest.raises(DeletedSessionError):
        push(team, objects, ada, [b"b"], tier=Tier.STRUCTURE, epoch=allow(team, ada))


BAD_FIELDS: list[dict[str, Any]] = [
    *(
        {"file": file}
        for file in (
            "",
            "/etc/passwd",
            "../up",
            "a/../../up",
            "a/./b",
            "a//b",
            "a/",
            "C:/a",
            "a\\b",
            "a\0b",
            "a\nb",
            "a\x7fb",
            "a" * 1025,
            "é" * 513,
            "\ud800",
            ".",
            "..",
        )
    ),
    *({"session": name} for name in ("", "a/b", "a\\b", "a\0", "..", "s" * 257, "\ud800")),
    *({"agent": name} for name in ("", "a/b", "a\0", "s" * 257)),
    *({"workflow": name} for name in ("", "../a", "a\0", "s" * 257)),
    *({"root": root} for root in ("", "a b", "a/b", "a\0", "r" * 129, "é")),
    *({"project_key": key} for key in ("", "a b", "a\0", "'; --", "k" * 129)),
    *({"kind": kind} for kind in ("", "SESSION", "history", "memory", "paste", "index", "stats")),
    *({"parent": parent} for parent in ("", "x", "A" * 64, "0" * 63, "0" * 64 + "\n")),
    *({"epoch": number} for number in (-1, 1 << 63, 10**30)),
    *({"mtime_ns": number} for number in (1 << 63, -(1 << 63), 10**30)),
    *({"size": number} for number in (0, -1, 2, 1 << 70)),
    {"tier": Tier.NOTHING},
    {"frames": [FrameReference("A" * 64, 1)], "size": 1},
    {"frames": [FrameReference("0" * 64, 0)], "size": 0},
    {"frames": [FrameReference("0" * 64, -1)], "size": -1},
    {"frames": [FrameReference("0" * 64, (4 << 20) + 1)], "size": (4 << 20) + 1},
    {"frames": [FrameReference("0" * 64, 1 << 80)], "size": 1 << 80},
    {"frames": [FrameReference("0" * 64, 1)] * 4_001, "size": 4_001},
]


def test_fields_that_make_no_sense_are_refused(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    allow(team, ada)
    push(team, objects, ada, [b"a"])

    for fields in BAD_FIELDS:
        with pytest.raises(BadFieldError) as error:
            commit(team, ada, manifest_of([b"a"], **fields))
        assert f"`{next(iter(fields))}`" in str(error.value)
    with pytest.raises(BadFieldError, match="session"):
        commit(team, ada, manifest_of([b"a"], session="another"))
    assert state(team, "head_seq") == (1,)


def test_odd_but_possible_names_are_stored_as_they_are(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    allow(team, ada)
    names = ["'; DROP TABLE member; --", "100%s %(x)s", "{a} :member_id", "é 日本 🙂", "~/$HOME"]

    for number, name in enumerate(names):
        session = name.replace("/", "-")
        fields = {"file": f"x/{name}", "session": session, "agent": session, "workflow": session}
        head = push(team, objects, ada, [b"%d" % number], **fields).head
        assert head.file == f"x/{name}"

    found = team.connection.execute(b"SELECT file, session_id, agent_id FROM received_file")
    assert set(found.fetchall()) == {
        (f"x/{name}", name.replace("/", "-"), name.replace("/", "-")) for name in names
    }


def hello_of(heads: list[Any], **fields: Any) -> Hello:
    buckets: dict[str, list[Any]] = {}
    for head in heads:
        buckets.setdefault(bucket_of(head.root, head.file), []).append(head)
    digests = {name: digest_bucket(found) for name, found in buckets.items()}
    known = Hello(protocol=PROTOCOL_VERSION, roots=[ROOT], buckets=digests)
    return msgspec.structs.replace(known, **fields)


def test_hello_says_what_differs(
    team: TeamDatabase, objects: FolderObjects, ada: Principal
) -> None:
    bob = join(team, "acme", "bob")
    allow(team, ada)
    heads = [
        push(team, objects, ada, [b"%d" % number], file=f"{number}.jsonl").head
        for number in range(5)
    ]
    push(team, objects, ada, [b"elsewhere"], root="other")

    answer = answer_hello(team, ada, hello_of(heads))
    assert (answer.differing, answer.heads, answer.lost) == ([], [], [])
    assert (answer.member, answer.organisation, answer.quota_left_bytes) == ("ada", "acme", None)
    assert [one.epoch for one in answer.consents] == [1]
    # The laptop lacks a head, has another one, and one that the server lacks.
    other = msgspec.structs.replace(heads[1], receipt="0" * 64)
    unknown = msgspec.structs.replace(heads[1], file="unknown.jsonl")
    answer = answer_hello(team, ada, hello_of([other, *heads[2:], unknown]))
    changed = {bucket_of(head.root, head.file) for head in (*heads[:2], unknown)}
    assert set(answer.differing) == changed
    assert {head.file for head in answer.heads} >= {"0.jsonl", "1.jsonl"}
    assert all(bucket_of(head.root, head.file) in changed for head in answer.heads)

    team.connection.execute(b"UPDATE pushed_frame SET lost_at = now() WHERE id = 1")
    assert answer_hello(team, ada, hello_of(heads)).lost == hashes(b"0")
    # Whoever knows a root of another member learns nothing.
    assert answer_hello(team, bob, hello_of([])).heads == []
    assert answer_hello(team, bob, hello_of([])).lost == []


def test_another_version_of_the_protocol_is_refused(team: TeamDatabase, ada: Principal) -> None:
    for version in (0, -1, PROTOCOL_VERSION + 1, 10**5000):
        with pytest.raises(UnknownVersionError, match="version"):
            answer_hello(team, ada, Hello(protocol=version))


@pytest.mark.parametrize(
    "fields",
    [
        {"roots": ["a/b"]},
        {"roots": ["\0"]},
        {"roots": ["a"] * 1_001},
        {"buckets": {"xyz": ""}},
        {"buckets": {"\0\0": ""}},
    ],
)
def test_a_hello_that_makes_no_sense_is_refused(
    team: TeamDatabase, ada: Principal, fields: dict[str, Any]
) -> None:
    with pytest.raises(RefusedPushError):
        answer_hello(team, ada, hello_of([], **fields))


@pytest.mark.parametrize("call", [delete_own_session, revive_own_session])
def test_only_ids_name_sessions(
    team: TeamDatabase, ada: Principal, call: Callable[[TeamDatabase, Principal, str], None]
) -> None:
    for name in ("", "a/b", "\0", "s" * 300):
        with pytest.raises(BadFieldError):
            call(team, ada, name)

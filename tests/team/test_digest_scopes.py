"""A digest is read by those who read its session, moves with it, and is deleted with it."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from clew.protocol import Visibility
from clew.server.accounts import create_member, get_member
from clew.server.off_boarding import delete_member, private_scope, transfer_sessions
from clew.server.principal import Principal, Role
from clew.server.projects import add_project_member, create_project
from clew.server.retention import expire_sessions
from clew.server.sharing import share_session
from clew.store import read_digest, read_digests
from clew.store.location import open_index
from clew.store.postgres.team import open_team
from tests.build import SessionBuilder
from tests.digest.model_server import say
from tests.team.digesting import ASKED, MORE, DigestedTeam, digested_team, reply
from tests.team.pushed import PushedTeam


class TwoMembers(msgspec.Struct, frozen=True):
    """Ada and Ben, who have sessions of the same id, each with a digest."""

    digested: DigestedTeam
    ada: int
    ben: int
    session: str

    def seen(self, viewer: int, owner: int) -> str | None:
        """Return the title of the digest of an owner's session, as a viewer sees it."""
        location = msgspec.structs.replace(
            self.digested.team.location, owner=owner, scopes=self.scopes(viewer)
        )
        database = open_index(location).database
        try:
            found = read_digest(database, self.session)
            assert set(read_digests(database)) == ({self.session} if found else set())
            return None if found is None else found.digest.title
        finally:
            database.close()

    def scopes(self, viewer: int) -> tuple[int, ...]:
        """Return what a viewer may see: their own, their projects', the organisation's."""
        rows = self.digested.team.rows(
            "SELECT id FROM scope WHERE member_id = %s OR kind = 'organisation' OR project_id IN "
            "(SELECT project_id FROM project_member WHERE member_id = %s)",
            viewer,
            viewer,
        )
        return tuple(row[0] for row in rows)

    def share(self, visibility: Visibility, project: str | None = None) -> None:
        """Let Ada's session be seen by others."""
        organisation = self.digested.team.organisation
        ada = Principal(self.ada, organisation, "acme", "ada", Role.MEMBER)
        with open_team(self.digested.team.location) as team:
            share_session(team, ada, self.session, visibility, project)


ADAS, BENS = "Tests for the retry", "The retry code"


@pytest.fixture
def two(
    pushed: PushedTeam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TwoMembers]:
    """Give two members, each with a session of the same id and a digest of it."""
    with digested_team(pushed, tmp_path / "claude", monkeypatch) as digested:
        pushed.rows(
            "INSERT INTO scope (organisation_id, kind) VALUES (%s, 'organisation')",
            pushed.organisation,
        )
        digested.switch_on()
        ada, ben = pushed.add_member("ada"), pushed.add_member("ben")
        for member, title in zip((ada, ben), (ADAS, BENS), strict=True):
            digested.answer(say(reply(ASKED, title=title)))
            digested.push(member)
            digested.wait()
            pushed.work()
        yield TwoMembers(digested, ada, ben, SessionBuilder("one").session_id)


def test_two_members_with_the_same_id_have_digests_of_their_own(two: TwoMembers) -> None:
    assert two.digested.titles() == [(two.ada, ADAS), (two.ben, BENS)]
    assert two.seen(two.ada, two.ada) == ADAS
    assert two.seen(two.ben, two.ben) == BENS
    assert two.seen(two.ada, two.ben) is None
    assert two.seen(two.ben, two.ada) is None


def test_a_digest_is_shared_and_withdrawn_with_its_session(two: TwoMembers) -> None:
    two.share(Visibility.ORGANISATION)
    assert two.seen(two.ben, two.ada) == ADAS
    two.share(Visibility.PRIVATE)
    assert two.seen(two.ben, two.ada) is None
    with open_team(two.digested.team.location) as team:
        project = create_project(team, two.digested.team.organisation, "shop")
        add_project_member(team, project, get_member(team, two.ada))
        two.share(Visibility.PROJECT, "shop")
        assert two.seen(two.ben, two.ada) is None
        add_project_member(team, project, get_member(team, two.ben))
    assert two.seen(two.ben, two.ada) == ADAS
    assert two.seen(two.ada, two.ben) is None


def test_a_digest_is_made_where_its_session_is_seen(two: TwoMembers) -> None:
    two.share(Visibility.ORGANISATION)
    two.digested.answer(say(reply(MORE, title="The docs")))
    two.digested.push(two.ada, "one", MORE)
    two.digested.wait()
    two.digested.wait_long()

    two.digested.team.work()

    assert two.seen(two.ben, two.ada) == "The docs"
    assert two.seen(two.ada, two.ben) is None


def test_a_digest_moves_when_growth_under_another_consent_moves_its_session(
    two: TwoMembers,
) -> None:
    two.share(Visibility.ORGANISATION)
    team = two.digested.team
    team.rows(
        "UPDATE session_state SET scope_id = %s, head_seq = head_seq + 1 WHERE owner = %s",
        team.scope_of(two.ada),
        two.ada,
    )

    assert team.work().sessions_derived == 1

    assert two.seen(two.ben, two.ada) is None
    assert two.seen(two.ada, two.ada) == ADAS


def test_a_digest_survives_a_newer_parser(two: TwoMembers) -> None:
    team = two.digested.team
    team.rows("UPDATE session_state SET derived_parser = 1")

    report = team.work()

    assert (report.sessions_derived, report.sessions_digested) == (2, 0)
    assert two.seen(two.ada, two.ada) == ADAS
    assert len(two.digested.model.requests) == 2


def test_a_deleted_session_has_no_digest_from_that_moment_on(two: TwoMembers) -> None:
    two.share(Visibility.ORGANISATION)
    team = two.digested.team
    team.rows("UPDATE session_state SET deleted_at = now() WHERE owner = %s", two.ada)

    assert two.seen(two.ada, two.ada) is None
    assert two.seen(two.ben, two.ada) is None
    team.work()

    assert two.digested.titles() == [(two.ben, BENS)]
    assert two.seen(two.ben, two.ben) == BENS


def test_a_revived_session_is_digested_anew(two: TwoMembers) -> None:
    team = two.digested.team
    team.rows("UPDATE session_state SET deleted_at = now() WHERE owner = %s", two.ada)
    team.work()
    team.rows("UPDATE session_state SET deleted_at = NULL WHERE owner = %s", two.ada)
    two.digested.answer(say(reply(ASKED, title="The tests")))
    two.digested.push(two.ada)
    two.digested.wait()

    team.work()

    assert two.seen(two.ada, two.ada) == "The tests"


def test_retention_deletes_digests(two: TwoMembers) -> None:
    team = two.digested.team
    team.rows("UPDATE organisation SET retention_days = 30")
    team.rows(
        "UPDATE session_state SET grown_at = now() - interval '31 days' WHERE owner = %s", two.ada
    )

    assert expire_sessions(team.location) == 1
    team.work()

    assert two.digested.titles() == [(two.ben, BENS)]


def test_digests_are_transferred_and_deleted_with_the_sessions_of_who_leaves(
    two: TwoMembers,
) -> None:
    with open_team(two.digested.team.location) as team:
        ada, ben = get_member(team, two.ada), get_member(team, two.ben)
        transfer_sessions(team, ada, private_scope(team, ben), "ben")
        assert two.seen(two.ben, two.ada) == ADAS
        assert two.seen(two.ada, two.ada) is None
        delete_member(team, ada)
    two.digested.team.work()

    assert two.digested.titles() == [(two.ben, BENS)]


@pytest.mark.parametrize("tier", ["structure", "redacted"])
def test_a_digest_of_more_than_may_stay_is_forgotten(two: TwoMembers, tier: str) -> None:
    team = two.digested.team
    team.rows("UPDATE received_file SET tier = %s WHERE member_id = %s", tier, two.ada)
    team.rows("UPDATE session_state SET tier = %s WHERE owner = %s", tier, two.ada)
    path = next(iter((two.digested.folder / str(two.ada)).rglob("*.jsonl")))
    path.write_bytes(path.read_bytes().replace(b"retry", b"other"))
    team.push(two.ada, two.digested.folder / str(two.ada) / "one", "root-one")

    team.work()

    assert two.digested.titles() == [(two.ben, BENS)]


def test_a_stranger_sees_nothing(two: TwoMembers) -> None:
    two.share(Visibility.ORGANISATION)
    with open_team(two.digested.team.location) as team:
        other = team.connection.execute(
            "INSERT INTO organisation (name) VALUES ('other') RETURNING id"
        ).fetchone()
        assert other is not None
        zoe = create_member(team, other[0], "zoe")
        scopes = team.connection.execute(
            "SELECT array_agg(id) FROM scope WHERE organisation_id = %s", other
        ).fetchone()
    assert scopes is not None
    location = msgspec.structs.replace(
        two.digested.team.location, owner=two.ada, scopes=tuple(scopes[0])
    )
    database = open_index(location).database
    assert read_digest(database, two.session) is None
    assert read_digests(database) == {}
    assert zoe.id not in (two.ada, two.ben)
    database.close()

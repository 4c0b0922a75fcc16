"""`clew admin`: organisations, members, devices and projects from the command line."""

import json
from typing import Any

import pytest

from clew.archive import Archive
from clew.cli import main
from clew.server.authenticate import authenticate
from clew.server.links import LinkOverError, read_link
from clew.server.tokens import TokenKind
from clew.server.worker import Worker
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation
from tests.recordings import HERE
from tests.team.pushed import PushedTeam


class Admin:
    """Runs `clew admin` on one database."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str, code: int = 0) -> str:
        self._capsys.readouterr()
        assert main(["admin", *words]) == code, self._capsys.readouterr().err
        found = self._capsys.readouterr()
        return found.err if code else found.out

    def json(self, *words: str) -> Any:
        return json.loads(self(*words, "--json"))


@pytest.fixture
def admin(
    team_location: PostgresLocation,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Admin:
    monkeypatch.setenv("CLEW_ARCHIVE", team_location.database_url)
    monkeypatch.setenv("CLEW_BLOBS", team_location.blobs)
    monkeypatch.setenv("CLEW_PUBLIC_URL", "https://clew.example.org")
    return Admin(capsys)


def test_an_organisation_is_made_and_changed(admin: Admin) -> None:
    assert "no organisations" in admin("member", "list", code=2)
    admin("org", "create", "acme")
    assert "already" in admin("org", "create", "acme", code=2)
    admin("org", "set", "--show-members", "--retention", "90", "--quota", "20G")
    (acme,) = admin.json("org", "list")["organisations"]
    assert (acme["shows_members"], acme["retention_days"]) == (True, 90)
    assert acme["quota_bytes"] == 20_000_000_000
    admin("org", "set", "acme", "--retention", "0", "--quota", "0")
    (acme,) = admin.json("org", "list")["organisations"]
    assert (acme["shows_members"], acme["retention_days"], acme["quota_bytes"]) == (
        True,
        None,
        None,
    )
    assert "not a size" in admin("org", "set", "--quota", "lots", code=2)
    assert "acme" in admin("org", "list")
    admin("org", "create", "other")
    assert "--org" in admin("member", "list", code=2)


def test_members_are_invited_changed_and_refused(admin: Admin, team: TeamDatabase) -> None:
    admin("org", "create", "acme")
    link = admin("member", "invite", "Ada", "--role", "lead").strip()
    assert link.startswith("https://clew.example.org/invite/clew_")
    again = admin("member", "invite", "ada").strip()
    with pytest.raises(LinkOverError):
        read_link(team, TokenKind.INVITE, link.rpartition("/")[2])
    assert read_link(team, TokenKind.INVITE, again.rpartition("/")[2]).name == "ada"
    assert "/reset/clew_" in admin("member", "reset", "ada")
    with pytest.raises(LinkOverError):
        read_link(team, TokenKind.INVITE, again.rpartition("/")[2])

    admin("member", "role", "ada", "auditor")
    admin("member", "quota", "ada", "5M")
    token = admin("device", "add", "ada", "build server").strip()
    assert authenticate(team, token) is not None
    (device,) = admin.json("device", "list", "--member", "ada")["devices"]
    assert device["name"] == "build server"
    admin("member", "disable", "ada")
    assert authenticate(team, token) is None
    (ada,) = admin.json("member", "list")["members"]
    assert (ada["role"], ada["quota_bytes"]) == ("auditor", 5_000_000)
    assert ada["disabled_at"]
    admin("member", "enable", "ada")
    assert authenticate(team, token) is not None
    admin("device", "revoke", str(device["id"]))
    assert authenticate(team, token) is None
    assert "no device 99" in admin("device", "revoke", "99", code=3)
    assert "no member" in admin("member", "disable", "eve", code=3)

    actions = [event["action"] for event in admin.json("audit", "--member", "ada")["audit"]]
    assert actions == [
        *("device.revoke", "member.enable", "member.disable", "device.add", "member.quota"),
        *("member.role", "member.reset", "member.invite", "member.invite", "member.create"),
    ]
    assert "lead → auditor" in admin("audit")
    assert admin("member", "list")
    assert admin("device", "list")


def test_projects_have_members(admin: Admin) -> None:
    admin("org", "create", "acme")
    for name in ("ada", "bob"):
        admin("member", "invite", name)
    admin("project", "create", "api")
    admin("project", "add", "api", "ada", "bob")
    admin("project", "remove", "api", "bob")
    admin("project", "set", "api", "--retention", "30")
    (api,) = admin.json("project", "list")["projects"]
    assert (api["members"], api["retention_days"]) == (1, 30)
    # All or nobody.
    assert "no member" in admin("project", "add", "api", "bob", "nobody", code=3)
    (api,) = admin.json("project", "list")["projects"]
    assert api["members"] == 1
    assert "api" in admin("project", "list")


def test_an_archive_in_a_folder_has_no_team(
    admin: Admin, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("CLEW_BLOBS", "")
    monkeypatch.setenv("CLEW_ARCHIVE", str(tmp_path))

    assert "postgresql://" in admin("org", "list", code=2)


def seen(pushed: PushedTeam, scope: int) -> list[str]:
    location = PostgresLocation(
        pushed.location.database_url, pushed.location.blobs, scopes=(scope,)
    )
    with Archive(location) as archive:
        return [session.id for session in archive.sessions()]


def test_who_leaves_gives_sessions_to_others_or_loses_them(
    admin: Admin, team_location: PostgresLocation, pushed: PushedTeam
) -> None:
    ada, bob, eve = (pushed.add_member(name) for name in ("ada", "bob", "eve"))
    root = HERE / "2.1.47" / "autocompact" / "root"
    count = len(pushed.push(ada, root) & pushed.push(eve, root))
    Worker(pushed.location).run_once()
    pushed.rows("UPDATE session_state SET held = true WHERE owner = %s", ada)
    admin("project", "create", "api")
    project = pushed.value("SELECT id FROM scope WHERE kind = 'project'")

    sessions = seen(pushed, pushed.scope_of(ada))
    assert sessions
    assert "choose who" in admin("member", "transfer", "ada", code=2)
    admin("member", "transfer", "ada", "--to", "bob")
    assert (seen(pushed, pushed.scope_of(ada)), seen(pushed, pushed.scope_of(bob))) == (
        [],
        sessions,
    )
    admin("member", "transfer", "ada", "--to-project", "api")
    assert seen(pushed, project) == sessions
    assert seen(pushed, pushed.scope_of(eve)) == sessions

    token = admin("device", "add", "eve", "laptop").strip()
    assert "on hold" in admin("member", "delete", "ada", "--yes")
    assert f"with {count} session" in admin("member", "delete", "eve", "--yes")
    left = pushed.rows(
        "SELECT DISTINCT owner, deleted_at IS NULL FROM session_state ORDER BY owner"
    )
    assert left == [(ada, True), (eve, False)]
    with open_team(team_location) as team:
        assert authenticate(team, token) is None
    assert "already" in admin("org", "create", "acme", code=2)

"""A team with sessions of all visibilities, and everybody who asks for them."""

import datetime as dt
from pathlib import Path
from typing import Final

import msgspec

from clew.archive import Archive
from clew.server.accounts import Member, create_member, create_organisation
from clew.server.devices import issue_token, register_device
from clew.server.principal import Role
from clew.server.projects import add_project_member, create_project
from clew.server.tokens import TokenKind
from clew.store.postgres import open_postgres_for_writing
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation
from clew.store.session_tables import PARSER_VERSION
from tests.build import SessionBuilder, Usage, bash, edit

NOW: Final = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
ROLES: Final = {
    "anna": Role.MEMBER,
    "bert": Role.MEMBER,
    "gina": Role.MEMBER,
    "lena": Role.LEAD,
    "otto": Role.AUDITOR,
    "ada": Role.ADMIN,
}
VISIBILITIES: Final = ("private", "project", "organisation")
PROJECT: Final = ("anna", "gina", "lena")
"""The members of the project; Lena leads it."""


class Person(msgspec.Struct, frozen=True):
    """A member, with the tokens of their device and of their browser."""

    id: int
    name: str
    token: str
    browser: str


class _Joined(msgspec.Struct, frozen=True):
    member: Member
    token: str
    browser: str

    @property
    def id(self) -> int:
        return self.member.id


class People(msgspec.Struct, frozen=True):
    """Everybody by name, and scopes: of a kind in Anna's organisation, private ones by name."""

    location: PostgresLocation
    folder: Path
    persons: dict[str, Person]
    scopes: dict[str, int]

    def move(self, owner: str, session_id: str, scope: int) -> None:
        """Let a session be seen in another scope."""
        database = open_postgres_for_writing(self.location.database_url, self.persons[owner].id)
        with database.transaction():
            database.move_session(session_id, scope)
        database.close()


def word_of(owner: str, visibility: str) -> str:
    """Give a word that is only in one session."""
    return f"zz{owner}{visibility}zz"


def session_of(owner: str, visibility: str) -> SessionBuilder:
    """Give a session of which every list, name and text has a word that no other one has."""
    word = word_of(owner, visibility)
    session = SessionBuilder(f"{owner}-{visibility}", cwd=f"/home/{word}", branch=f"{word}-fix")
    session.at("2026-11-05T09:00:00Z").user(f"prompt {word} common")
    session.tools(bash(f"cat {word}.txt", f"result {word} " * 5))
    session.tools(edit(f"/home/{word}/{word}.py", "x", "x", "y"))
    session.agent(f"{word}-agent", f"Look at {word}", lambda run: run.assistant(f"Seen {word}."))
    return session.assistant(f"answer {word}", usage=Usage(1_000, 20))


def twin_of(owner: str) -> SessionBuilder:
    """Give a session whose id others have, too."""
    session = SessionBuilder("twin", cwd="/srv/twin").user(f"twin of {owner}")
    return session.assistant("Yes.", usage=Usage(10, 2))


def fill_team(location: PostgresLocation, folder: Path) -> People:
    """Make two organisations, their members and sessions."""
    with open_team(location) as team:
        acme = create_organisation(team, "acme").id
        other = create_organisation(team, "other").id
        persons = {name: _person(team, acme, name, role) for name, role in ROLES.items()}
        persons["zoe"] = _person(team, other, "zoe", Role.AUDITOR)
        project = create_project(team, acme, "web")
        for name in PROJECT:
            add_project_member(team, project, persons[name].member)
        scopes = {kind: _scope(team, acme, kind) for kind in ("project", "organisation")}
        own = {name: _private(team, one.id) for name, one in persons.items()}
        outside = _scope(team, other, "organisation")
    people = People(
        location,
        folder,
        {name: Person(one.id, name, one.token, one.browser) for name, one in persons.items()},
        {**scopes, **own},
    )
    for owner in ("anna", "gina"):
        shared = {"private": own[owner], **scopes}
        fill(people, owner, [(session_of(owner, kind), shared[kind]) for kind in VISIBILITIES])
        fill(people, owner, [(twin_of(owner), scopes["organisation"])])
    fill(people, "zoe", [(session_of("zoe", "organisation"), outside)])
    return people


def _person(team: TeamDatabase, organisation: int, name: str, role: Role) -> _Joined:
    member = create_member(team, organisation, name, role)
    issued = register_device(team, organisation, member.id, f"laptop of {name}")
    browser = issue_token(team, TokenKind.BROWSER, member.id, hours=1)
    return _Joined(member, issued.token, browser)


def _scope(team: TeamDatabase, organisation: int, kind: str) -> int:
    row = team.connection.execute(
        "SELECT id FROM scope WHERE organisation_id = %s AND kind = %s", (organisation, kind)
    ).fetchone()
    assert row is not None
    return int(row[0])


def _private(team: TeamDatabase, member: int) -> int:
    row = team.connection.execute("SELECT id FROM scope WHERE member_id = %s", (member,)).fetchone()
    assert row is not None
    return int(row[0])


def fill(people: People, owner: str, sessions: list[tuple[SessionBuilder, int]]) -> None:
    """Archive sessions as a worker does: with rows of their owner, in a scope."""
    root, member = people.folder / owner, people.persons[owner].id
    for session, _ in sessions:
        session.write(root)
    with Archive(msgspec.structs.replace(people.location, owner=member)) as archive:
        archive.sync([root], now=NOW, workers=1)
    with open_team(people.location) as team:
        for session, scope in sessions:
            people.move(owner, session.session_id, scope)
            team.connection.execute(
                "INSERT INTO session_state (owner, session_id, organisation_id, tier, scope_id,"
                " head_seq, derived_seq, derived_parser)"
                " SELECT %s, %s, organisation_id, 'everything', %s, 1, 1, %s"
                " FROM member WHERE id = %s",
                (member, session.session_id, scope, PARSER_VERSION, member),
            )

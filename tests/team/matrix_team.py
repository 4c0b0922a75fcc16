"""A team with a session of every visibility and tier, pushed by a laptop, and everybody who asks.

All that a session is called or says has a word that no other session has.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx
import msgspec

from clew.protocol import Tier, Visibility
from clew.server.accounts import (
    Member,
    create_member,
    create_organisation,
    disable_member,
)
from clew.server.authenticate import authenticate
from clew.server.device_login import start_device_login
from clew.server.devices import issue_token, register_device, revoke_device
from clew.server.principal import Role
from clew.server.projects import add_project_member, create_project
from clew.server.settings import RequestLimits, TeamSettings
from clew.server.sharing import ShareLink, make_share_link
from clew.server.tokens import TokenKind
from clew.server.worker import Worker
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation
from tests.build import Call, SessionBuilder, Usage, bash, edit, image, read
from tests.team.laptop import Laptop
from tests.team.team_server import serving_team, team_browser, team_client

MEMBERS: Final = {
    "owner": ("acme", Role.MEMBER),
    "colleague": ("acme", Role.MEMBER),
    "outsider": ("acme", Role.MEMBER),
    "chief": ("acme", Role.LEAD),
    "auditor": ("acme", Role.AUDITOR),
    "admin": ("acme", Role.ADMIN),
    "spare": ("acme", Role.MEMBER),
    "leaver": ("acme", Role.AUDITOR),
    "stranger": ("other", Role.MEMBER),
    "other-auditor": ("other", Role.AUDITOR),
    "other-admin": ("other", Role.ADMIN),
}
IN_PROJECT: Final = ("owner", "colleague")
PROJECT: Final = "zzteamprojectzz"
DELETED: Final = "deleted"
SHOWN: Final = (*Visibility, DELETED)
TIERS: Final = (Tier.STRUCTURE, Tier.REDACTED, Tier.EVERYTHING)
SECRET: Final = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zC3"
NO_LIMITS: Final = RequestLimits(reads=10**6, pushes=10**6, logins=10**6, failures=10**6)


class Caller(msgspec.Struct, frozen=True):
    """Somebody who asks: a member with a device or a browser, or one who is not let in."""

    name: str
    member: str = ""
    has_device: bool = False
    is_let_in: bool = True

    @property
    def organisation(self) -> str:
        """The organisation they belong to."""
        return MEMBERS[self.member][0] if self.member else ""

    @property
    def role(self) -> Role | None:
        """What they may do."""
        return MEMBERS[self.member][1] if self.member else None


CALLERS: Final = {
    one.name: one
    for one in (
        Caller("nobody", is_let_in=False),
        Caller("invalid token", has_device=True, is_let_in=False),
        Caller("invalid cookie", is_let_in=False),
        Caller("holder of a link", is_let_in=False),
        Caller("revoked device", "auditor", has_device=True, is_let_in=False),
        Caller("device of who left", "leaver", has_device=True, is_let_in=False),
        Caller("browser of who left", "leaver", is_let_in=False),
        Caller("device of owner", "owner", has_device=True),
        Caller("device of colleague", "colleague", has_device=True),
        Caller("device of stranger", "stranger", has_device=True),
        *(Caller(name, name) for name in MEMBERS if name not in ("spare", "leaver")),
    )
}


class SentSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session on the server: `id` and `key` are what it is called there."""

    tier: Tier
    shown: str
    word: str
    id: str
    key: str
    message: str
    run: str
    link: ShareLink
    token: str


class MatrixTeam:
    """A server with its members, their sessions, and what asks it."""

    def __init__(self, address: str, location: PostgresLocation) -> None:
        self.address = address
        self.location = location
        self.members: dict[str, Member] = {}
        self.devices: dict[str, int] = {}
        self.project_id = 0
        self.sessions: list[SentSession] = []
        self._tokens: dict[str, str] = {}
        self.links: list[str] = []

    @contextmanager
    def team(self) -> Iterator[TeamDatabase]:
        """Open the tables of the team."""
        with open_team(self.location) as opened:
            yield opened

    def client(self, caller: Caller) -> httpx.Client:
        """Return what asks as somebody; they are let in again if they had been logged out."""
        if caller.name == "nobody":
            return team_client(self.address)
        token = self._token(caller)
        if caller.has_device:
            return team_client(self.address, token)
        return team_browser(self.address, token)

    def renew(self, caller: Caller) -> None:
        """Forget how somebody was let in, so that they are let in anew."""
        self._tokens.pop(caller.name, None)

    def _token(self, caller: Caller) -> str:
        if caller.name not in self._tokens:
            with self.team() as team:
                self._tokens[caller.name] = self._make_token(team, caller)
        return self._tokens[caller.name]

    def _make_token(self, team: TeamDatabase, caller: Caller) -> str:
        if not caller.member:
            return self.links[0] if caller.name == "holder of a link" else "x" * 43
        member = self.members[caller.member]
        if not caller.has_device:
            token = issue_token(team, TokenKind.BROWSER, member.id, hours=1)
        else:
            made = register_device(team, member.organisation_id, member.id, "laptop")
            token = made.token
            if caller.name == "revoked device":
                revoke_device(team, member.organisation_id, made.device_id)
        return token

    def new_link(self, session_id: str) -> tuple[str, ShareLink]:
        """Return a new link to a session of the owner's, and its token."""
        with self.team() as team:
            issued = register_device(
                team, self.members["owner"].organisation_id, self.members["owner"].id, "linker"
            )
            principal = authenticate(team, issued.token)
            assert principal is not None
            return make_share_link(team, principal, session_id, 1)

    def new_device(self, member: str) -> int:
        """Return the number of a new device of a member."""
        with self.team() as team:
            found = self.members[member]
            return register_device(team, found.organisation_id, found.id, "another").device_id

    def new_code(self) -> str:
        """Return the code of a device that waits to be confirmed."""
        with self.team() as team:
            return start_device_login(team, "waiting", self.address).user_code


def word_of(tier: Tier, shown: str) -> str:
    """Return a word that is only in one session."""
    return f"zz{tier}{shown}zz"


def folder_of(word: str) -> str:
    """Return where a session was at work."""
    return f"/srv/{word}/app"


def talk(word: str) -> SessionBuilder:
    """Return a session with a word in all places."""
    session = SessionBuilder(word, cwd=folder_of(word), branch=f"{word}-fix")
    session.at("2026-11-05T09:00:00Z").user(f"prompt {word} common {SECRET}", image())
    session.tools(bash(f"cat {word}.txt", f"result {word} common"))
    session.tools(read(f"{folder_of(word)}/{word}.md", f"read {word}"))
    session.tools(edit(f"{folder_of(word)}/{word}.py", "x", "x", f"edit {word}"))
    session.tools(Call("Bash", {"command": f"{word} x"}, f"Exit code 1\n{word}: no", error=True))
    session.tools(Call("Bash", {"command": f"push {word}"}, denied=True))
    session.agent(f"{word}-agent", f"Look at {word}", lambda run: run.assistant(f"Seen {word}."))
    session.custom_title(f"Title {word}")
    # What the next answer does not read from the cache is a break.
    session.assistant(f"cached {word}", usage=Usage(10, 5, cache_read=1_500))
    return session.assistant(f"answer {word} common", usage=Usage(1_000, 20))


@contextmanager
def running_matrix(location: PostgresLocation, folder: Path) -> Iterator[MatrixTeam]:
    """Start a server; let everybody join, and the owner push and delete."""
    settings = TeamSettings(location=location, limits=NO_LIMITS)
    with serving_team(settings) as address:
        matrix = MatrixTeam(address, location)
        with matrix.team() as team:
            _join(team, matrix)
        _push(matrix, folder)
        _derive(matrix)
        matrix.sessions = [_describe(matrix, *found) for found in _found(matrix)]
        matrix.links = [one.token for one in matrix.sessions]
        _delete(matrix)
        yield matrix


def _join(team: TeamDatabase, matrix: MatrixTeam) -> None:
    organisations = {name: create_organisation(team, name).id for name in ("acme", "other")}
    for name, (organisation, role) in MEMBERS.items():
        member = create_member(team, organisations[organisation], name, role)
        matrix.members[name] = member
        matrix.devices[name] = register_device(
            team, organisations[organisation], member.id, f"laptop of {name}"
        ).device_id
    matrix.project_id = _make_project(team, matrix, organisations["acme"])
    # They are let in until they leave.
    for caller in CALLERS.values():
        if caller.member == "leaver":
            matrix.client(caller).close()
    disable_member(team, matrix.members["leaver"])


def _make_project(team: TeamDatabase, matrix: MatrixTeam, organisation: int) -> int:
    project = create_project(team, organisation, PROJECT)
    for name in IN_PROJECT:
        add_project_member(team, project, matrix.members[name])
    return project.id


def _push(matrix: MatrixTeam, folder: Path) -> None:
    """Push a session for each visibility and tier; those to be deleted are shown to all before."""
    with matrix.team() as team:
        owner = matrix.members["owner"]
        token = register_device(team, owner.organisation_id, owner.id, "pushing").token
    laptop = Laptop(folder / "laptop", matrix.address, token)
    for tier in TIERS:
        for shown in SHOWN:
            word = word_of(tier, shown)
            visibility = Visibility.ORGANISATION if shown == DELETED else Visibility(shown)
            project = PROJECT if shown == Visibility.PROJECT else ""
            path = folder_of(word)
            laptop.allow(tier, path, visibility=visibility, server_project=project)
            talk(word).write(laptop.root)
    report = laptop.push()
    assert report.problems == []
    laptop.archive.close()


def _derive(matrix: MatrixTeam) -> None:
    """Let a worker do all that is due, without waiting for a session to grow."""
    with matrix.team() as team:
        team.connection.execute("UPDATE session_state SET due_at = now()")
    Worker(matrix.location).run_once()


def _found(matrix: MatrixTeam) -> Iterator[tuple[Tier, str, str, str]]:
    """Return which session is which: its tier, who sees it, its key and its id."""
    with matrix.team() as team:
        rows = team.connection.execute(
            "SELECT t.tier, c.kind, s.key, s.id, s.title FROM session s"
            " JOIN session_state t ON t.owner = s.owner AND t.session_id = s.id"
            " JOIN scope c ON c.id = t.scope_id ORDER BY s.key"
        ).fetchall()
    assert len(rows) == len(TIERS) * len(SHOWN)
    known = set()
    for tier, kind, key, name, title in rows:
        # Of the structure of a session, nobody knows what it was called.
        is_second = tier == Tier.STRUCTURE and (tier, kind) in known
        is_deleted = is_second or DELETED in title
        known.add((tier, kind))
        yield Tier(tier), DELETED if is_deleted else kind, f"s{key}", name


def _describe(matrix: MatrixTeam, tier: Tier, shown: str, key: str, name: str) -> SentSession:
    token, link = matrix.new_link(name)
    with matrix.client(CALLERS["owner"]) as owner:
        whole = owner.get(f"/api/sessions/{key}/conversation").json()
    return SentSession(
        tier=tier,
        shown=shown,
        word=word_of(tier, shown),
        id=name,
        key=key,
        message=whole["messages"][0]["id"],
        run=whole["agent_runs"][0]["id"],
        link=link,
        token=token,
    )


def _delete(matrix: MatrixTeam) -> None:
    """Delete sessions as their owner does, and let workers delete their rows."""
    with matrix.client(CALLERS["device of owner"]) as owner:
        for one in matrix.sessions:
            if one.shown == DELETED:
                owner.delete(f"/push/sessions/{one.id}").raise_for_status()
    _derive(matrix)

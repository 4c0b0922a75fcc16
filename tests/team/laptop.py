"""A developer's machine: a folder of Claude Code, an archive, and a login to a team server."""

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from clew.archive import Archive
from clew.protocol import Tier
from clew.push import (
    Consents,
    Logins,
    ProjectConsent,
    PushReport,
    ServerLogin,
    find_push_files,
    preview_push,
    push,
)
from clew.server.accounts import create_member, create_organisation, list_organisations
from clew.server.devices import register_device
from clew.server.settings import TeamSettings
from clew.store import Home
from clew.store.objects import NoSuchObjectError, open_objects
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.slow_proxy import SlowProxy, slow_proxy
from tests.team.team_server import serving_team

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PROJECT = "/home/dev/code/demo"


class Laptop:
    """One machine of a member."""

    def __init__(self, folder: Path, server: str, token: str) -> None:
        self.root = folder / "claude"
        self.home = folder / "home"
        (self.root / "projects").mkdir(parents=True)
        self.archive = Archive(Home(self.home))
        self.login = ServerLogin(server=server, member="ada", token=token)
        files = find_push_files(self.archive.location)
        self.logins, self.consents = Logins(files), Consents(files)

    def allow(self, tier: Tier = Tier.EVERYTHING, path: str = PROJECT, **more: Any) -> None:
        """Decide what may leave of a project."""
        found = self.consents.find(self.login.server, path)
        epoch = 0 if found is None else found.epoch
        consent = ProjectConsent(
            server=self.login.server, path=path, tier=tier, epoch=epoch, **more
        )
        self.consents.save([consent])

    def sync(self) -> None:
        """Archive what is new."""
        self.archive.sync([self.root], workers=1)

    def push(self, **options: Any) -> PushReport:
        """Archive what is new, and push."""
        self.sync()
        return push(self.archive, self.login, **options)

    def preview(self) -> PushReport:
        """Archive what is new, and return what a push would send."""
        self.sync()
        return preview_push(self.archive, self.login)

    def files(self) -> dict[str, bytes]:
        """Return the files of Claude Code, by their paths."""
        found = (path for path in self.root.rglob("*") if path.is_file())
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in found}


class TeamOfTests:
    """A team server with an organisation, and what it has received."""

    def __init__(self, address: str, location: PostgresLocation, proxy: SlowProxy) -> None:
        self.address = address
        self.location = location
        self.proxy = proxy
        self.objects = open_objects(location.blobs)

    def join(self, name: str) -> int:
        """Let somebody join; return their number."""
        with open_team(self.location) as team:
            known = list_organisations(team)
            organisation = known[0] if known else create_organisation(team, "acme")
            return create_member(team, organisation.id, name).id

    def device(self, member: int) -> str:
        """Return the token of a new device of a member."""
        with open_team(self.location) as team:
            organisation = list_organisations(team)[0]
            return register_device(team, organisation.id, member, "laptop").token

    def rows(self, text: str, *values: object) -> list[Any]:
        """Run SQL."""
        with psycopg.connect(self.location.database_url, autocommit=True) as connection:
            cursor = connection.execute(text.encode(), values)
            return cursor.fetchall() if cursor.description else []

    def received(self, member: int) -> dict[str, bytes]:
        """Return what there is of a member's files, from their frames."""
        found: dict[str, bytes] = {}
        rows = self.rows(
            "SELECT f.file, p.hash, p.object_key FROM received_file f "
            "LEFT JOIN received_frame r ON r.file_id = f.id AND r.generation = f.generation "
            "LEFT JOIN pushed_frame p ON p.id = r.frame_id "
            "WHERE f.member_id = %s ORDER BY f.file, r.number",
            member,
        )
        for file, digest, key in rows:
            try:
                content = zstd.decompress(self.objects.get(key))
            except NoSuchObjectError:
                content = b""
            assert hashlib.sha256(content).digest() == bytes(digest)
            found[file] = found.get(file, b"") + content
        return found

    def frames(self, member: int) -> int:
        """Count the frames of a member."""
        return int(
            self.rows("SELECT count(*) FROM pushed_frame WHERE member_id = %s", member)[0][0]
        )

    def changes(self) -> list[Any]:
        """Return what changes with whatever a server is sent."""
        return self.rows(
            "SELECT (SELECT count(*) FROM pushed_frame), (SELECT count(*) FROM received_file), "
            "(SELECT count(*) FROM consent), (SELECT count(*) FROM session_state), "
            "(SELECT max(last_seen_at) FROM device)"
        )


@contextmanager
def running_team(location: PostgresLocation) -> Iterator[TeamOfTests]:
    """Start a team server behind a proxy that counts requests."""
    with serving_team(TeamSettings(location=location)) as address:
        port = int(address.rpartition(":")[2])
        with slow_proxy(port, 0) as proxy:
            yield TeamOfTests(proxy.endpoint, location, proxy)

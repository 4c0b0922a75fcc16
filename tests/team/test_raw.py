"""Files of a session on a server: streamed, or from a bucket by a URL that works for a minute."""

import sys
from pathlib import Path

import httpx
import msgspec

from clew.archive import Archive
from clew.server.settings import TeamSettings
from clew.store.archived_files import load_frames
from clew.store.location import blobs_of, open_index
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.team.people import People, fill_team, session_of
from tests.team.team_server import PATIENCE, serving_team, team_client

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PUBLIC = "http://files.example.org:9000"


def seal(people: People, owner: str, session_id: str) -> None:
    """Seal the files of a session, as a worker does after an hour."""
    location = msgspec.structs.replace(people.location, owner=people.persons[owner].id)
    with Archive(location) as archive:
        database = open_index(location).database
        for file in archive.session_files(session_id):
            blobs_of(location).seal(file.blob, load_frames(database, file.id, file.generation))
        database.close()


def test_files_come_from_the_server_or_from_the_bucket(
    team_location: PostgresLocation, s3_address: str, tmp_path: Path
) -> None:
    location = msgspec.structs.replace(team_location, blobs=s3_address)
    people = fill_team(location, tmp_path)
    session = session_of("anna", "organisation")
    name = session.session_id
    with (
        serving_team(TeamSettings(location=location)) as address,
        team_client(address, people.persons["bert"].token) as bert,
    ):
        files = bert.get(f"/api/sessions/{name}/raw").json()["files"]
        streamed = [bert.get(file["url"]) for file in files]
        seal(people, "anna", name)
        sealed = [bert.get(file["url"]) for file in files]
        copies = [httpx.get(one.headers["location"], timeout=PATIENCE) for one in sealed]
        plain = [bert.get(file["url"], params={"plain": True}) for file in files]
    settings = TeamSettings(location=location, blobs_public_url=PUBLIC)
    with (
        serving_team(settings) as address,
        team_client(address, people.persons["bert"].token) as bert,
    ):
        public = bert.get(files[0]["url"]).headers["location"]
    with open_team(location) as team:
        noted = team.connection.execute(
            "SELECT action, actor, owner, count(*) FROM audit_event WHERE session_id = %s"
            " GROUP BY action, actor, owner ORDER BY action",
            (name,),
        ).fetchall()

    contents = [(tmp_path / "anna" / file["path"]).read_bytes() for file in files]
    assert len(files) == 3
    assert [one.content for one in streamed] == contents
    assert [one.status_code for one in sealed] == [307] * len(files)
    assert [zstd.decompress(one.content) for one in copies] == contents
    assert all(one.headers["content-disposition"] == "attachment" for one in copies)
    assert [one.content for one in plain] == contents
    assert public.startswith(f"{PUBLIC}/")
    bert_id, anna_id = people.persons["bert"].id, people.persons["anna"].id
    assert noted == [
        ("session.raw", bert_id, anna_id, 3 * len(files) + 1),
        ("session.read", bert_id, anna_id, 2),
    ]

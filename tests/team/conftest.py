"""Fixtures of the team server: an empty one, and its tables."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from clew.store.postgres import pool
from clew.store.postgres.team import TeamDatabase, open_team, prepare_team
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer
from tests.team.matrix_team import MatrixTeam, running_matrix
from tests.team.pushed import PushedTeam


@pytest.fixture(scope="session")
def prepared_database(postgres_server: PostgresServer) -> str:
    """Give a database with the tables of a team, of which tests get copies."""
    url = postgres_server.make_database()
    prepare_team(PostgresLocation(url, ""))
    pool.clear()
    return url


@pytest.fixture
def team_location(
    postgres_server: PostgresServer, prepared_database: str, tmp_path: Path
) -> Iterator[PostgresLocation]:
    """Give the place of an empty team archive with its tables, and blobs in a folder."""
    url = postgres_server.make_database(like=prepared_database)
    yield PostgresLocation(url, str(tmp_path / "team-blobs"))
    postgres_server.drop_database(url)


@pytest.fixture
def team(team_location: PostgresLocation) -> Iterator[TeamDatabase]:
    """Give a connection to the tables of an empty team."""
    with open_team(team_location) as opened:
        yield opened


@pytest.fixture
def pushed(team_location: PostgresLocation) -> Iterator[PushedTeam]:
    """Give a team without members, to which files can be pushed; blobs are in a folder."""
    with closing(PushedTeam(team_location)) as team:
        yield team


@pytest.fixture(params=["folder", "s3"])
def pushed_anywhere(
    request: pytest.FixtureRequest, team_location: PostgresLocation
) -> Iterator[PushedTeam]:
    """Give a team without members, with blobs in a folder or a bucket."""
    blobs = team_location.blobs
    if request.param == "s3":
        blobs = request.getfixturevalue("s3_address")
    with closing(PushedTeam(msgspec.structs.replace(team_location, blobs=blobs))) as team:
        yield team


@pytest.fixture(scope="module")
def matrix(
    tmp_path_factory: pytest.TempPathFactory,
    postgres_server: PostgresServer,
    prepared_database: str,
) -> Iterator[MatrixTeam]:
    """Give a team with everybody in it: each role, and sessions of each visibility and tier."""
    folder = tmp_path_factory.mktemp("matrix")
    url = postgres_server.make_database(like=prepared_database)
    with running_matrix(PostgresLocation(url, str(folder / "blobs")), folder) as team:
        yield team
    postgres_server.drop_database(url)

"""Fixtures of the team server: an empty one, and its tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.store.postgres import pool
from clew.store.postgres.team import TeamDatabase, open_team, prepare_team
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer


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

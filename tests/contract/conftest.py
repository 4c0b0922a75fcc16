"""The backend that a contract test runs on."""

from pathlib import Path

import pytest

from clew.store import Home, Location
from clew.store.postgres_location import PostgresLocation
from tests.contract.backends import Backend, LocalBackend, TeamBackend


@pytest.fixture(params=["local", "team"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    """Give an empty backend of each kind."""
    if request.param == "local":
        return LocalBackend(tmp_path / "archive")
    get = request.getfixturevalue
    return TeamBackend(get("postgres_url"), get("s3_address"))


@pytest.fixture(params=["local", "team"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    """Give a place for an archive of each kind: a folder, or PostgreSQL with a bucket."""
    if request.param == "local":
        return Home(tmp_path / "home")
    get = request.getfixturevalue
    return PostgresLocation(get("postgres_url"), get("s3_address"))

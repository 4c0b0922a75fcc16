"""The backend that a contract test runs on."""

from pathlib import Path

import pytest

from tests.contract.backends import Backend, LocalBackend, TeamBackend


@pytest.fixture(params=["local", "team"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    """Give an empty backend of each kind."""
    if request.param == "local":
        return LocalBackend(tmp_path / "archive")
    get = request.getfixturevalue
    return TeamBackend(get("postgres_url"), get("s3_address"))

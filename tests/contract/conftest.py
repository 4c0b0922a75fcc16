"""The backend that a contract test runs on."""

from pathlib import Path

import pytest

from tests.contract.backends import BACKENDS, Backend


@pytest.fixture(params=list(BACKENDS))
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    """Give an empty backend of each kind."""
    return BACKENDS[request.param](tmp_path / "archive")

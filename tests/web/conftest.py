from collections.abc import Iterator

import httpx
import pytest

from clew.samples import samples_root
from tests.web.serving import client_for, serving, settings_for


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("archive")
    with serving(settings_for(home, samples_root())) as told:
        yield told


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    with client_for(address) as asking:
        yield asking

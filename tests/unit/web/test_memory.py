"""A server that stays small."""

from collections.abc import Iterator

import apsw
import pytest

from clew.web.memory import limit_server_memory


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    """Leave the process as it was."""
    before = apsw.soft_heap_limit(-1)
    yield
    apsw.soft_heap_limit(before)


def test_all_connections_together_hold_few_pages() -> None:
    apsw.soft_heap_limit(0)

    limit_server_memory()

    assert 0 < apsw.soft_heap_limit(-1) <= 32_000_000

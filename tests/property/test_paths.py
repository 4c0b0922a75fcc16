"""Every command means the same files by a path."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.archive import Archive
from clew.search import Field
from clew.store import Home
from tests.build import SessionBuilder, read

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)
PATHS = (
    "/home/dev/src/app.py",
    "/home/dev/src/a*.py",
    "/home/dev/src/[id]/page.ts",
    "/home/dev/app/src/App.py",
    "/dev/app.py",
    "C:\\work\\src\\app.py",
    "notes/what?.md",
)
pieces = st.sampled_from([*"/*\\?[]", "app.py", "APP", "src", "a*", "home", "dev", "page.ts", ".."])
patterns = st.sampled_from(PATHS) | st.lists(pieces, min_size=1, max_size=5).map("".join)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    folder = tmp_path_factory.mktemp("paths")
    session = SessionBuilder().at("2026-11-10T09:00:00Z").user("hello")
    session.tools(*(read(path, "x") for path in PATHS)).write(folder / "claude")
    with Archive(Home(folder / "home")) as archive:
        archive.sync([folder / "claude"], now=NOW)
        yield archive


@settings(deadline=None)
@given(patterns)
def test_list_and_search_find_the_same_files(archive: Archive, pattern: str) -> None:
    listed = {file.path for file in archive.files(path=pattern)}

    hits = archive.search(f'file:"{pattern}"', now=NOW, limit=99).hits

    assert {hit.snippet.text for hit in hits if hit.field is Field.FILE} == listed

"""Sections of a session: drawn when they are requested, and ahead if the session is long."""

import gzip
import shutil
from pathlib import Path

import pytest

from clew.archive import open_archive
from clew.errors import NotFoundError
from clew.store import Home
from clew.web.cache import ArchiveCache
from clew.web.pages.session_pieces import section_body
from clew.web.responses import ResponseBody
from clew.web.settings import CacheLimits, Settings
from tests.build import SessionBuilder

TURNS = 4


@pytest.fixture
def session_id(tmp_path: Path) -> str:
    builder = SessionBuilder("talk")
    for number in range(TURNS):
        builder.user(f"question {number}").assistant(f"answer {number}")
    builder.write(tmp_path / "claude")
    with open_archive(tmp_path / "archive") as archive:
        archive.sync([tmp_path / "claude"])
    return builder.session_id


def cache_of(tmp_path: Path, limits: CacheLimits) -> ArchiveCache:
    return ArchiveCache(Settings(location=Home(tmp_path / "archive"), cache=limits))


def text_of(body: ResponseBody) -> str:
    return (gzip.decompress(body.content) if body.is_gzip else body.content).decode()


def test_sections_of_a_long_session_are_drawn_ahead(
    tmp_path: Path, session_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.web.session_cache._IDLE_SECONDS", 0)
    cache = cache_of(tmp_path, CacheLimits(long_session=1))
    section_body(cache, session_id, "1", 1)
    # Nothing can be built any more.
    cache.drop_idle_sessions()
    cache.close()
    shutil.rmtree(tmp_path / "archive")

    for number in range(1, TURNS):
        assert f"answer {number}" in text_of(section_body(cache, session_id, "1", number))


def test_sections_of_a_short_session_are_drawn_on_request(tmp_path: Path, session_id: str) -> None:
    cache = cache_of(tmp_path, CacheLimits())
    first = section_body(cache, session_id, "1", 1)

    assert cache.peek(("section", session_id, 1), "1") is first
    assert cache.peek(("section", session_id, 2), "1") is None
    assert section_body(cache, session_id, "1", 1) is first


@pytest.mark.parametrize("limit", [1, 1_000_000])
def test_there_is_no_section_after_the_last(tmp_path: Path, session_id: str, limit: int) -> None:
    cache = cache_of(tmp_path, CacheLimits(long_session=limit))
    section_body(cache, session_id, "1", TURNS - 1)

    with pytest.raises(NotFoundError):
        section_body(cache, session_id, "1", TURNS)

"""Small archives to search in: sessions that were built, synced into a database."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from clew.search import Hit, Results, parse_query, search
from clew.store import Home, SearchIndex, open_any_version, sync
from clew.store.sqlite import SqliteDatabase
from tests.build import SessionBuilder

NOW: Final = datetime(2026, 11, 14, 12, tzinfo=UTC)


def archive(folder: Path, *sessions: SessionBuilder) -> SearchIndex:
    """Sync sessions into a new archive and open its index."""
    for session in sessions:
        session.write(folder / "claude")
    home = Home(folder / "home")
    sync(home, [folder / "claude"], now=NOW, workers=1)
    return open_any_version(home).index


def find(index: SearchIndex, text: str, limit: int = 20, offset: int = 0) -> Results:
    """Search for what someone types."""
    return search(index, parse_query(text, now=NOW), now=NOW, limit=limit, offset=offset)


def found(index: SearchIndex, text: str) -> list[tuple[str, str]]:
    """Give the field and the whole text of each short hit, in a fixed order."""
    return sorted((hit.field.value, hit.snippet.text) for hit in find(index, text).hits)


def marked(hit: Hit) -> list[str]:
    """Give the words that are marked in a hit."""
    return [hit.snippet.text[mark.start : mark.end] for mark in hit.snippet.marks]


def first_row(index: SearchIndex, query: str) -> tuple[object, ...] | None:
    """Ask the database that an index belongs to."""
    assert isinstance(index.database, SqliteDatabase)
    return index.database.connection.execute(query).fetchone()


def written(folder: Path, *texts: str) -> SearchIndex:
    """Make an archive of one session with these prompts, whose title is none of them."""
    session = SessionBuilder().at("2026-11-10T09:00:00Z").custom_title("-")
    for text in texts:
        session.user(text)
    return archive(folder, session)


def every_page(index: SearchIndex, query: str, limit: int) -> list[Results]:
    """Turn pages until there are no more."""
    pages = [find(index, query, limit=limit)]
    while (offset := pages[-1].next_offset) is not None:
        assert len(pages) < 99
        pages.append(find(index, query, limit=limit, offset=offset))
    return pages

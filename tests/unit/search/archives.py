"""Small archives to search in: sessions that were built, synced into a database."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import apsw

from clew.search import Hit, Results, parse_query, search
from clew.store import Home, sync
from clew.store.sqlite import open_for_reading
from tests.build import SessionBuilder

NOW: Final = datetime(2026, 11, 14, 12, tzinfo=UTC)


def archive(folder: Path, *sessions: SessionBuilder) -> apsw.Connection:
    """Sync sessions into a new archive and open its database."""
    for session in sessions:
        session.write(folder / "claude")
    home = Home(folder / "home")
    sync(home, [folder / "claude"], now=NOW, workers=1)
    return open_for_reading(home.database)


def find(connection: apsw.Connection, text: str, limit: int = 20, offset: int = 0) -> Results:
    """Search for what someone types."""
    return search(connection, parse_query(text, now=NOW), now=NOW, limit=limit, offset=offset)


def found(connection: apsw.Connection, text: str) -> list[tuple[str, str]]:
    """Give the field and the whole text of each short hit, in a fixed order."""
    return sorted((hit.field.value, hit.snippet.text) for hit in find(connection, text).hits)


def marked(hit: Hit) -> list[str]:
    """Give the words that are marked in a hit."""
    return [hit.snippet.text[mark.start : mark.end] for mark in hit.snippet.marks]

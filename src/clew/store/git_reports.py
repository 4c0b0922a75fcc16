"""The commits and pull requests that sessions report, and the cache of who wrote which lines."""

from collections.abc import Collection, Iterable

import msgspec

from clew.analytics import GitReport
from clew.errors import ClewError
from clew.store.location import Location, open_index_for_writing, translate_errors
from clew.store.protocols import Database


class SessionReport(msgspec.Struct, frozen=True):
    """A report, and the session that it is from."""

    session_id: str
    project: str
    report: GitReport


class LineAuthors(msgspec.Struct, frozen=True):
    """Who wrote the lines that a commit introduced in a file, as JSON; `writers` says when."""

    commit: str
    path: str
    writers: str
    json: str


def read_git_reports(
    database: Database, sessions: Collection[str] | None = None
) -> list[SessionReport]:
    """Return the commits and pull requests of all sessions or of some, in order of time."""
    values = {"all_sessions": int(sessions is None), "sessions": sorted(sessions or ())}
    fields = ("kind", "at", "hash", "subject", "branch", "url", "message_id", "tool_call_id")
    return [
        SessionReport(row[0], row[1], GitReport(**dict(zip(fields, row[2:], strict=True))))
        for row in database.rows("git_reports", values)
    ]


def read_line_authors(
    database: Database, commits: Iterable[str]
) -> dict[tuple[str, str], LineAuthors]:
    """Return what is known of the lines of some commits, by commit and path."""
    rows = database.rows("line_authors_of", {"commits": sorted(set(commits))})
    return {(row[0], row[1]): LineAuthors(*row) for row in rows}


def keep_line_authors(location: Location, found: Iterable[LineAuthors]) -> bool:
    """Keep what was found out; return whether that was possible: it is only a cache."""
    try:
        with translate_errors(location):
            database = open_index_for_writing(location).database
            try:
                with database.transaction():
                    for each in found:
                        database.run("set_line_authors", msgspec.structs.asdict(each))
            finally:
                database.close()
    except (ClewError, OSError):
        return False
    return True
